// bert train-vocab: a WordPiece vocabulary of one's own.
#include <fmt/core.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ch12_wordpiece/tokenizer_config.hpp"
#include "ch12_wordpiece/vocabulary_trainer.hpp"
#include "ch12_wordpiece/word_counts.hpp"
#include "ch12_wordpiece/wordpiece_vocabulary.hpp"
#include "common/cli/program.hpp"
#include "common/cli/progress.hpp"
#include "tools/bert/commands.hpp"
#include "tools/bert/results.hpp"

namespace bert {

namespace {

struct Options {
    std::optional<std::string> size;
    std::optional<std::string> out;
    std::optional<std::string> min_frequency;
    std::optional<std::string> cased;
};

VocabularyTraining training_of(const Options& options) {
    if (!options.size) throw UsageError{"train-vocab: --size N is missing"};
    VocabularyTraining training;
    training.size = *whole_number("--size", options.size, 1, most_vocabulary_tokens);
    training.min_frequency =
        whole_number("--min-frequency", options.min_frequency, 1, std::size_t{1} << 40)
            .value_or(training.min_frequency);
    return training;
}

// Draws long work's progress on a terminal.
auto watch(const Invocation& invocation, std::optional<Progress>& progress) {
    return [&](std::size_t done, std::size_t total, std::string_view note) {
        if (invocation.quiet) return;
        if (!progress) progress.emplace(total, 0, Progress::Elsewhere::nothing);
        progress->show(done, note);
    };
}

void run(const Options& options, const Invocation& invocation) {
    const VocabularyTraining training = training_of(options);
    if (!options.out) throw UsageError{"train-vocab: --out FILE is missing"};
    if (invocation.arguments.empty()) throw UsageError{"train-vocab: no FILE to learn from"};
    require_output_path("--out", *options.out, invocation.arguments);
    TokenizerOptions tokenizer;
    tokenizer.lower_case = !options.cased;

    std::optional<Progress> counting;
    const CorpusWords corpus =
        count_words(invocation.arguments, tokenizer, watch(invocation, counting));
    if (counting) counting->finish();
    if (corpus.bad_utf8 > 0)
        invocation.warn(fmt::format("{} parts are not UTF-8 and were left out", corpus.bad_utf8));
    std::optional<Progress> merging;
    const TrainedVocabulary trained =
        train_wordpiece(corpus.words, training, watch(invocation, merging));
    if (merging) merging->finish();
    if (trained.tokens.size() < training.size) {
        invocation.warn(fmt::format("the text gives {} tokens only (asked for {})",
                                    trained.tokens.size(), training.size));
    }
    WordPieceVocabulary{trained.tokens}.write(*options.out);
    invocation.tell(fmt::format("wrote {}: {} tokens from {} different words", *options.out,
                                trained.tokens.size(), corpus.words.size()));
    if (options.cased) {
        invocation.tell(
            "in a model's folder it needs a tokenizer_config.json with {\"do_lower_case\": false} "
            "beside it");
    }
}

}  // namespace

Command train_vocab_command() {
    const auto options = std::make_shared<Options>();
    return {.name = "train-vocab",
            .summary = "A WordPiece vocabulary from text files",
            .examples = "  bert train-vocab --size 8000 --out vocab.txt corpus.txt more.txt\n",
            .arguments = "FILE",
            .arguments_description = "...  UTF-8 text",
            .takes_model = false,
            .takes_json = false,
            .options = {{"--size", "N", "How many tokens", &options->size},
                        {"--out", "FILE", "The vocab.txt to write", &options->out},
                        {"--min-frequency", "N", "Merge what occurs at least so often (2)",
                         &options->min_frequency},
                        {"--cased", "", "Keep case and accents", &options->cased}},
            .run = [options](const Invocation& invocation) { run(*options, invocation); }};
}

}  // namespace bert
