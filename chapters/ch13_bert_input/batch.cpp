#include "ch13_bert_input/batch.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace bert {

namespace {

std::size_t longest_length(std::span<const Encoding> encodings) {
    std::size_t longest = 0;
    for (const Encoding& encoding : encodings)
        longest = std::max(longest, encoding.length());
    return longest;
}

void require_batch(std::span<const Encoding> encodings, std::size_t length) {
    if (encodings.empty() || length == 0)
        throw ShapeError{"make_batch: B=" + std::to_string(encodings.size()) +
                         " examples of T=" + std::to_string(length) +
                         " tokens at most (expected at least one of each)"};
    for (std::size_t b = 0; b < encodings.size(); ++b) {
        const Encoding& e = encodings[b];
        if (e.token_type_ids.size() == e.length() && e.attention_mask.size() == e.length())
            continue;
        throw ShapeError{"make_batch: example " + std::to_string(b) + " has " +
                         std::to_string(e.length()) + " input_ids, " +
                         std::to_string(e.token_type_ids.size()) + " token_type_ids and " +
                         std::to_string(e.attention_mask.size()) + " numbers of attention_mask"};
    }
}

}  // namespace

std::vector<Encoding> encode_all(const Tokenizer& tokenizer, std::span<const TextPair> texts,
                                 const EncodingOptions& options) {
    std::vector<Encoding> encodings;
    for (const TextPair& text : texts)
        encodings.push_back(encode(tokenizer, text.first, text.second, options));
    if (options.padding == Padding::longest) pad_to_longest(encodings, tokenizer.special().pad);
    return encodings;
}

void pad_to_longest(std::span<Encoding> encodings, TokenId pad_id) {
    const std::size_t longest = longest_length(encodings);
    for (Encoding& encoding : encodings)
        pad(encoding, longest, pad_id);
}

BertInput make_batch(std::span<const Encoding> encodings, TokenId pad_id) {
    const std::size_t length = longest_length(encodings);
    require_batch(encodings, length);
    BertInput input{.batch = encodings.size(), .length = length};
    std::vector<Real> visible;
    // [batch]
    for (Encoding row : encodings) {  // a copy, to be padded
        pad(row, length, pad_id);
        input.input_ids.insert(input.input_ids.end(), row.input_ids.begin(), row.input_ids.end());
        input.token_type_ids.insert(input.token_type_ids.end(), row.token_type_ids.begin(),
                                    row.token_type_ids.end());
        for (const std::int64_t mask : row.attention_mask)
            visible.push_back(static_cast<Real>(mask));
    }
    // [batch]
    input.attention_mask = Tensor(Shape{input.batch, length}, std::move(visible));
    return input;
}

}  // namespace bert
