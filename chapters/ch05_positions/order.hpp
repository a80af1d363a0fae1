// What attention knows about order: nothing, until positions are added to its input.
//
//     without positions   attention(P x) = P attention(x)      for every reordering P of the rows
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/tensor/tensor.hpp"

namespace bert {

/// Something that maps a sequence (T, D) to a sequence (T, E).
using SequenceLayer = std::function<Tensor(const Tensor&)>;

/// Row t of the result is row order[t] of x (T, D). Throws ShapeError unless x has rank 2 and order
/// T entries, std::invalid_argument unless each of 0 to T-1 is there once.
Tensor permute_rows(const Tensor& x, const std::vector<std::size_t>& order);

/// Largest |layer(P x) - P layer(x)|, P the reordering: zero, to rounding, when the order of the
/// input changes nothing but the order of the output. Throws as permute_rows and the layer do.
double order_sensitivity(const SequenceLayer& layer, const Tensor& x,
                         const std::vector<std::size_t>& order);

/// x (T, D) attends to itself: queries, keys and values are x. Throws as attention does.
Tensor attend_without_positions(const Tensor& x);

/// The same with x + sinusoidal_positions(T, D). Throws also ShapeError unless x has rank 2 and an
/// even width.
Tensor attend_with_positions(const Tensor& x);

/// The three inputs of chapter 1 as the vectors of "dog", "bites" and "man": (T, 4), one row for
/// each word. Throws std::invalid_argument for another word.
Tensor vectors_of(const std::vector<std::string>& words);

}  // namespace bert
