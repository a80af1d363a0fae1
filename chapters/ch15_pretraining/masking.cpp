#include "ch15_pretraining/masking.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>

namespace bert {

namespace {

/// Positions of an example that are chosen together: [begin, end).
struct Unit {
    std::uint32_t begin;
    std::uint32_t end;
};

// Every token by itself, or the words: a piece that begins one and the ##pieces behind it.
std::vector<Unit> units_of(const std::vector<TokenId>& tokens, const MaskingVocabulary& vocabulary,
                           bool whole_words) {
    std::vector<Unit> units;
    // [units]
    for (std::size_t t = 0; t < tokens.size(); ++t) {
        const auto id = static_cast<std::size_t>(tokens[t]);
        if (vocabulary.is_special[id]) continue;
        const auto place = static_cast<std::uint32_t>(t);
        const bool continues = whole_words && vocabulary.is_continuation[id] && !units.empty() &&
                               units.back().end == place;
        if (continues)
            ++units.back().end;
        else
            units.push_back({place, place + 1});
    }
    // [units]
    return units;
}

void require_ids(const std::vector<TokenId>& tokens, const MaskingVocabulary& vocabulary) {
    for (const TokenId id : tokens) {
        if (id >= 0 && static_cast<std::size_t>(id) < vocabulary.is_special.size()) continue;
        throw std::invalid_argument{
            fmt::format("choose_predictions: token (found {}, expected 0 "
                        "to {})",
                        id, vocabulary.is_special.size() - 1)};
    }
}

// [replacement]
TokenId replacement_of(TokenId token, const MaskingVocabulary& vocabulary, Random& random) {
    // EXERCISE BEGIN 15-mask-80-10-10
    // STEP draw      one number of ten, each equally likely
    const std::uint64_t draw = random.below(10);
    // STEP mask      eight of the ten
    if (draw < 8) return vocabulary.mask;
    // STEP random    one of them: any ordinary token
    if (draw == 8) return vocabulary.ordinary[random.below(vocabulary.ordinary.size())];
    // STEP keep      the last one
    return token;
    // STUB: return random.below(10) < 8 ? vocabulary.mask : token;
    // EXERCISE END
}
// [replacement]

}  // namespace

void require_masking_options(const MaskingOptions& options) {
    if (!(options.mask_prob > 0.0 && options.mask_prob < 1.0)) {
        throw std::invalid_argument{fmt::format(
            "share of tokens to guess (found {}, expected above 0, below 1)", options.mask_prob)};
    }
    if (options.max_predictions == 0)
        throw std::invalid_argument{"tokens to guess at most (found 0, expected at least 1)"};
}

std::size_t prediction_count(std::size_t tokens, const MaskingOptions& options) {
    const double share = std::round(options.mask_prob * static_cast<double>(tokens));
    return std::clamp(static_cast<std::size_t>(share), std::size_t{1}, options.max_predictions);
}

MaskingVocabulary masking_vocabulary(const Tokenizer& tokenizer) {
    MaskingVocabulary vocabulary;
    vocabulary.mask = tokenizer.special().mask;
    for (const std::string& token : tokenizer.vocabulary().tokens()) {
        const auto id = static_cast<TokenId>(vocabulary.is_special.size());
        vocabulary.is_special.push_back(tokenizer.is_special(id));
        vocabulary.is_continuation.push_back(token.starts_with(continuation_mark));
        if (!tokenizer.is_special(id)) vocabulary.ordinary.push_back(id);
    }
    if (vocabulary.ordinary.empty()) {
        throw std::invalid_argument{
            fmt::format("masking_vocabulary: ordinary tokens (found 0 of {}, expected at least 1)",
                        vocabulary.is_special.size())};
    }
    return vocabulary;
}

void choose_predictions(PretrainingExample& example, const MaskingVocabulary& vocabulary,
                        const MaskingOptions& options, Random& random) {
    require_masking_options(options);
    require_ids(example.tokens, vocabulary);
    // [choose]
    const std::size_t count = prediction_count(example.tokens.size(), options);
    std::vector<Unit> units = units_of(example.tokens, vocabulary, options.whole_words);
    random.shuffle(std::span{units});
    example.positions.clear();
    for (const Unit& unit : units) {
        if (example.positions.size() + unit.end - unit.begin > count) continue;
        for (std::uint32_t position = unit.begin; position < unit.end; ++position)
            example.positions.push_back(position);
    }
    std::sort(example.positions.begin(), example.positions.end());
    example.replacements.clear();
    for (const std::uint32_t position : example.positions)
        example.replacements.push_back(
            replacement_of(example.tokens[position], vocabulary, random));
    // [choose]
}

}  // namespace bert
