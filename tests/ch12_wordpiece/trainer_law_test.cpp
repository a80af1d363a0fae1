#include <algorithm>
#include <cstdint>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "ch12_wordpiece/merge.hpp"
#include "ch12_wordpiece/pair_heap.hpp"
#include "ch12_wordpiece/plain_trainer.hpp"
#include "ch12_wordpiece/vocabulary_trainer.hpp"
#include "ch12_wordpiece/word_cutter.hpp"
#include "common/cli/program.hpp"
#include "common/random/random.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

namespace {

using Texts = std::vector<std::string>;

constexpr MergeScore all_scores[] = {MergeScore::likelihood_gain, MergeScore::ratio,
                                     MergeScore::count};

WordCounts random_words(Random& random) {
    const std::uint64_t letters = 1 + random.below(6);
    const std::uint64_t longest = 2 + random.below(8);
    const std::uint64_t most_often = 1 + random.below(4);  // small counts make ties
    WordCounts words;
    for (std::uint64_t w = 2 + random.below(40); w > 0; --w) {
        std::string word;
        for (std::uint64_t i = 1 + random.below(longest); i > 0; --i)
            word += static_cast<char>('a' + random.below(letters));
        words[word] += 1 + random.below(most_often);
    }
    return words;
}

// The words of a lesson of this project.
WordCounts prose() {
    std::ifstream file{std::string{BERT_SOURCE_DIR} + "/chapters/ch04_multi_head/README.md"};
    WordCounts words;
    std::string word;
    for (char c = 0; file.get(c);) {
        if (c >= 'a' && c <= 'z') {
            word += c;
        } else if (!word.empty()) {
            ++words[word];
            word.clear();
        }
    }
    return words;
}

bool equal(const Merge& a, const Merge& b) {
    return a.left == b.left && a.right == b.right && a.score == b.score &&
           a.counts.pair == b.counts.pair && a.counts.left == b.counts.left &&
           a.counts.right == b.counts.right && a.counts.total == b.counts.total;
}

void check_equal_to_plain(const WordCounts& words, const VocabularyTraining& options) {
    const std::vector<Merge> fast = train_wordpiece(words, options).merges;
    const std::vector<Merge> plain =
        plain_merges(words, fast.size() + 1, options.score, options.min_frequency);
    INFO("score " << static_cast<int>(options.score));
    // One more would be made unless the vocabulary is full.
    REQUIRE(plain.size() >= fast.size());
    std::size_t same = 0;
    while (same < fast.size() && equal(fast[same], plain[same]))
        ++same;
    CHECK(same == fast.size());
}

// Longest match first; empty when it finds none.
Texts matched(const std::string& word, const std::set<std::string>& vocabulary) {
    Texts pieces;
    for (std::size_t begin = 0; begin < word.size();) {
        std::size_t end = word.size();
        const std::string mark = begin == 0 ? "" : "##";
        while (end > begin && !vocabulary.contains(mark + word.substr(begin, end - begin)))
            --end;
        if (end == begin) return {};
        pieces.push_back(mark + word.substr(begin, end - begin));
        begin = end;
    }
    return pieces;
}

}  // namespace

TEST_CASE("train_wordpiece: equals the plain trainer on random words", "[ch12]") {
    Random random{1202};
    std::size_t merges = 0;
    for (int corpus = 0; corpus < 120; ++corpus) {
        const WordCounts words = random_words(random);
        VocabularyTraining options;
        options.size = 5000;
        options.min_frequency = 1 + random.below(3);
        for (const MergeScore score : all_scores) {
            INFO("corpus " << corpus);
            options.score = score;
            check_equal_to_plain(words, options);
            const auto fast = train_wordpiece(words, options).merges;
            CHECK(plain_merges(words, 100'000, score, options.min_frequency).size() == fast.size());
            merges += fast.size();
        }
    }
    CHECK(merges > 5'000);
}

TEST_CASE("train_wordpiece: equals the plain trainer on prose", "[ch12]") {
    const WordCounts words = prose();
    REQUIRE(words.size() > 300);
    for (const MergeScore score : all_scores) {
        VocabularyTraining options;
        options.size = 250;
        options.score = score;
        options.min_frequency = score == MergeScore::ratio ? 4 : 2;
        CHECK(train_wordpiece(words, options).tokens.size() == 250);
        check_equal_to_plain(words, options);
    }
}

TEST_CASE("train_wordpiece: each word of the corpus can be written", "[ch12]") {
    const WordCounts words = prose();
    for (const std::size_t size : {60U, 150U, 400U}) {
        VocabularyTraining options;
        options.size = size;
        const Texts tokens = train_wordpiece(words, options).tokens;
        const std::set<std::string> vocabulary(tokens.begin(), tokens.end());
        REQUIRE(tokens.size() == size);
        CHECK(vocabulary.size() == size);  // no token is there twice
        for (const auto& [word, count] : words)
            CHECK_FALSE(matched(word, vocabulary).empty());
        // So can any other word of the same letters.
        CHECK_FALSE(matched("zyxwvutsrqponmlkjihgfedcba", vocabulary).empty());
    }
}

TEST_CASE("train_wordpiece: each piece is made of two that were there before", "[ch12]") {
    VocabularyTraining options;
    options.size = 400;
    const TrainedVocabulary trained = train_wordpiece(prose(), options);
    std::set<std::string> known;
    for (const std::string& token : trained.tokens) {
        if (known.size() == trained.tokens.size() - trained.merges.size()) break;
        known.insert(token);
    }
    for (const Merge& merge : trained.merges) {
        CHECK(known.contains(merge.left));
        CHECK(known.contains(merge.right));
        CHECK(merge.right.starts_with("##"));
        known.insert(merged(merge.left, merge.right));
    }
    CHECK(known.size() == trained.tokens.size());
}

TEST_CASE("train_wordpiece: a larger vocabulary begins with the smaller one", "[ch12]") {
    VocabularyTraining options;
    options.size = 120;
    const Texts small = train_wordpiece(prose(), options).tokens;
    options.size = 300;
    const Texts large = train_wordpiece(prose(), options).tokens;
    CHECK(std::equal(small.begin(), small.end(), large.begin()));
}

TEST_CASE("train_wordpiece: counts times eight change no piece", "[ch12]") {
    VocabularyTraining options;
    options.size = 300;
    options.min_frequency = 1;
    WordCounts words = prose();
    const Texts once = train_wordpiece(words, options).tokens;
    for (auto& [word, count] : words)
        count *= 8;
    CHECK(train_wordpiece(words, options).tokens == once);
}

TEST_CASE("train_wordpiece: words of over 100 characters are left out", "[ch12]") {
    VocabularyTraining options;
    options.size = 500;
    std::string longest;
    for (std::size_t i = 0; i < most_word_characters; ++i)
        longest += "é";
    const TrainedVocabulary kept = train_wordpiece({{longest, 2}}, options);
    CHECK(kept.too_long == 0);
    CHECK(std::find(kept.tokens.begin(), kept.tokens.end(), longest) != kept.tokens.end());
    const TrainedVocabulary left = train_wordpiece({{longest + "é", 2}, {"ab", 2}}, options);
    CHECK(left.too_long == 1);
    CHECK(left.tokens.size() == 5 + 4 + 1);
}

TEST_CASE("train_wordpiece: rare characters are left out with their words", "[ch12]") {
    VocabularyTraining options;
    options.special_tokens = {};
    options.size = 100;
    options.most_characters = 3;
    // a 12, b 12, c 2 + 2, e 4, d 3: of equals the smaller bytes stay.
    const TrainedVocabulary trained =
        train_wordpiece({{"ab", 10}, {"ac", 2}, {"bc", 2}, {"d", 3}, {"e", 4}}, options);
    CHECK(trained.tokens == Texts{"a", "b", "c", "##a", "##b", "##c", "ab", "ac", "bc"});
    CHECK(trained.rare_characters == 2);
    // A word that holds a rare character is no word, but makes its others continue words.
    CHECK(train_wordpiece({{"a", 5}, {"b", 5}, {"c", 5}, {"ad", 2}}, options).tokens ==
          Texts{"a", "b", "c", "##a"});
}

TEST_CASE("train_wordpiece: sizes that do not fit are refused", "[ch12]") {
    VocabularyTraining options;
    options.size = 8;
    CHECK_THROWS_AS(train_wordpiece({{"ab", 1}}, options), UsageError);
    CHECK_THROWS_WITH(train_wordpiece({{"ab", 1}}, options),
                      ContainsSubstring("train_wordpiece: a vocabulary of 8 is too small for 5 "
                                        "special tokens and 4 characters (expected at least 9)"));
    options.size = 9;
    CHECK(train_wordpiece({{"ab", 1}}, options).tokens.size() == 9);
    options.size = most_vocabulary_tokens;
    CHECK_NOTHROW(train_wordpiece({{"ab", 1}}, options));
    options.size = most_vocabulary_tokens + 1;
    CHECK_THROWS_AS(train_wordpiece({{"ab", 1}}, options), UsageError);
    CHECK_THROWS_WITH(train_wordpiece({{"ab", 1}}, options),
                      ContainsSubstring("(found 1000001, expected at most 1000000)"));
}

TEST_CASE("train_wordpiece: words that no tokenizer makes are refused", "[ch12]") {
    const VocabularyTraining options;
    const auto refused = [&](const WordCounts& words, const std::string& message) {
        CHECK_THROWS_AS(train_wordpiece(words, options), std::invalid_argument);
        CHECK_THROWS_WITH(train_wordpiece(words, options), ContainsSubstring(message));
    };
    refused({}, "train_wordpiece: 0 usable words (expected at least 1)");
    refused({{"ab", 0}}, "0 usable words");
    refused({{std::string(101, 'a'), 1}}, "0 usable words");
    refused({{"", 1}}, "(found \"\", expected text that does not start with ##)");
    refused({{"##a", 1}}, "found \"##a\"");
    refused({{"\xC3", 1}}, "not UTF-8");
    refused({{"ab", std::uint64_t{1} << 39U}, {"c", 1}}, "more than 2^40 characters");
    refused({{"a", std::uint64_t{1} << 39U}, {"b", std::uint64_t{1} << 39U}, {"c", 1}},
            "more than 2^40 characters");
    refused({{"ab", ~std::uint64_t{0}}}, "more than 2^40 characters");
    CHECK_NOTHROW(train_wordpiece({{"ab", std::uint64_t{1} << 39U}}, options));
}

TEST_CASE("train_wordpiece: special tokens that are none are refused", "[ch12]") {
    VocabularyTraining options;
    options.special_tokens = {"[UNK]", "[PAD]", "[UNK]"};
    CHECK_THROWS_AS(train_wordpiece({{"ab", 1}}, options), std::invalid_argument);
    CHECK_THROWS_WITH(train_wordpiece({{"ab", 1}}, options),
                      ContainsSubstring("the special token \"[UNK]\" is there twice"));
    options.special_tokens = {""};
    CHECK_THROWS_WITH(train_wordpiece({{"ab", 1}}, options), ContainsSubstring("\"\" is empty"));
}

TEST_CASE("train_wordpiece: a piece that is a special token is not there twice", "[ch12]") {
    VocabularyTraining options;
    options.special_tokens = {"ab", "a"};
    options.size = 50;
    const Texts tokens = train_wordpiece({{"ab", 2}}, options).tokens;
    CHECK(tokens == Texts{"ab", "a", "b", "##a", "##b"});
}

TEST_CASE("PairHeap: gives pairs in the order of their scores", "[ch12]") {
    Random random{1203};
    PairHeap heap{[](PairNumber a, PairNumber b) { return a < b; }};
    std::vector<double> scores(60, -1);  // -1: not in the heap
    for (int step = 0; step < 20'000; ++step) {
        const auto pair = static_cast<PairNumber>(random.below(60));
        if (random.below(3) == 0) {
            heap.remove(pair);
            scores[pair] = -1;
        } else {
            scores[pair] = static_cast<double>(random.below(40));
            heap.set(pair, scores[pair]);
        }
        const auto best = std::max_element(scores.begin(), scores.end());  // the first of equals
        const bool is_empty = *best < 0;
        REQUIRE(heap.empty() == is_empty);
        if (is_empty) continue;
        REQUIRE(heap.top() == best - scores.begin());
        REQUIRE(heap.top_score() == *best);
    }
    heap.remove(1000);  // never seen
}
