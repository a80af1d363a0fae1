// Where the parameters of a BERT are.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ch14_bert/config.hpp"
#include "ch14_bert/pre_training_bert.hpp"

namespace bert {

struct PartSize {
    std::string part;
    std::size_t parameters;
};

/// Words, positions, token types, attention, feed-forward networks, norms, pooler and the two
/// heads, whose sum is parameter_count().
std::vector<PartSize> sizes_of_parts(const BertConfig& config);

/// The count that the course's documents give for the base model: matrices and norms, without the
/// biases of the linear layers and without pooler and heads.
///
///     (V + P + G) D + 2 D + L (4 D^2 + 2 D F + 4 D)
std::size_t count_without_biases(const BertConfig& config);

}  // namespace bert
