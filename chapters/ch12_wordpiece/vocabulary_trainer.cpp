#include "ch12_wordpiece/vocabulary_trainer.hpp"

#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "ch12_wordpiece/pair_heap.hpp"
#include "ch12_wordpiece/pair_table.hpp"
#include "ch12_wordpiece/training_words.hpp"
#include "common/cli/program.hpp"

namespace bert {

namespace {

void require_special_tokens(const std::vector<std::string>& tokens) {
    std::unordered_set<std::string> seen;
    for (const std::string& token : tokens) {
        if (!token.empty() && seen.insert(token).second) continue;
        throw std::invalid_argument{"train_wordpiece: the special token \"" + printable(token) +
                                    "\" is " + (token.empty() ? "empty" : "there twice")};
    }
}

void require_size(const VocabularyTraining& options, const TrainingWords& words) {
    const std::size_t special = options.special_tokens.size();
    const std::size_t least = special + words.alphabet.size();
    if (options.size > most_vocabulary_tokens) {
        throw UsageError{"train_wordpiece: the size of the vocabulary (found " +
                         std::to_string(options.size) + ", expected at most " +
                         std::to_string(most_vocabulary_tokens) + ")"};
    }
    if (options.size < least) {
        throw UsageError{"train_wordpiece: a vocabulary of " + std::to_string(options.size) +
                         " is too small for " + std::to_string(special) + " special tokens and " +
                         std::to_string(words.alphabet.size()) + " characters (expected at least " +
                         std::to_string(least) + ")"};
    }
}

// The pairs by score.
class Candidates {
  public:
    Candidates(PairTable table, const VocabularyTraining& options)
        : table_(std::move(table)), options_(options), heap_([this](PairNumber a, PairNumber b) {
              return first_of_equals(table_.left(a), table_.right(a), table_.left(b),
                                     table_.right(b));
          }) {
        for (PairNumber pair = 0; pair < table_.size(); ++pair)
            update(pair);
    }
    Candidates(const Candidates&) = delete;
    Candidates& operator=(const Candidates&) = delete;

    bool empty() const { return heap_.empty(); }
    Merge merge_best();

  private:
    double score(PairNumber pair) const { return merge_score(options_.score, table_.counts(pair)); }
    void update(PairNumber pair) {
        const std::uint64_t places = table_.counts(pair).pair;
        if (places > 0 && places >= options_.min_frequency) {
            heap_.set(pair, score(pair));
        } else {
            heap_.remove(pair);
        }
    }

    PairTable table_;
    const VocabularyTraining& options_;
    PairHeap heap_;
};

// Each merge makes N smaller and with it every score, by far more than rounding can. So a score in
// the heap may be too high, never too low, and the top is best when its own is up to date.
Merge Candidates::merge_best() {
    // [lazy]
    while (heap_.top_score() != score(heap_.top()))
        heap_.set(heap_.top(), score(heap_.top()));
    // [lazy]
    const PairNumber best = heap_.top();
    Merge merge{table_.left(best), table_.right(best), table_.counts(best), heap_.top_score()};
    for (const PairNumber pair : table_.join(best))
        update(pair);
    return merge;
}

}  // namespace

TrainedVocabulary train_wordpiece(const WordCounts& words, const VocabularyTraining& options,
                                  const TrainingProgress& progress) {
    require_special_tokens(options.special_tokens);
    TrainingWords cut = training_words(words, options.most_characters);
    if (cut.words.empty()) {
        throw std::invalid_argument{"train_wordpiece: 0 usable words (expected at least 1)"};
    }
    require_size(options, cut);
    TrainedVocabulary result{options.special_tokens, {}, cut.too_long, cut.rare_characters};
    std::unordered_set<std::string> known(result.tokens.begin(), result.tokens.end());
    const auto add = [&](const std::string& token) {
        if (known.insert(token).second) result.tokens.push_back(token);
    };
    for (const std::string& piece : cut.alphabet)
        add(piece);
    Candidates candidates{PairTable{std::move(cut)}, options};
    while (result.tokens.size() < options.size && !candidates.empty()) {
        result.merges.push_back(candidates.merge_best());
        add(merged(result.merges.back().left, result.merges.back().right));
        if (progress && result.merges.size() % 100 == 0)
            progress(result.tokens.size(), options.size, result.tokens.back());
    }
    if (progress) progress(result.tokens.size(), options.size, result.tokens.back());
    return result;
}

}  // namespace bert
