#include "ch09_translation/decoding.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ch03_masks/masks.hpp"
#include "ch06_learning/cross_entropy.hpp"
#include "common/random/random.hpp"
#include "common/tensor/layout.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

namespace {

constexpr std::size_t max_length = 10;

// Without training, but with opinions: the generator's weights are drawn wide.
Transformer random_model(std::uint64_t seed, std::size_t target_words = 9) {
    Random random{seed};
    Transformer model = random_transformer(random, {8, target_words, max_length, {1, 12, 2, 16}});
    model.generator.linear.weight = normal(random, {target_words, 12}, 0.0, 0.7);
    return model;
}

TokenIds random_source(std::uint64_t seed) {
    Random random{seed, 1};
    TokenIds source(1 + random.below(6));
    std::generate(source.begin(), source.end(),
                  [&] { return 3 + static_cast<std::int64_t>(random.below(5)); });
    source.push_back(end_id);
    return source;
}

// The model never says this token.
void forbid(Transformer& model, std::int64_t token) {
    model.generator.linear.bias(static_cast<std::size_t>(token)) = Real{-60};
}

// log p of a sentence by teacher forcing, with the end or without.
double log_probability(const Transformer& model, const TokenIds& source, const TokenIds& tokens,
                       bool ended) {
    TokenIds input{start_id};
    input.insert(input.end(), tokens.begin(), tokens.end());
    TokenIds labels = tokens;
    if (ended) labels.push_back(end_id);
    const Tensor log_p = log_softmax(model.logits(pad_sentences({source}), pad_sentences({input})));
    double sum = 0.0;
    for (std::size_t t = 0; t < labels.size(); ++t)
        sum += static_cast<double>(log_p(0, t, static_cast<std::size_t>(labels[t])));
    return sum;
}

// Every sentence of at most `most` tokens that are not the end.
std::vector<TokenIds> all_sentences(std::int64_t words, std::size_t most) {
    std::vector<TokenIds> all{{}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].size() == most) continue;
        for (std::int64_t token = 0; token < words; ++token) {
            if (token == end_id) continue;
            all.push_back(all[i]);
            all.back().push_back(token);
        }
    }
    return all;
}

}  // namespace

TEST_CASE("greedy: each word is the most probable one after those before it", "[ch09]") {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const Transformer model = random_model(seed);
        const TokenIds source = random_source(seed);
        const Translation found = greedy(model, {source}, 7).at(0);
        TokenIds input{start_id};
        input.insert(input.end(), found.tokens.begin(), found.tokens.end());
        const Tensor logits = model.logits(pad_sentences({source}), pad_sentences({input}));
        for (std::size_t t = 0; t < found.tokens.size() + (found.ended ? 1 : 0); ++t) {
            const auto row = slice(slice(logits, 0, 0, 1), 1, t, t + 1);
            const auto best = std::max_element(row.data(), row.data() + row.size()) - row.data();
            CHECK(best == (t < found.tokens.size() ? found.tokens[t] : end_id));
        }
        CHECK((found.ended || found.tokens.size() == 7));
    }
}

TEST_CASE("greedy and beam_search: the probability is that of teacher forcing", "[ch09]") {
    double largest = 0.0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Transformer model = random_model(seed);
        const TokenIds source = random_source(seed);
        for (const Translation& found :
             {greedy(model, {source}, 7).at(0), beam_search(model, source, {3, 7, 0.6})}) {
            const double expected = log_probability(model, source, found.tokens, found.ended);
            largest = std::max(largest, std::abs(found.log_probability - expected));
        }
    }
    std::cout << "log probability: largest error " << largest << "\n";
    CHECK(largest <= by_precision(4e-6, 1e-14));  // room for other orders of sums; seen: 0
}

TEST_CASE("greedy: a sentence is translated in a batch as alone", "[ch09]") {
    Transformer model = random_model(31);
    model.generator.linear.bias(static_cast<std::size_t>(end_id)) = static_cast<Real>(-0.7);
    std::vector<TokenIds> sources;
    for (std::uint64_t seed = 0; seed < 131; ++seed)  // three batches
        sources.push_back(random_source(seed));
    const std::vector<Translation> together = greedy(model, sources, 7);
    REQUIRE(together.size() == sources.size());
    double largest = 0.0;
    std::size_t ended = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const Translation alone = greedy(model, {sources[i]}, 7).at(0);
        CHECK(together[i].tokens == alone.tokens);
        CHECK(together[i].ended == alone.ended);
        ended += alone.ended ? 1 : 0;
        largest = std::max(largest, std::abs(together[i].log_probability - alone.log_probability));
    }
    CHECK(ended > 0);
    CHECK(ended < sources.size());
    std::cout << "log probability: largest error " << largest << "\n";
    CHECK(largest <= by_precision(4e-6, 1e-14));  // room for other orders of sums; seen: 0
    CHECK(greedy(model, {}, 7).empty());
}

TEST_CASE("greedy: a translation of as many words as allowed still ends", "[ch09]") {
    std::size_t tried = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const Transformer model = random_model(seed);
        const TokenIds source = random_source(seed);
        const Translation whole = greedy(model, {source}, 9).at(0);
        const std::size_t words = whole.tokens.size();
        if (!whole.ended || words < 2) continue;
        ++tried;
        const Translation exact = greedy(model, {source}, words).at(0);
        CHECK(exact.ended);
        CHECK(exact.tokens == whole.tokens);
        CHECK(exact.log_probability == whole.log_probability);
        const Translation cut = greedy(model, {source}, words - 1).at(0);
        CHECK_FALSE(cut.ended);
        CHECK(cut.tokens == TokenIds(whole.tokens.begin(), whole.tokens.end() - 1));
        CHECK(cut.log_probability > whole.log_probability);
    }
    CHECK(tried >= 10);
}

TEST_CASE("greedy and beam_search: a sentence without an end is cut off", "[ch09]") {
    Transformer model = random_model(5);
    forbid(model, end_id);
    for (const std::size_t most : {1U, 2U, 9U}) {
        const Translation by_greed = greedy(model, {random_source(5)}, most).at(0);
        const Translation by_beam = beam_search(model, random_source(5), {4, most, 0.6});
        for (const Translation& found : {by_greed, by_beam}) {
            CHECK_FALSE(found.ended);
            CHECK(found.tokens.size() == most);
        }
        CHECK(by_beam.log_probability >= by_greed.log_probability - 1e-6);
    }
}

TEST_CASE("greedy and beam_search: an end at once is a translation without words", "[ch09]") {
    Transformer model = random_model(6);
    model.generator.linear.bias(static_cast<std::size_t>(end_id)) = Real{60};
    for (const Translation& found : {greedy(model, {random_source(6)}, 7).at(0),
                                     beam_search(model, random_source(6), {4, 7, 0.6})}) {
        CHECK(found.ended);
        CHECK(found.tokens.empty());
        CHECK_THAT(found.log_probability, WithinAbs(0.0, 1e-6));
    }
}

TEST_CASE("beam_search: a beam of one is greedy", "[ch09]") {
    std::size_t ended = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const Transformer model = random_model(seed);
        const TokenIds source = random_source(seed);
        const Translation one =
            beam_search(model, source, {1, 6, 0.5 * static_cast<double>(seed % 3)});
        const Translation expected = greedy(model, {source}, 6).at(0);
        CHECK(one.tokens == expected.tokens);
        CHECK(one.ended == expected.ended);
        CHECK(one.log_probability == expected.log_probability);
        ended += one.ended ? 1 : 0;
    }
    CHECK(ended > 10);
    CHECK(ended < 50);
}

TEST_CASE("beam_search: a beam of everything finds the best of all sentences", "[ch09]") {
    constexpr std::int64_t words = 6;  // three of them special
    const std::vector<TokenIds> all = all_sentences(words, 3);
    double largest = 0.0;
    REQUIRE(all.size() == 1 + 5 + 25 + 125);
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const Transformer model = random_model(seed, words);
        const TokenIds source = random_source(seed);
        std::vector<double> log_p;
        for (const TokenIds& tokens : all)
            log_p.push_back(log_probability(model, source, tokens, true));
        for (const double penalty : {0.0, 0.6, 1.0, 3.0}) {
            std::vector<double> scores;
            for (std::size_t i = 0; i < all.size(); ++i)  // the end counts
                scores.push_back(
                    log_p[i] / std::pow((6.0 + static_cast<double>(all[i].size())) / 6.0, penalty));
            const auto best = static_cast<std::size_t>(
                std::max_element(scores.begin(), scores.end()) - scores.begin());
            const Translation found = beam_search(model, source, {1000, 3, penalty});
            INFO("seed " << seed << ", penalty " << penalty);
            CHECK(found.ended);
            CHECK(found.tokens == all[best]);
            largest = std::max(largest, std::abs(found.log_probability - log_p[best]));
        }
    }
    std::cout << "log probability of the best: largest error " << largest << "\n";
    CHECK(largest <= by_precision(2e-6, 4e-15));  // room for other orders of sums; seen: 0
}

TEST_CASE("beam_search: a narrow beam goes on with as many sentences as it has", "[ch09]") {
    // The same search in the plainest form: no cache, every continuation of every sentence anew.
    const auto plainly = [](const Transformer& model, const TokenIds& source,
                            std::size_t beam_size) {
        std::vector<TokenIds> beam{{}};
        std::vector<std::pair<double, TokenIds>> ended;
        for (std::size_t t = 0; t <= 5 && ended.size() < beam_size && !beam.empty(); ++t) {
            std::vector<std::pair<double, TokenIds>> all;
            for (const TokenIds& tokens : beam) {
                for (std::int64_t token = 0; token < 6; ++token) {
                    TokenIds next = tokens;
                    next.push_back(token);
                    all.emplace_back(log_probability(model, source, next, false), next);
                }
            }
            std::sort(all.rbegin(), all.rend());
            const TokenIds first = beam.front();
            beam.clear();
            for (std::size_t rank = 0; rank < all.size(); ++rank) {
                const bool ends = all[rank].second.back() == end_id;
                if (ends && rank < beam_size) {  // a score, for sentences of any length
                    const double length = static_cast<double>(all[rank].second.size());
                    ended.push_back(all[rank]);
                    ended.back().first /= std::pow((5.0 + length) / 6.0, 4.0);
                }
                if (!ends && t < 5 && beam.size() < beam_size) beam.push_back(all[rank].second);
            }
            if (t == 5 && ended.empty()) return first;
        }
        TokenIds best = std::max_element(ended.begin(), ended.end())->second;
        best.pop_back();
        return best;
    };
    for (std::uint64_t seed = 0; seed < 25; ++seed) {
        Transformer model = random_model(seed, 6);
        model.generator.linear.bias(static_cast<std::size_t>(end_id)) = Real{2};
        const TokenIds source = random_source(seed);
        for (const std::size_t beam_size : {2U, 3U}) {
            const Translation found = beam_search(model, source, {beam_size, 5, 4.0});
            INFO("seed " << seed << ", beam " << beam_size);
            CHECK(found.tokens == plainly(model, source, beam_size));
        }
    }
}

TEST_CASE("beam_search: a wider beam can find what greedy misses", "[ch09]") {
    std::size_t better = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Transformer model = random_model(seed, 6);
        const TokenIds source = random_source(seed);
        const Translation by_greed = greedy(model, {source}, 3).at(0);
        const Translation by_beam = beam_search(model, source, {200, 3, 0.0});
        if (!by_greed.ended) continue;
        CHECK(by_beam.log_probability >= by_greed.log_probability - 1e-5);
        better += by_beam.log_probability > by_greed.log_probability + 1e-3 ? 1 : 0;
    }
    CHECK(better > 0);
}

TEST_CASE("length_penalty: is the published formula", "[ch09]") {
    CHECK(length_penalty(1, 0.6) == 1.0);  // (6 / 6)^a
    CHECK(length_penalty(30, 0.0) == 1.0);
    CHECK(length_penalty(7, 1.0) == 2.0);  // 12 / 6
    CHECK(length_penalty(7, 2.0) == 4.0);
    CHECK(length_penalty(19, 0.5) == 2.0);  // sqrt(24 / 6)
}

TEST_CASE("next_log_probabilities: rows are distributions and the cache moves on", "[ch09]") {
    const Transformer model = random_model(8);
    const TokenBatch source = pad_sentences({random_source(1), random_source(2)});
    DecoderCache cache =
        start_cache(model.decoder, model.encode(source), padding_mask(source.attention_mask));
    const Tensor log_p = next_log_probabilities(model, {start_id, start_id}, cache);
    REQUIRE(log_p.shape() == Shape{2, 9});
    CHECK(cache.length == 1);
    for (std::size_t b = 0; b < 2; ++b) {
        double sum = 0.0;
        for (const Real value : log_p.row(b))
            sum += std::exp(static_cast<double>(value));
        CHECK_THAT(sum,
                   WithinAbs(1.0, by_precision(2e-8, 1e-15)));  // largest seen: 3.2e-9, below 1e-15
    }
}

TEST_CASE("greedy and beam_search: what cannot be translated is refused", "[ch09]") {
    const Transformer model = random_model(9);
    const TokenIds source{3, 4, end_id};
    for (const std::size_t most :
         {std::size_t{0}, max_length, std::numeric_limits<std::size_t>::max()}) {
        CHECK_THROWS_AS(greedy(model, {source}, most), std::invalid_argument);
        CHECK_THROWS_AS(beam_search(model, source, {2, most, 0.6}), std::invalid_argument);
    }
    CHECK_THROWS_WITH(greedy(model, {source}, 10),
                      "greedy: tokens of a translation (found 10, expected 1 to 9)");
    CHECK_THROWS_AS(greedy(model, {source, {}}, 5), ShapeError);
    CHECK_THROWS_AS(beam_search(model, {}, {2, 5, 0.6}), ShapeError);
    CHECK_THROWS_AS(greedy(model, {TokenIds(11, 3)}, 5), ShapeError);
    CHECK_THROWS_AS(beam_search(model, TokenIds(11, 3), {2, 5, 0.6}), ShapeError);
    for (const std::int64_t wrong : {-1, 8}) {
        CHECK_THROWS_AS(greedy(model, {{wrong, end_id}}, 5), std::invalid_argument);
        CHECK_THROWS_AS(beam_search(model, {wrong, end_id}, {2, 5, 0.6}), std::invalid_argument);
    }
    DecoderCache cache = start_cache(model.decoder, model.encode(pad_sentences({source})),
                                     padding_mask(pad_sentences({source}).attention_mask));
    CHECK_THROWS_AS(next_log_probabilities(model, {}, cache), ShapeError);
}

TEST_CASE("beam_search: beams and penalties out of range are refused", "[ch09]") {
    const Transformer model = random_model(9);
    const TokenIds source{3, 4, end_id};
    CHECK_THROWS_WITH(beam_search(model, source, {0, 5, 0.6}), ContainsSubstring("beam size"));
    for (const std::size_t beam :
         {std::size_t{0}, std::size_t{1001}, std::numeric_limits<std::size_t>::max() / 2 + 1}) {
        CHECK_THROWS_AS(beam_search(model, source, {beam, 5, 0.6}), std::invalid_argument);
    }
    for (const double penalty : {-0.1, std::nan(""), std::numeric_limits<double>::infinity()})
        CHECK_THROWS_AS(beam_search(model, source, {2, 5, penalty}), std::invalid_argument);
}
