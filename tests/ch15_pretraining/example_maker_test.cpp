#include "ch15_pretraining/example_maker.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <stdexcept>
#include <utility>

#include "ch15_pretraining/sentences.hpp"
#include "common/io/input_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using bert::test::scratch_folder;

namespace {

constexpr SpecialIds special{.unknown = 1, .cls = 2, .sep = 3, .mask = 4, .pad = 0};
constexpr TokenId first_id = 5;

/// Sentences whose tokens are all first_id + their number, so that a pair shows what it is made of.
class Numbered {
  public:
    // Lengths of the sentences of each document.
    explicit Numbered(const std::vector<std::vector<std::size_t>>& documents)
        : corpus(scratch_folder("numbered").string()) {
        for (const auto& lengths : documents) {
            for (const std::size_t length : lengths) {
                const auto id = static_cast<TokenId>(corpus.sentences());
                corpus.add_sentence(std::vector<TokenId>(length, first_id + id));
                document_of.push_back(corpus.documents());
            }
            corpus.end_document();
        }
        corpus.seal();
    }

    std::vector<PretrainingExample> examples(const PairOptions& options, std::uint64_t seed,
                                             std::size_t document) const {
        std::vector<PretrainingExample> all;
        Random random{seed, document};
        make_pairs(corpus, document, special, options, random, [&](PretrainingExample&& example) {
            all.push_back(std::move(example));
            return true;
        });
        return all;
    }

    TokenCorpus corpus;
    std::vector<std::size_t> document_of;  // each sentence
};

// Numbers of sentences in a segment, in their order.
std::vector<std::size_t> sentences_of(const PretrainingExample& example, bool second) {
    std::vector<std::size_t> numbers;
    const std::size_t begin = second ? example.first_length : 1;
    const std::size_t end = (second ? example.tokens.size() : example.first_length) - 1;
    for (std::size_t t = begin; t < end; ++t) {
        const auto number = static_cast<std::size_t>(example.tokens[t] - first_id);
        if (numbers.empty() || numbers.back() != number) numbers.push_back(number);
    }
    return numbers;
}

// 2 to 40 sentences of 3 to 60 tokens.
std::vector<std::vector<std::size_t>> random_documents(std::size_t count, std::uint64_t seed) {
    Random random{seed};
    std::vector<std::vector<std::size_t>> documents(count);
    for (auto& lengths : documents) {
        lengths.resize(2 + random.below(39));
        for (std::size_t& length : lengths)
            length = 3 + random.below(58);
    }
    return documents;
}

bool is_share(std::size_t count, std::size_t all, double share) {
    const double n = static_cast<double>(all);
    const double deviation = std::sqrt(n * share * (1 - share));
    return std::abs(static_cast<double>(count) - n * share) <= 5.0 * deviation;
}

}  // namespace

// Within 5 standard deviations: chance alone leaves them in 1 of 1.7 million cases.
TEST_CASE("N37: half of the pairs have a random next", "[ch15]") {
    const Numbered numbered{random_documents(1500, 37)};
    for (const std::size_t length : {128UL, 40UL, 12UL}) {
        std::size_t tokens = 0;
        std::size_t pairs = 0;
        std::size_t random_pairs = 0;
        for (std::uint64_t seed = 0; tokens < 2'000'000; ++seed) {
            for (std::size_t d = 0; d < numbered.corpus.documents(); ++d) {
                for (const PretrainingExample& e :
                     numbered.examples({.max_length = length}, seed, d)) {
                    tokens += e.tokens.size();
                    ++pairs;
                    random_pairs += e.is_random_next ? 1 : 0;
                }
            }
        }
        INFO(length << ": " << random_pairs << " of " << pairs);
        CHECK(is_share(random_pairs, pairs, 0.5));
    }
}

TEST_CASE("N37: half of the pairs of six novels have a random next", "[ch15]") {
    const auto folder = scratch_folder("n37-novels");
    std::vector<std::string> paths;
    for (const char* const name : {"emma", "mansfield_park", "northanger_abbey", "persuasion",
                                   "pride_prejudice", "sense_sensibility"}) {
        const std::string from =
            std::string{BERT_SOURCE_DIR} + "/data/corpora/austen/" + name + ".txt";
        paths.push_back((folder / name).string());
        std::ofstream{paths.back(), std::ios::binary}
            << corpus_text(split_prose(read_file(from, std::uint64_t{1} << 20)));
    }
    // Words that it does not know are a token each: lengths are all that counts here.
    const Tokenizer tokenizer{
        WordPieceVocabulary{{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ",", "."}}};
    const CorpusText text = read_corpus(paths, tokenizer, folder.string());
    CHECK(text.corpus.documents() == 270);
    for (const std::size_t length : {128UL, 32UL}) {
        std::size_t tokens = 0;
        std::size_t pairs = 0;
        std::size_t random_pairs = 0;
        for (std::uint64_t number = 0; tokens < 4'000'000; ++number) {
            Random random{37, number};
            make_pairs(text.corpus, number % text.corpus.documents(), special,
                       {.max_length = length}, random, [&](PretrainingExample&& e) {
                           tokens += e.tokens.size();
                           ++pairs;
                           random_pairs += e.is_random_next ? 1 : 0;
                           return true;
                       });
        }
        INFO(length << ": " << random_pairs << " of " << pairs);
        CHECK(is_share(random_pairs, pairs, 0.5));
    }
}

TEST_CASE("make_pairs: B follows A or is from another document", "[ch15]") {
    const Numbered numbered{random_documents(60, 1)};
    std::size_t adjacent = 0;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        for (std::size_t d = 0; d < 60; ++d) {
            for (const PretrainingExample& e : numbered.examples({.max_length = 64}, seed, d)) {
                REQUIRE(e.tokens.size() <= 64);
                REQUIRE(e.tokens.size() >= 5);
                REQUIRE(e.tokens.front() == special.cls);
                REQUIRE(e.tokens[e.first_length - 1] == special.sep);
                REQUIRE(e.tokens.back() == special.sep);
                REQUIRE(std::count(e.tokens.begin(), e.tokens.end(), special.sep) == 2);
                const auto a = sentences_of(e, false);
                const auto b = sentences_of(e, true);
                REQUIRE_FALSE(a.empty());
                REQUIRE_FALSE(b.empty());
                REQUIRE(a.back() == a.front() + a.size() - 1);
                REQUIRE(b.back() == b.front() + b.size() - 1);
                REQUIRE(numbered.document_of[a.front()] == d);
                REQUIRE(numbered.document_of[a.back()] == d);
                const std::size_t of_b = numbered.document_of[b.front()];
                REQUIRE(numbered.document_of[b.back()] == of_b);
                REQUIRE((of_b != d) == e.is_random_next);
                REQUIRE((e.is_random_next || b.front() > a.back()));
                const bool is_cut = e.tokens.size() == 64;
                if (!e.is_random_next && !is_cut) REQUIRE(b.front() == a.back() + 1);
                adjacent += !e.is_random_next && !is_cut ? 1 : 0;
            }
        }
    }
    CHECK(adjacent > 100);
}

TEST_CASE("make_pairs: no sentence of a document is lost", "[ch15]") {
    // Sentences so short that nothing is cut: a chunk has at most 8 + 2 tokens too many.
    std::vector<std::vector<std::size_t>> documents(30);
    for (std::size_t d = 0; d < documents.size(); ++d)
        documents[d].assign(2 + d, 3);
    const Numbered numbered{documents};
    for (std::size_t d = 0; d < documents.size(); ++d) {
        std::set<std::size_t> seen;
        for (const PretrainingExample& e :
             numbered.examples({.max_length = 36, .short_seq_prob = 0}, 1, d)) {
            const auto a = sentences_of(e, false);
            seen.insert(a.begin(), a.end());
            const auto b = sentences_of(e, true);
            if (!e.is_random_next) seen.insert(b.begin(), b.end());
        }
        CHECK(seen.size() == documents[d].size());
    }
}

TEST_CASE("make_pairs: what a random B replaced begins the next chunk", "[ch15]") {
    const Numbered numbered{random_documents(200, 3)};
    std::size_t put_back = 0;
    for (std::size_t d = 0; d < 200; ++d) {
        const auto all = numbered.examples({.max_length = 400, .short_seq_prob = 0}, 3, d);
        for (std::size_t i = 0; i + 1 < all.size(); ++i) {
            const std::size_t last = sentences_of(all[i], !all[i].is_random_next).back();
            const std::size_t next = sentences_of(all[i + 1], false).front();
            // The last one alone is B to the one before it.
            const bool is_lone = last + 1 == numbered.corpus.document(d).end - 1;
            if (all[i].tokens.size() == 400 || all[i + 1].tokens.size() == 400) continue;
            CHECK((next == last + 1 || (is_lone && next == last)));
            put_back += all[i].is_random_next ? 1 : 0;
        }
    }
    CHECK(put_back > 20);
}

TEST_CASE("make_pairs: long sentences are cut to the length at both ends", "[ch15]") {
    const Numbered numbered{{{100, 100}, {100, 100}}};
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        for (const PretrainingExample& e : numbered.examples({.max_length = 20}, seed, 0)) {
            CHECK(e.tokens.size() == 20);
            CHECK((e.first_length == 10 || e.first_length == 11));  // 17 tokens: 8 and 9
        }
    }
    // Of tokens that differ, some are lost at either end.
    TokenCorpus corpus{scratch_folder("cut").string()};
    for (int d = 0; d < 2; ++d) {
        std::vector<TokenId> ids(40);
        for (std::size_t i = 0; i < ids.size(); ++i)
            ids[i] = first_id + static_cast<TokenId>(i);
        corpus.add_sentence(ids);
        corpus.add_sentence(ids);
        corpus.end_document();
    }
    corpus.seal();
    Random random{5};
    make_pairs(corpus, 0, special, {.max_length = 43, .short_seq_prob = 0}, random,
               [](PretrainingExample&& e) {
                   CHECK(e.tokens[1] > first_id);
                   CHECK(e.tokens[e.first_length - 2] < first_id + 39);
                   for (std::size_t t = 2; t < e.first_length - 1; ++t)
                       CHECK(e.tokens[t] == e.tokens[t - 1] + 1);
                   return true;
               });
}

TEST_CASE("make_pairs: a share of the documents has short examples", "[ch15]") {
    const std::vector<std::vector<std::size_t>> documents(2000, std::vector<std::size_t>(40, 5));
    const Numbered numbered{documents};
    // Documents whose first B follows A, and how many of those examples are short.
    const auto short_documents = [&](double probability) {
        std::pair<std::size_t, std::size_t> counts{0, 0};
        for (std::size_t d = 0; d < documents.size(); ++d) {
            const auto all =
                numbered.examples({.max_length = 103, .short_seq_prob = probability}, 1, d);
            if (all.front().is_random_next) continue;
            counts.first += all.front().tokens.size() < 103 ? 1 : 0;
            ++counts.second;
        }
        return counts;
    };
    // Targets of 2 to 95, of 2 to 100, give less than the whole length in sentences of five.
    for (const double probability : {0.1, 1.0}) {
        const auto [count, of] = short_documents(probability);
        CHECK(is_share(count, of, probability * 94 / 99));
    }
    CHECK(short_documents(0.0).first == 0);
}

TEST_CASE("make_pairs: a document of one sentence is a random B only", "[ch15]") {
    const Numbered numbered{{{4}, {4, 4}}};
    bool is_b = false;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CHECK(numbered.examples({.max_length = 16}, seed, 0).empty());
        const auto all = numbered.examples({.max_length = 16}, seed, 1);
        CHECK_FALSE(all.empty());
        for (const PretrainingExample& e : all)
            is_b = is_b || sentences_of(e, true).front() == 0;
    }
    CHECK(is_b);
}

TEST_CASE("make_pairs: the shortest length and one below", "[ch15]") {
    const Numbered numbered{{{4, 1, 7}, {4, 4}}};
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        for (const PretrainingExample& e : numbered.examples({.max_length = 5}, seed, 0)) {
            CHECK(e.tokens.size() == 5);
            CHECK(e.first_length == 3);
        }
    }
    CHECK_THROWS_WITH(numbered.examples({.max_length = 4}, 1, 0),
                      ContainsSubstring("found 4, expected at least 5"));
}

TEST_CASE("make_pairs: ends when the visitor says so", "[ch15]") {
    const Numbered numbered{random_documents(3, 2)};
    std::size_t calls = 0;
    Random random{1};
    const bool all = make_pairs(numbered.corpus, 0, special, {.max_length = 16}, random,
                                [&](PretrainingExample&&) { return ++calls < 2; });
    CHECK_FALSE(all);
    CHECK(calls == 2);
}

TEST_CASE("make_examples: every duplicate of a document differs and a seed repeats all", "[ch15]") {
    TokenCorpus corpus{scratch_folder("make-examples").string()};
    Random words{1};
    for (int d = 0; d < 4; ++d) {
        for (int s = 0; s < 10; ++s) {
            std::vector<TokenId> sentence(4 + words.below(8));
            for (TokenId& id : sentence)
                id = first_id + static_cast<TokenId>(words.below(2));
            corpus.add_sentence(sentence);
        }
        corpus.end_document();
    }
    corpus.seal();
    const Tokenizer tokenizer{
        WordPieceVocabulary{{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b"}}};
    PretrainingFacts facts;
    facts.vocabulary_sha256 = std::string(64, '0');
    facts.vocab_size = 7;
    facts.max_length = 32;
    facts.duplicates = 3;
    std::uint64_t done = 0;
    const auto examples = [&] {
        std::vector<PretrainingExample> all;
        make_examples(
            corpus, tokenizer, facts,
            [&](PretrainingExample&& e) {
                all.push_back(std::move(e));
                return true;
            },
            [&](std::uint64_t number, std::uint64_t total) {
                done = number;
                CHECK(total == 12);
            });
        return all;
    };
    const auto first = examples();
    CHECK(done == 12);
    CHECK(first == examples());
    for (std::size_t i = 0; i < first.size(); ++i) {
        CHECK(first[i].positions.size() == prediction_count(first[i].tokens.size(), facts.masking));
        for (std::size_t k = 0; k < i; ++k)
            CHECK(!(first[i] == first[k]));
    }
    facts.seed = 2;
    CHECK(first != examples());
    facts.seed = 1;
    facts.dynamic_masking = true;
    for (const PretrainingExample& e : examples())
        CHECK(e.positions.empty());
    facts.max_length = 4;
    CHECK_THROWS_AS(examples(), std::invalid_argument);
}
