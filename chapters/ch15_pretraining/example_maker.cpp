#include "ch15_pretraining/example_maker.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ch15_pretraining/masking.hpp"

namespace bert {

namespace {

using Tokens = std::vector<TokenId>;

constexpr std::size_t special_tokens = 3;  // [CLS], [SEP], [SEP]
constexpr std::size_t tokens_in_memory = std::size_t{1}
                                         << 24;  // looked at before they are released

struct Pair {
    Tokens a;
    Tokens b;
    bool is_random_next = false;
    std::uint64_t next = 0;  // where the next chunk begins
};

Tokens tokens_of(const TokenCorpus& corpus, const SentenceRange& range) {
    Tokens tokens;
    for (std::uint64_t s = range.begin; s < range.end; ++s) {
        const auto sentence = corpus.sentence(s);
        tokens.insert(tokens.end(), sentence.begin(), sentence.end());
    }
    return tokens;
}

// [pack]
// Sentences from `begin` on until they have `target` tokens, or none is left.
SentenceRange pack(const TokenCorpus& corpus, std::uint64_t begin, std::uint64_t end,
                   std::size_t target) {
    std::size_t length = 0;
    SentenceRange chunk{begin, begin};
    while (chunk.end < end && length < target)
        length += corpus.sentence(chunk.end++).size();
    return chunk;
}
// [pack]

// From a random sentence of another document on, about `target` tokens and at least one sentence.
Tokens random_next(const TokenCorpus& corpus, std::size_t document, std::size_t target,
                   Random& random) {
    std::size_t other = random.below(corpus.documents() - 1);
    if (other >= document) ++other;
    const SentenceRange all = corpus.document(other);
    const std::uint64_t begin = all.begin + random.below(all.size());
    return tokens_of(corpus, pack(corpus, begin, all.end, std::max<std::size_t>(target, 1)));
}

Pair make_pair_of(const TokenCorpus& corpus, std::size_t document, SentenceRange chunk,
                  std::size_t target, Random& random) {
    Pair pair;
    // [pair]
    // EXERCISE BEGIN 15-next-sentence
    // STEP coin      half of the pairs have a B from another document
    pair.is_random_next = random.below(2) == 1;
    // STEP lone      one sentence cannot be cut, and only a random B needs no second one
    if (chunk.size() == 1 && !pair.is_random_next) {
        if (chunk.end < corpus.document(document).end)
            ++chunk.end;
        else
            --chunk.begin;
    }
    // STEP cut       A is the first 1 to size - 1 sentences
    const std::uint64_t most = std::max<std::uint64_t>(chunk.size() - 1, 1);
    const std::uint64_t middle = chunk.begin + 1 + random.below(most);
    pair.a = tokens_of(corpus, {chunk.begin, middle});
    // STEP next      B is the rest; or random, and the rest is put back
    const std::size_t left = target - std::min(target, pair.a.size());
    pair.b = pair.is_random_next ? random_next(corpus, document, left, random)
                                 : tokens_of(corpus, {middle, chunk.end});
    pair.next = pair.is_random_next ? middle : chunk.end;
    // STUB: pair = {{}, random_next(corpus, document, target, random), true, chunk.end};
    // EXERCISE END
    // [pair]
    return pair;
}

// The longer one loses a token of its beginning or its end, until both fit.
void truncate(Pair& pair, std::size_t room, Random& random) {
    std::size_t begins[2] = {0, 0};
    std::size_t ends[2] = {pair.a.size(), pair.b.size()};
    while (ends[0] - begins[0] + ends[1] - begins[1] > room) {
        const int longer = ends[0] - begins[0] > ends[1] - begins[1] ? 0 : 1;
        if (random.below(2) == 0)
            ++begins[longer];
        else
            --ends[longer];
    }
    const auto cut = [](Tokens& tokens, std::size_t begin, std::size_t end) {
        tokens.resize(end);
        tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(begin));
    };
    cut(pair.a, begins[0], ends[0]);
    cut(pair.b, begins[1], ends[1]);
}

PretrainingExample example_of(const Pair& pair, const SpecialIds& special) {
    PretrainingExample example;
    example.tokens.push_back(special.cls);
    example.tokens.insert(example.tokens.end(), pair.a.begin(), pair.a.end());
    example.tokens.push_back(special.sep);
    example.first_length = example.tokens.size();
    example.tokens.insert(example.tokens.end(), pair.b.begin(), pair.b.end());
    example.tokens.push_back(special.sep);
    example.is_random_next = pair.is_random_next;
    return example;
}

}  // namespace

bool make_pairs(const TokenCorpus& corpus, std::size_t document, const SpecialIds& special,
                const PairOptions& options, Random& random, const ExampleVisitor& visit) {
    if (options.max_length < least_example_length) {
        throw std::invalid_argument{
            fmt::format("make_pairs: length (found {}, expected at least {})", options.max_length,
                        least_example_length)};
    }
    const SentenceRange all = corpus.document(document);
    if (all.size() < 2) return true;
    const std::size_t room = options.max_length - special_tokens;
    const bool is_short = random.uniform() < options.short_seq_prob;
    const std::size_t target = is_short ? 2 + random.below(room - 1) : room;
    for (std::uint64_t begin = all.begin; begin < all.end;) {
        const SentenceRange chunk = pack(corpus, begin, all.end, target);
        Pair pair = make_pair_of(corpus, document, chunk, target, random);
        truncate(pair, room, random);
        if (!visit(example_of(pair, special))) return false;
        begin = pair.next;
    }
    return true;
}

void note_corpus(PretrainingFacts& facts, const CorpusText& text) {
    facts.corpus_sha256 = text.sha256;
    facts.sentences = text.corpus.sentences();
    facts.documents = text.corpus.documents();
}

void make_examples(const TokenCorpus& corpus, const Tokenizer& tokenizer,
                   const PretrainingFacts& facts, const ExampleVisitor& visit,
                   const ExampleProgress& progress) {
    require_facts(facts);
    const MaskingVocabulary vocabulary = masking_vocabulary(tokenizer);
    const std::uint64_t total = facts.duplicates * corpus.documents();
    std::size_t looked_at = 0;
    for (std::uint64_t number = 0; number < total; ++number) {
        Random random{facts.seed, number};
        const auto mask_and_visit = [&](PretrainingExample&& example) {
            if (!facts.dynamic_masking)
                choose_predictions(example, vocabulary, facts.masking, random);
            looked_at += example.tokens.size();
            if (looked_at > tokens_in_memory) {
                corpus.release();
                looked_at = 0;
            }
            return visit(std::move(example));
        };
        if (!make_pairs(corpus, number % corpus.documents(), tokenizer.special(),
                        {facts.max_length, facts.short_seq_prob}, random, mask_and_visit))
            return;
        if (progress) progress(number + 1, total);
    }
}

}  // namespace bert
