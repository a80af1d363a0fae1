// The numbers of this chapter's examples.
#pragma once

#include <string>
#include <vector>

#include "ch04_multi_head/multi_head.hpp"

namespace bert {

/// Three positions of width 2: (1, 3, 2).
Tensor by_hand_input();

/// Two heads of width 1 for them, without biases. In the papers' orientation:
///
///     W_Q = [1 0]    W_K = [ln 2    0]    W_V = [5 0]    W_O = [1  2]
///           [0 1]          [   0 ln 3]          [0 7]          [1 -1]
MultiHeadAttention by_hand_layer();

inline constexpr std::size_t sentence_width = 24;

/// "the cat sat on a mat" under the causal mask, with vectors and weights that nobody has trained.
struct SentenceExample {
    std::vector<std::string> words;
    Tensor x;     // (1, 6, 24)
    Tensor mask;  // (6, 6)
    MultiHeadAttention layer;
};

/// The same numbers for every number of heads. Throws ShapeError unless it divides 24.
SentenceExample sentence_example(std::size_t num_heads);

}  // namespace bert
