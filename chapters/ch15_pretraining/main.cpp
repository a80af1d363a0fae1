// Prints every number of chapter 15.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "ch06_learning/expected_curve.hpp"
#include "ch15_pretraining/example_table.hpp"
#include "ch15_pretraining/masking.hpp"
#include "ch15_pretraining/recipe.hpp"
#include "ch15_pretraining/tiny_training.hpp"
#include "common/cli/output_folder.hpp"
#include "common/cli/program.hpp"
#include "common/cli/section.hpp"

namespace {

using namespace bert;

double percent(std::size_t part, std::size_t all) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(all);
}

void print_examples(const TinyCorpus& corpus) {
    section("Two examples");
    fmt::print("{} examples from seven chapters, {} from the eighth\n", corpus.train.size(),
               corpus.held_out.size());
    for (const bool is_random : {false, true}) {
        const auto example = std::find_if(
            corpus.train.begin(), corpus.train.end(),
            [&](const auto& e) { return e.is_random_next == is_random && e.tokens.size() == 48; });
        fmt::print("\n{}, label {}\n{}", is_random ? "B is from another chapter" : "B follows A",
                   is_random ? random_next_label : is_next_label,
                   example_table(*example, corpus.tokenizer.vocabulary()));
    }
}

struct Shares {
    std::size_t tokens = 0, chosen = 0, masked = 0, kept = 0, random = 0;
};

void count(Shares& shares, const PretrainingExample& example, TokenId mask) {
    shares.tokens += example.tokens.size();
    shares.chosen += example.positions.size();
    for (std::size_t i = 0; i < example.positions.size(); ++i) {
        const TokenId shown = example.replacements[i];
        const bool is_kept = shown == example.tokens[example.positions[i]];
        ++(shown == mask ? shares.masked : is_kept ? shares.kept : shares.random);
    }
}

void print_shares(const TinyCorpus& corpus) {
    section("A million tokens");
    const MaskingVocabulary vocabulary = masking_vocabulary(corpus.tokenizer);
    Shares shares;
    Random random{15};
    while (shares.tokens < 1'000'000) {
        for (PretrainingExample example : corpus.train) {
            choose_predictions(example, vocabulary, {}, random);
            count(shares, example, vocabulary.mask);
        }
    }
    fmt::print("chosen          {:5.1f} %\n", percent(shares.chosen, shares.tokens));
    fmt::print("  [MASK]        {:5.1f} %\n", percent(shares.masked, shares.chosen));
    fmt::print("  random token  {:5.1f} %\n", percent(shares.random, shares.chosen));
    fmt::print("  as it is      {:5.1f} %\n", percent(shares.kept, shares.chosen));
    const auto random_next = static_cast<std::size_t>(std::count_if(
        corpus.train.begin(), corpus.train.end(), [](const auto& e) { return e.is_random_next; }));
    fmt::print("of {} pairs, B is random in {:.0f} %\n", corpus.train.size(),
               percent(random_next, corpus.train.size()));
}

double mean_of(const std::vector<double>& losses, std::size_t begin, std::size_t end) {
    const auto from = losses.begin() + static_cast<std::ptrdiff_t>(begin);
    return std::accumulate(from, losses.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
           static_cast<double>(end - begin);
}

void print_learning(const TinyCorpus& corpus, const TinyTraining& training) {
    section("A model that knows nothing, and 300 steps");
    const auto words = static_cast<double>(corpus.tokenizer.vocabulary().size());
    fmt::print("ln {:.0f} + ln 2    {:.1f}\n", words, std::log(words) + std::log(2.0));
    fmt::print("first step       {:.1f}\n", training.losses.front());
    for (const std::size_t end : {20U, 100U, 200U, 300U})
        fmt::print("steps {:>3} to {:>3} {:.1f}\n", end - 19, end,
                   mean_of(training.losses, end - 20, end));
}

void print_mismatch(const TinyCorpus& corpus, const TinyTraining& published) {
    section("Why not always [MASK]?");
    const TinyTraining always = train_tiny(corpus, Replacement::always_mask);
    fmt::print("loss of the chosen tokens of the eighth chapter, trained with\n");
    fmt::print("and shown             80/10/10   always [MASK]\n");
    for (const auto& [name, shown] : {std::pair{"as [MASK]", Replacement::always_mask},
                                      std::pair{"as they are", Replacement::itself},
                                      std::pair{"as another token", Replacement::random}}) {
        fmt::print("  {:<20}{:>8.1f}{:>16.1f}\n", name,
                   evaluate_tiny(published.bert, corpus, shown).mean_mlm_loss(),
                   evaluate_tiny(always.bert, corpus, shown).mean_mlm_loss());
    }
}

void show_lesson(const std::string& folder) {
    const TinyCorpus corpus = tiny_corpus();
    print_examples(corpus);
    print_shares(corpus);
    const TinyTraining training = train_tiny(corpus, Replacement::published);
    print_learning(corpus, training);
    print_mismatch(corpus, training);
    OutputFolder{folder}.write("tiny_losses.jsonl", loss_log(training.losses));
}

}  // namespace

int main(int argc, char** argv) {
    std::string full;
    return run_chapter(
        argc, argv, "Chapter 15: BERT learns from text alone.",
        {{"--full", "", "Train a small BERT on five novels, in the folder of --out; hours", &full}},
        [&full](const ChapterOptions& options) {
            if (full.empty()) return show_lesson(options.out);
            if (options.out.empty()) throw UsageError{"--full: needs --out DIR for what it makes"};
            run_recipe(options.out);
        });
}
