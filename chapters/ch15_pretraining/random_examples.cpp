#include "ch15_pretraining/random_examples.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

namespace bert {

namespace {

// In the place of [PAD], [UNK], [CLS], [SEP] and [MASK] of most vocabularies made here.
constexpr TokenId cls = 2;
constexpr TokenId sep = 3;
constexpr TokenId mask = 4;
constexpr std::uint64_t first_ordinary = 5;

PretrainingExample random_example(Random& random, std::size_t length, std::size_t predictions,
                                  std::size_t vocab_size) {
    PretrainingExample example;
    example.first_length = length / 2;
    for (std::size_t t = 0; t < length; ++t)
        example.tokens.push_back(
            static_cast<TokenId>(first_ordinary + random.below(vocab_size - first_ordinary)));
    example.tokens.front() = cls;
    example.tokens[example.first_length - 1] = sep;
    example.tokens.back() = sep;
    std::vector<std::uint32_t> places;
    for (std::uint32_t t = 0; t < length; ++t)
        if (example.tokens[t] >= static_cast<TokenId>(first_ordinary)) places.push_back(t);
    random.shuffle(std::span{places});
    places.resize(predictions);
    std::sort(places.begin(), places.end());
    example.positions = places;
    example.replacements.assign(predictions, mask);
    return example;
}

}  // namespace

std::vector<PretrainingExample> random_examples(Random& random, std::size_t count,
                                                std::size_t length, std::size_t predictions,
                                                std::size_t vocab_size) {
    if (length < 5 || predictions + 3 > length || vocab_size <= first_ordinary)
        throw std::invalid_argument{
            "random_examples: at least 5 tokens, 3 of them not chosen, of a vocabulary of 6"};
    std::vector<PretrainingExample> examples;
    while (examples.size() < count) {
        examples.push_back(random_example(random, length, predictions, vocab_size));
        examples.back().is_random_next = examples.size() % 2 == 0;
    }
    return examples;
}

}  // namespace bert
