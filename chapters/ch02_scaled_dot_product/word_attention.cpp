#include "ch02_scaled_dot_product/word_attention.hpp"

#include <cmath>
#include <sstream>
#include <stdexcept>

#include "common/random/random.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/matmul.hpp"

namespace bert {

namespace {

constexpr std::size_t embedding_width = 8;
constexpr std::size_t head_width = 4;

// FNV-1a: a number for a word, the same on every platform.
std::uint64_t number_of(const std::string& word) {
    std::uint64_t hash = 14695981039346656037U;
    for (const char byte : word) {
        hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211U;
    }
    return hash;
}

// (T, 8): row t from the stream of random numbers that belongs to word t.
Tensor embed(const std::vector<std::string>& words, std::uint64_t seed) {
    std::vector<Tensor> rows;
    for (const std::string& word : words) {
        Random random{seed, number_of(word)};
        rows.push_back(normal(random, {1, embedding_width}, 0.0, 1.0));
    }
    return concat(rows, 0);
}

}  // namespace

// [words]
WordAttention attend_to_words(const std::vector<std::string>& words, std::uint64_t seed) {
    if (words.empty()) throw std::invalid_argument{"attend_to_words: no words"};
    const Shape shape{embedding_width, head_width};
    const double stddev = 1.0 / std::sqrt(static_cast<double>(embedding_width));
    Random random{seed};
    const Tensor x = embed(words, seed);                                 // (T, 8)
    const Tensor query = matmul(x, normal(random, shape, 0.0, stddev));  // (T, 4)
    const Tensor key = matmul(x, normal(random, shape, 0.0, stddev));    // (T, 4)
    const Tensor value = matmul(x, normal(random, shape, 0.0, stddev));  // (T, 4)
    return {words, attention_scores(query, key), attention(query, key, value)};
}
// [words]

std::vector<std::string> split_words(const std::string& sentence) {
    std::istringstream stream{sentence};
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    return words;
}

ThinkingMachines thinking_machines() {
    ThinkingMachines example{Tensor(Shape{2, 64}), Tensor(Shape{2, 64}),
                             Tensor{{1, 0, 2}, {0, 3, 1}}};
    for (std::size_t i = 0; i < 64; ++i) {
        example.query(0, i) = 1;
        example.query(1, i) = i < 32 ? 2 : -1;
        example.key(0, i) = Real{1.75};  // 64 * 1.75 = 112
        example.key(1, i) = Real{1.5};   // 64 * 1.5 = 96
    }
    return example;
}

}  // namespace bert
