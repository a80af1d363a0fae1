#include "ch13_bert_input/mistakes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "ch03_masks/masks.hpp"

namespace bert {

Encoding cut_off(Encoding encoding, std::size_t length) {
    const auto cut = [length](auto& list) { list.resize(std::min(list.size(), length)); };
    cut(encoding.input_ids);
    cut(encoding.token_type_ids);
    cut(encoding.attention_mask);
    cut(encoding.special_tokens_mask);
    cut(encoding.offsets);
    cut(encoding.word_ids);
    return encoding;
}

BertInput types_as_mask(BertInput input) {
    std::vector<Real> mask;
    for (const std::int64_t type : input.token_type_ids)
        mask.push_back(static_cast<Real>(type));
    input.attention_mask = Tensor(Shape{input.batch, input.length}, std::move(mask));
    std::fill(input.token_type_ids.begin(), input.token_type_ids.end(), 0);
    return input;
}

BertInput all_visible(BertInput input) {
    input.attention_mask = Tensor(Shape{input.batch, input.length},
                                  std::vector<Real>(input.input_ids.size(), Real{1}));
    return input;
}

Tensor who_looks_at_whom(const Tensor& x, const BertInput& input) {
    return masked_attention(x, x, x, padding_mask(input.attention_mask)).weights;
}

}  // namespace bert
