#include "ch12_wordpiece/training_tables.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <string_view>

#include "ch12_wordpiece/byte_pair.hpp"
#include "ch12_wordpiece/greedy_match.hpp"
#include "ch12_wordpiece/plain_trainer.hpp"
#include "ch12_wordpiece/training_words.hpp"
#include "ch12_wordpiece/wordpiece_vocabulary.hpp"

namespace bert {

namespace {

// The characters of the words, and what these merges make of them.
WordPieceVocabulary vocabulary_of(const WordCounts& words, const std::vector<Merge>& merges) {
    std::vector<std::string> tokens = training_words(words, 1000).alphabet;
    for (const Merge& merge : merges)
        tokens.push_back(merged(merge.left, merge.right));
    return WordPieceVocabulary{tokens};
}

std::string pieces_of(std::string_view word, const WordPieceVocabulary& vocabulary) {
    std::string line;
    for (const WordPart& part : greedy_match(word, vocabulary))
        line += (line.empty() ? "" : " ") + vocabulary.token(part.id);
    return line;
}

}  // namespace

WordCounts tiny_corpus() {
    return {{"low", 5}, {"lower", 2}, {"newest", 6}, {"widest", 3}};
}

std::string merges_table(const std::vector<Merge>& merges) {
    std::string table = fmt::format("{:>4}  {:<8}{:<8}{:>3}{:>5}{:>5}{:>5}{:>10}  {}\n", "step",
                                    "a", "b", "n", "n_a", "n_b", "N", "score", "new piece");
    for (std::size_t i = 0; i < merges.size(); ++i) {
        const auto& [left, right, counts, score] = merges[i];
        table += fmt::format("{:>4}  {:<8}{:<8}{:>3}{:>5}{:>5}{:>5}{:>10.4f}  {}\n", i + 1, left,
                             right, counts.pair, counts.left, counts.right, counts.total, score,
                             merged(left, right));
    }
    return table;
}

std::string three_trainers_table(const WordCounts& words, std::size_t steps) {
    const std::vector<Merge> gain = plain_merges(words, steps);
    const std::vector<Merge> ratio = plain_merges(words, steps, MergeScore::ratio);
    const std::vector<BytePairMerge> pairs = byte_pair_merges(words, steps);
    std::string table =
        fmt::format("{:>4}  {:<17}{:<11}{}\n", "step", "likelihood gain", "ratio", "byte pairs");
    for (std::size_t i = 0; i < steps; ++i) {
        const auto made = [i](const std::vector<Merge>& merges) {
            return i < merges.size() ? merged(merges[i].left, merges[i].right) : std::string{"-"};
        };
        table += fmt::format("{:>4}  {:<17}{:<11}{}\n", i + 1, made(gain), made(ratio),
                             i < pairs.size() ? pairs[i].left + pairs[i].right : "-");
    }
    return table;
}

std::string two_encodings_table(const WordCounts& words, std::size_t merges,
                                const std::vector<std::string>& to_encode) {
    const WordPieceVocabulary vocabulary = vocabulary_of(words, plain_merges(words, merges));
    const std::vector<BytePairMerge> pairs = byte_pair_merges(words, merges);
    std::string table = fmt::format("{:<9}{:<21}{}\n", "word", "WordPiece", "byte pairs");
    for (const std::string& word : to_encode) {
        std::string pieces;
        for (const std::string& piece : byte_pair_encode(word, pairs))
            pieces += (pieces.empty() ? "" : " ") + piece;
        table += fmt::format("{:<9}{:<21}{}\n", word, pieces_of(word, vocabulary), pieces);
    }
    return table;
}

}  // namespace bert
