// Attention of the words of a sentence over each other, with vectors that nobody has trained yet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ch02_scaled_dot_product/attention.hpp"

namespace bert {

struct WordAttention {
    std::vector<std::string> words;
    Tensor scores;        // (T, T)
    Attention attention;  // weights (T, T), output (T, 4)
};

/// Gives each word a random vector of width 8 (the same word the same vector), projects it with
/// three random matrices (8, 4) to query, key and value, and attends. The map shows the mechanism;
/// what it says about the words is chance until something is trained.
/// Throws std::invalid_argument for no words.
WordAttention attend_to_words(const std::vector<std::string>& words, std::uint64_t seed);

/// The words between blanks.
std::vector<std::string> split_words(const std::string& sentence);

/// "Thinking Machines": two queries and keys of width 64 whose scores with "Thinking" are 112 and
/// 96 before the division by 8, and values of width 3.
struct ThinkingMachines {
    Tensor query;  // (2, 64)
    Tensor key;    // (2, 64)
    Tensor value;  // (2, 3)
};
ThinkingMachines thinking_machines();

}  // namespace bert
