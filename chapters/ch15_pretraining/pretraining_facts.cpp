#include "ch15_pretraining/pretraining_facts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "ch12_wordpiece/wordpiece_vocabulary.hpp"
#include "common/io/file_error.hpp"
#include "common/io/strict_json.hpp"

namespace bert {

namespace {

template <typename Number>
void require(bool fits, std::string_view name, Number found, std::string_view expected) {
    if (fits) return;
    throw std::invalid_argument{fmt::format("{} (found {}, expected {})", name, found, expected)};
}

bool is_sum(std::string_view text) {
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    return text.size() == 64 && std::all_of(text.begin(), text.end(), is_digit);
}

std::size_t count_at(const JsonValue& json, std::string_view key) {
    return json.at(key).to_unsigned();
}

PretrainingFacts facts_of(const JsonValue& json) {
    PretrainingFacts facts;
    facts.vocabulary_sha256 = json.at("vocabulary_sha256").to_string();
    facts.vocab_size = count_at(json, "vocab_size");
    for (const JsonValue& sum : json.at("corpus_sha256").items())
        facts.corpus_sha256.push_back(sum.to_string());
    facts.max_length = count_at(json, "max_length");
    facts.duplicates = count_at(json, "duplicates");
    facts.short_seq_prob = json.at("short_seq_prob").to_double();
    facts.masking.mask_prob = json.at("mask_prob").to_double();
    facts.masking.max_predictions = count_at(json, "max_predictions");
    facts.masking.whole_words = json.at("whole_words").to_bool();
    facts.dynamic_masking = json.at("dynamic_masking").to_bool();
    facts.seed = json.at("seed").to_unsigned();
    facts.sentences = json.at("sentences").to_unsigned();
    facts.documents = json.at("documents").to_unsigned();
    return facts;
}

}  // namespace

void require_facts(const PretrainingFacts& facts) {
    require_masking_options(facts.masking);
    require(is_sum(facts.vocabulary_sha256), "SHA-256 of the vocabulary",
            shown(facts.vocabulary_sha256), "64 hexadecimal digits");
    for (const std::string& sum : facts.corpus_sha256)
        require(is_sum(sum), "SHA-256 of the corpus", shown(sum), "64 hexadecimal digits");
    require(facts.vocab_size >= 1 && facts.vocab_size <= most_tokens, "size of the vocabulary",
            facts.vocab_size, fmt::format("1 to {}", most_tokens));
    require(facts.max_length >= least_example_length && facts.max_length <= most_example_length,
            "greatest length", facts.max_length,
            fmt::format("{} to {}", least_example_length, most_example_length));
    require(facts.duplicates >= 1 && facts.duplicates <= most_duplicates, "duplicates",
            facts.duplicates, fmt::format("1 to {}", most_duplicates));
    require(facts.short_seq_prob >= 0.0 && facts.short_seq_prob <= 1.0, "share of short examples",
            facts.short_seq_prob, "0 to 1");
}

std::string facts_json(const PretrainingFacts& facts) {
    std::string sums;
    for (const std::string& sum : facts.corpus_sha256)
        sums += fmt::format("{}\"{}\"", sums.empty() ? "" : ",", sum);
    return fmt::format(
        R"({{"vocabulary_sha256":"{}","vocab_size":{},"corpus_sha256":[{}],"max_length":{},)"
        R"("duplicates":{},"short_seq_prob":{},"mask_prob":{},"max_predictions":{},)"
        R"("whole_words":{},"dynamic_masking":{},"seed":{},"sentences":{},"documents":{}}})",
        facts.vocabulary_sha256, facts.vocab_size, sums, facts.max_length, facts.duplicates,
        facts.short_seq_prob, facts.masking.mask_prob, facts.masking.max_predictions,
        facts.masking.whole_words, facts.dynamic_masking, facts.seed, facts.sentences,
        facts.documents);
}

PretrainingFacts parse_facts(const std::string& path, std::string_view json) {
    const PretrainingFacts facts = facts_of(parse_json(path, json));
    try {
        require_facts(facts);
    } catch (const std::invalid_argument& e) {
        throw FileError{path + ": facts: " + e.what()};
    }
    return facts;
}

}  // namespace bert
