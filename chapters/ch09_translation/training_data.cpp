#include "ch09_translation/training_data.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "ch09_translation/parallel_text.hpp"
#include "common/cli/program.hpp"
#include "common/io/crc32.hpp"

namespace bert {

namespace {

constexpr const char* without_words = "a sentence without words";

void require_length(const std::string& sentence, std::size_t words, std::size_t max_length) {
    if (words < max_length) return;
    throw ShapeError{fmt::format("sentence \"{}\": too long (found {} words, expected at most {})",
                                 sentence.substr(0, 60), words, max_length - 1)};
}

std::vector<std::string> sentences_of(const CorpusSplit& split, std::string SentencePair::*side) {
    std::vector<std::string> sentences;
    for (const auto* part : {&split.train, &split.validation, &split.held_out}) {
        for (const SentencePair& pair : *part)
            sentences.push_back(pair.*side);
    }
    return sentences;
}

std::string fingerprint_of(const CorpusSplit& split) {
    std::uint32_t sum = 0;
    std::size_t count = 0;
    for (const auto* part : {&split.train, &split.validation, &split.held_out}) {
        for (const SentencePair& pair : *part) {
            sum = crc32(sum, pair.source + "\t" + pair.target + "\n");
            ++count;
        }
    }
    return fmt::format("{} pairs, {:08x}", count, sum);
}

PairIds ids_of(const TrainingData& data, const SentencePair& pair, std::size_t max_length) {
    TokenIds target = data.target.ids(words_of(pair.target));
    if (target.empty()) throw UsageError{without_words};
    require_length(pair.target, target.size(), max_length);
    return {source_ids(data.source, pair.source, max_length), target};
}

}  // namespace

TrainingData prepare(const CorpusSplit& split, std::size_t max_length) {
    if (split.train.empty()) throw std::invalid_argument{"prepare: no sentences to train on"};
    TrainingData data{Vocabulary::of_sentences(sentences_of(split, &SentencePair::source)),
                      Vocabulary::of_sentences(sentences_of(split, &SentencePair::target)),
                      {},
                      split.held_out,
                      fingerprint_of(split)};
    for (const SentencePair& pair : split.train)
        data.train.push_back(ids_of(data, pair, max_length));
    // What cannot be translated later is refused now, not after the training.
    for (const auto* part : {&split.validation, &split.held_out}) {
        for (const SentencePair& pair : *part)
            ids_of(data, pair, max_length);
    }
    return data;
}

TokenIds source_ids(const Vocabulary& vocabulary, const std::string& sentence,
                    std::size_t max_length) {
    const std::vector<std::string> words = words_of(sentence);
    if (words.empty()) throw UsageError{without_words};
    require_length(sentence, words.size(), max_length);
    TokenIds ids = vocabulary.ids(words);
    ids.push_back(end_id);
    return ids;
}

std::string text_of(const Vocabulary& vocabulary, const TokenIds& tokens) {
    std::string text;
    for (const std::string& word : vocabulary.words(tokens))
        text += (text.empty() ? "" : " ") + word;
    return text;
}

}  // namespace bert
