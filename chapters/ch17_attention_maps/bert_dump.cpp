#include "ch17_attention_maps/bert_dump.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "ch17_attention_maps/record.hpp"

namespace bert {

namespace {

// One kind of number of every token, in the order of the sequences.
template <typename List>
TokenNumbers numbers_of(std::span<const Encoding> encodings, const Shape& shape, List list) {
    TokenNumbers numbers{shape, {}};
    for (const Encoding& encoding : encodings) {
        for (const auto number : list(encoding))
            numbers.values.push_back(static_cast<std::int32_t>(number));
    }
    return numbers;
}

TokenNumbers offsets_of(std::span<const Encoding> encodings, const Shape& shape) {
    TokenNumbers numbers{{shape[0], shape[1], 2}, {}};
    for (const Encoding& encoding : encodings) {
        for (const auto& [begin, end] : encoding.offsets) {
            numbers.values.push_back(static_cast<std::int32_t>(begin));
            numbers.values.push_back(static_cast<std::int32_t>(end));
        }
    }
    return numbers;
}

std::optional<std::int32_t> start_of_second(const Encoding& encoding) {
    for (std::size_t t = 0; t < encoding.length(); ++t) {
        if (encoding.token_type_ids[t] == 1) return static_cast<std::int32_t>(t);
    }
    return {};
}

}  // namespace

AttentionDump bert_dump(const std::vector<Tensor>& layers, std::span<const Encoding> encodings,
                        const Tokenizer& tokenizer) {
    std::vector<std::vector<std::string>> tokens;
    std::vector<std::optional<std::int32_t>> starts;
    for (const Encoding& encoding : encodings) {
        tokens.push_back(tokens_of(encoding, tokenizer.vocabulary()));
        starts.push_back(start_of_second(encoding));
    }
    AttentionDump dump = dump_of(layers, std::move(tokens));
    const Shape shape{encodings.size(), dump.attentions.dim(3)};
    const auto add = [&](const char* name, auto list) {
        dump.token_numbers[name] = numbers_of(encodings, shape, list);
    };
    add("input_ids", [](const Encoding& e) { return e.input_ids; });
    add("token_type_ids", [](const Encoding& e) { return e.token_type_ids; });
    add("attention_mask", [](const Encoding& e) { return e.attention_mask; });
    add("special_tokens_mask", [](const Encoding& e) { return e.special_tokens_mask; });
    add("word_ids", [](const Encoding& e) { return e.word_ids; });
    dump.token_numbers["offsets"] = offsets_of(encodings, shape);
    dump.mask = AttentionMask::padding;
    dump.sentence_b_start = std::move(starts);
    const TokenizerOptions& names = tokenizer.options();
    dump.special_tokens = {{"cls", names.cls_token},
                           {"sep", names.sep_token},
                           {"mask", names.mask_token},
                           {"pad", names.pad_token},
                           {"unk", names.unknown_token}};
    validate(dump);
    return dump;
}

}  // namespace bert
