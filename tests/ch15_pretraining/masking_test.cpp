#include "ch15_pretraining/masking.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "tests/support/catch.hpp"

using namespace bert;

namespace {

// 5 special tokens, `words` words, `pieces` ##pieces.
MaskingVocabulary some_vocabulary(std::size_t words = 90, std::size_t pieces = 10) {
    MaskingVocabulary vocabulary;
    vocabulary.mask = 4;
    for (std::size_t id = 0; id < 5 + words + pieces; ++id) {
        vocabulary.is_special.push_back(id < 5);
        vocabulary.is_continuation.push_back(id >= 5 + words);
        if (id >= 5) vocabulary.ordinary.push_back(static_cast<TokenId>(id));
    }
    return vocabulary;
}

// [CLS] A [SEP] B [SEP] of ordinary tokens.
PretrainingExample some_example(Random& random, std::size_t length,
                                const MaskingVocabulary& vocabulary) {
    PretrainingExample example;
    example.first_length = 2 + (length - 3) / 2;
    for (std::size_t t = 0; t < length; ++t)
        example.tokens.push_back(vocabulary.ordinary[random.below(vocabulary.ordinary.size())]);
    example.tokens.front() = 2;
    example.tokens[example.first_length - 1] = 3;
    example.tokens.back() = 3;
    return example;
}

// Whether `count` of `all` is as likely as `share` says: within 5 standard deviations, which chance
// alone leaves in 1 of 1.7 million cases.
bool is_share(std::size_t count, std::size_t all, double share) {
    const double n = static_cast<double>(all);
    return std::abs(static_cast<double>(count) - n * share) <=
           5.0 * std::sqrt(n * share * (1 - share));
}

}  // namespace

TEST_CASE("N36: 15 % are chosen and of those 80 10 and 10 % masked random and kept", "[ch15]") {
    const MaskingVocabulary vocabulary = some_vocabulary();
    const MaskingOptions options{.mask_prob = 0.15, .max_predictions = 20};
    Random random{36};
    std::size_t tokens = 0;
    std::size_t chosen = 0;
    std::size_t masked = 0;
    std::size_t other = 0;
    std::size_t same = 0;
    double expected = 0.0;
    std::vector<std::size_t> chosen_at(128);
    std::vector<std::size_t> random_tokens(vocabulary.is_special.size());
    while (tokens < 4'000'000) {
        const std::size_t length = 20 + random.below(109);
        PretrainingExample example = some_example(random, length, vocabulary);
        choose_predictions(example, vocabulary, options, random);
        REQUIRE(example.positions.size() == example.replacements.size());
        tokens += length;
        chosen += example.positions.size();
        expected += std::round(0.15 * static_cast<double>(length));
        for (std::size_t i = 0; i < example.positions.size(); ++i) {
            const TokenId token = example.tokens[example.positions[i]];
            REQUIRE(token >= 5);  // no special token is ever chosen
            const TokenId replacement = example.replacements[i];
            const bool is_mask = replacement == vocabulary.mask;
            REQUIRE((is_mask || replacement >= 5));  // nor stands in for one
            masked += is_mask ? 1 : 0;
            same += replacement == token ? 1 : 0;
            other += !is_mask && replacement != token ? 1 : 0;
            if (!is_mask && replacement != token)
                ++random_tokens[static_cast<std::size_t>(replacement)];
            if (length == 128) ++chosen_at[example.positions[i]];
        }
    }
    CHECK(static_cast<double>(chosen) == expected);
    // Rounding 0.15 n for n from 20 to 128 leaves 0.1503; the share moves with the lengths drawn.
    CHECK_THAT(static_cast<double>(chosen) / static_cast<double>(tokens), WithinAbs(0.15, 5e-4));
    // One random token of 100 is the one that stood there.
    CHECK(is_share(masked, chosen, 0.8));
    CHECK(is_share(other, chosen, 0.1 * 99 / 100));
    CHECK(is_share(same, chosen, 0.1 + 0.1 / 100));
    // Two draws of 10 % each, 81/10/9, would be seen.
    CHECK_FALSE(is_share(masked, chosen, 0.81));
    CHECK_FALSE(is_share(same, chosen, 0.09 + 0.1 / 100));
    for (const TokenId id : vocabulary.ordinary)
        CHECK(is_share(random_tokens[static_cast<std::size_t>(id)], other, 1.0 / 100));
    // Every place is as likely: 1 in 125 of the places of whole examples, but for [CLS] and [SEP].
    std::size_t at_all = 0;
    for (const std::size_t count : chosen_at)
        at_all += count;
    CHECK(std::count(chosen_at.begin(), chosen_at.end(), std::size_t{0}) == 3);
    for (const std::size_t count : chosen_at)
        CHECK((count == 0 || is_share(count, at_all, 1.0 / 125)));
}

TEST_CASE("prediction_count: 15 % rounded but at least one and at most max_predictions", "[ch15]") {
    const MaskingOptions options{.mask_prob = 0.15, .max_predictions = 20};
    CHECK(prediction_count(5, options) == 1);     // 0.75
    CHECK(prediction_count(2, options) == 1);     // 0.3
    CHECK(prediction_count(128, options) == 19);  // 19.2
    CHECK(prediction_count(130, options) == 20);  // 19.5
    CHECK(prediction_count(512, options) == 20);  // 76.8
    CHECK(prediction_count(512, {.mask_prob = 0.15, .max_predictions = 80}) == 77);
}

TEST_CASE("choose_predictions: positions ascend and are replaced by a second call", "[ch15]") {
    const MaskingVocabulary vocabulary = some_vocabulary();
    Random random{1};
    PretrainingExample example = some_example(random, 40, vocabulary);
    const std::vector<TokenId> text = example.tokens;
    choose_predictions(example, vocabulary, {}, random);
    const PretrainingExample first = example;
    CHECK(first.positions.size() == 6);
    CHECK(std::set<std::uint32_t>(first.positions.begin(), first.positions.end()).size() == 6);
    CHECK(std::is_sorted(first.positions.begin(), first.positions.end()));
    choose_predictions(example, vocabulary, {}, random);
    CHECK(example.positions.size() == 6);
    CHECK(example.positions != first.positions);
    CHECK(example.tokens == text);
    Random again{1};
    PretrainingExample equal = some_example(again, 40, vocabulary);
    choose_predictions(equal, vocabulary, {}, again);
    CHECK(equal == first);
}

TEST_CASE("choose_predictions: whole words are chosen whole or not at all", "[ch15]") {
    const MaskingVocabulary vocabulary = some_vocabulary(60, 40);
    const MaskingOptions options{.mask_prob = 0.15, .max_predictions = 20, .whole_words = true};
    Random random{2};
    std::size_t chosen = 0;
    std::size_t wanted = 0;
    for (int round = 0; round < 2000; ++round) {
        PretrainingExample example = some_example(random, 60, vocabulary);
        choose_predictions(example, vocabulary, options, random);
        const std::set<std::uint32_t> places(example.positions.begin(), example.positions.end());
        for (std::uint32_t t = 1; t + 1 < 60; ++t) {
            const auto id = static_cast<std::size_t>(example.tokens[t]);
            const auto before = static_cast<std::size_t>(example.tokens[t - 1]);
            // A piece goes with the token before it, unless that is [CLS] or [SEP].
            if (vocabulary.is_continuation[id] && !vocabulary.is_special[before])
                REQUIRE(places.count(t) == places.count(t - 1));
        }
        REQUIRE(places.size() <= 9);
        chosen += places.size();
        wanted += 9;
    }
    CHECK(chosen > wanted * 99 / 100);  // a shorter word nearly always fills the rest
}

TEST_CASE("choose_predictions: a word that does not fit is skipped for one that does", "[ch15]") {
    const MaskingVocabulary vocabulary = some_vocabulary();
    Random random{3};
    // One word of three pieces and one of one; a single prediction.
    PretrainingExample example;
    example.tokens = {2, 5, 95, 96, 3, 6, 3};
    for (int round = 0; round < 50; ++round) {
        PretrainingExample changed = example;
        choose_predictions(changed, vocabulary,
                           {.mask_prob = 0.15, .max_predictions = 1, .whole_words = true}, random);
        CHECK(changed.positions == std::vector<std::uint32_t>{5});
    }
    PretrainingExample none;
    none.tokens = {2, 5, 95, 96, 3, 6, 95, 3};
    choose_predictions(none, vocabulary,
                       {.mask_prob = 0.15, .max_predictions = 1, .whole_words = true}, random);
    CHECK(none.positions.empty());
}

TEST_CASE("choose_predictions: refuses options and tokens out of range", "[ch15]") {
    const MaskingVocabulary vocabulary = some_vocabulary();
    Random random{4};
    PretrainingExample example = some_example(random, 10, vocabulary);
    for (const double share : {0.0, 1.0, -0.1, std::nan("")})
        CHECK_THROWS_WITH(choose_predictions(example, vocabulary, {.mask_prob = share}, random),
                          ContainsSubstring("above 0, below 1"));
    CHECK_THROWS_WITH(choose_predictions(example, vocabulary, {.max_predictions = 0}, random),
                      ContainsSubstring("found 0, expected at least 1"));
    for (const TokenId id : {-1, 105}) {
        example.tokens[1] = id;
        CHECK_THROWS_AS(choose_predictions(example, vocabulary, {}, random), std::invalid_argument);
    }
}

TEST_CASE("masking_vocabulary: knows special tokens and pieces", "[ch15]") {
    const Tokenizer tokenizer{
        WordPieceVocabulary{{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "##s"}}};
    const MaskingVocabulary vocabulary = masking_vocabulary(tokenizer);
    CHECK(vocabulary.mask == 4);
    CHECK(vocabulary.is_special == std::vector<bool>{true, true, true, true, true, false, false});
    CHECK(vocabulary.is_continuation ==
          std::vector<bool>{false, false, false, false, false, false, true});
    CHECK(vocabulary.ordinary == std::vector<TokenId>{5, 6});
    const Tokenizer bare{WordPieceVocabulary{{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}}};
    CHECK_THROWS_AS(masking_vocabulary(bare), std::invalid_argument);
}
