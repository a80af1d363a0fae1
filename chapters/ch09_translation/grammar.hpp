// A corpus of French and English sentences made by a grammar, to learn translation from.
//
// It has what makes translation more than a table of words: agreement (one English "small" is
// petit, petite, petits or petites), another order (noir after its noun, le before its verb), words
// without a partner (ne .. pas, do), and words that a distant word decides ("son" is his, her or
// its by the subject, "grand" is tall of a person and big of a thing). There is one English
// sentence for each French one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bert {

/// Words separated by one blank, UTF-8.
struct SentencePair {
    std::string source;  // French
    std::string target;  // English
    bool operator==(const SentencePair&) const = default;
};

constexpr std::size_t shortest_sentence = 3;  // words, in both languages
constexpr std::size_t longest_sentence = 14;

/// The sentence of the documents, "i am a student", and its French.
SentencePair documents_pair();

/// The documents' pair and then random ones: `count` pairs whose sources all differ, of
/// shortest_sentence to longest_sentence words. The same for the same arguments, everywhere.
/// Throws std::invalid_argument for a count of 0 or above 1 000 000.
std::vector<SentencePair> grammar_pairs(std::size_t count = 40000, std::uint64_t seed = 9);

struct CorpusSplit {
    std::vector<SentencePair> train;
    std::vector<SentencePair> validation;
    std::vector<SentencePair> held_out;
};

/// Splits at random, but pairs with the same target stay together: "ils dorment ici" and "elles
/// dorment ici" are both "they sleep here", and knowing one gives the other away. validation and
/// held_out have the sizes asked for, train has the rest in the order of `pairs`.
/// Throws std::invalid_argument when that leaves no pair to train on, or when the groups do not
/// add up to the sizes.
CorpusSplit split_corpus(const std::vector<SentencePair>& pairs, std::size_t validation = 500,
                         std::size_t held_out = 1000, std::uint64_t seed = 9);

}  // namespace bert
