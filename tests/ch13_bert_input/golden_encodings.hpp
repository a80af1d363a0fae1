// Batches of texts, and what Hugging Face makes of them (tools/golden/bert_input.py).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "ch13_bert_input/batch.hpp"
#include "common/io/npz.hpp"
#include "tests/support/catch.hpp"

namespace bert::test {

using Numbers = std::vector<std::int64_t>;

struct GoldenBatch {
    std::vector<TextPair> texts;
    EncodingOptions options;
    bool refused;
    std::vector<Encoding> encodings;  // when it is not refused
};

// Rows of 7: id, type, mask, special, begin, end, word + 1.
inline Encoding golden_encoding(const Numbers& numbers, std::size_t& row, std::int64_t count) {
    Encoding e;
    for (std::int64_t t = 0; t < count; ++t, row += 7) {
        e.input_ids.push_back(numbers[row]);
        e.token_type_ids.push_back(numbers[row + 1]);
        e.attention_mask.push_back(numbers[row + 2]);
        e.special_tokens_mask.push_back(numbers[row + 3]);
        e.offsets.emplace_back(static_cast<std::uint32_t>(numbers[row + 4]),
                               static_cast<std::uint32_t>(numbers[row + 5]));
        e.word_ids.push_back(static_cast<std::int32_t>(numbers[row + 6]) - 1);
    }
    return e;
}

inline std::vector<GoldenBatch> golden_batches(const std::string& path) {
    const auto arrays = read_npz(path);
    const std::string bytes{arrays.at("bytes").bytes()};
    const Numbers lengths = arrays.at("lengths").to_ints();
    const Numbers rows = arrays.at("batches").to_ints();
    const Numbers counts = arrays.at("counts").to_ints();
    const Numbers numbers = arrays.at("numbers").to_ints();
    std::vector<GoldenBatch> batches;
    std::size_t text = 0, begin = 0, example = 0, row = 0;
    const auto next_text = [&](std::int64_t length) {
        const std::string found = bytes.substr(begin, static_cast<std::size_t>(length));
        begin += found.size();
        return found;
    };
    for (std::size_t i = 0; i < rows.size(); i += 6) {
        GoldenBatch batch;
        batch.options = {.add_special_tokens = rows[i + 1] == 1,
                         .max_length = static_cast<std::size_t>(rows[i + 2]),
                         .truncation = static_cast<Truncation>(rows[i + 3]),
                         .padding = static_cast<Padding>(rows[i + 4])};
        batch.refused = rows[i + 5] == 1;
        for (std::int64_t k = 0; k < rows[i]; ++k, ++text) {
            TextPair pair{next_text(lengths[2 * text])};
            if (lengths[2 * text + 1] >= 0) pair.second = next_text(lengths[2 * text + 1]);
            batch.texts.push_back(pair);
            if (!batch.refused)
                batch.encodings.push_back(golden_encoding(numbers, row, counts[example++]));
        }
        batches.push_back(batch);
    }
    if (row != numbers.size() || begin != bytes.size())
        throw std::runtime_error{path + ": not all of it was read"};
    return batches;
}

inline void check_batches(const std::vector<GoldenBatch>& batches, const Tokenizer& tokenizer) {
    for (std::size_t i = 0; i < batches.size(); ++i) {
        const GoldenBatch& batch = batches[i];
        INFO("batch " << i << ": " << to_string(batch.options.truncation) << ", max_length "
                      << *batch.options.max_length);
        if (batch.refused) {
            CHECK_THROWS_AS(encode_all(tokenizer, batch.texts, batch.options),
                            std::invalid_argument);
        } else {
            CHECK(encode_all(tokenizer, batch.texts, batch.options) == batch.encodings);
        }
    }
}

}  // namespace bert::test
