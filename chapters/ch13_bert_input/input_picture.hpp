// The three numbers of each token, and what they stand for, as a picture and as text.
#pragma once

#include <string>
#include <vector>

#include "ch13_bert_input/embeddings.hpp"
#include "common/plot/picture.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// What an input of one example is made of: T tokens by name and the rows (T, D) of the three
/// tables.
struct InputParts {
    std::vector<std::string> tokens;
    std::vector<std::int64_t> input_ids;
    std::vector<std::int64_t> token_type_ids;
    Tensor word;      // (T, D)
    Tensor type;      // (T, D)
    Tensor position;  // (T, D)
    Tensor sum;       // (T, D), before LayerNorm
};

/// Throws as BertEmbeddings::require_fit(), and ShapeError unless the input is one example with a
/// name for each token.
InputParts input_parts(const BertEmbeddings& layer, const BertInput& input,
                       const std::vector<std::string>& tokens);

/// A column a token: its name, then for the token, its type and its position the id and the row
/// of the table, a coloured cell a number, and below them the sum.
Picture input_picture(const InputParts& parts);

/// The same as lines of text, a line a token, the numbers rounded to whole ones.
std::string input_table(const InputParts& parts);

}  // namespace bert
