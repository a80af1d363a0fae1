// bert make-data: examples of pre-training from a corpus.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ch15_pretraining/corpus.hpp"
#include "ch15_pretraining/example_maker.hpp"
#include "ch15_pretraining/example_table.hpp"
#include "ch15_pretraining/pretraining_data.hpp"
#include "common/cli/program.hpp"
#include "common/cli/progress.hpp"
#include "common/io/file_error.hpp"
#include "common/io/input_file.hpp"
#include "common/io/scratch_file.hpp"
#include "common/io/sha256.hpp"
#include "tools/bert/commands.hpp"
#include "tools/bert/model.hpp"
#include "tools/bert/results.hpp"

namespace bert {

namespace {

struct Options {
    std::optional<std::string> out;
    std::optional<std::string> max_length;
    std::optional<std::string> duplicates;
    std::optional<std::string> mask_prob;
    std::optional<std::string> max_predictions;
    std::optional<std::string> short_seq_prob;
    std::optional<std::string> seed;
    std::optional<std::string> whole_words;
    std::optional<std::string> dynamic_masking;
    std::optional<std::string> show;
};

constexpr std::size_t most_shown = 1'000'000;
constexpr std::size_t most_seed = (std::size_t{1} << 63) - 1;

std::size_t length_of(const std::optional<std::string>& text, std::size_t otherwise) {
    const std::size_t length =
        whole_number("--max-length", text, 0, most_example_length).value_or(otherwise);
    if (length < least_example_length) {
        throw FileError{
            fmt::format("--max-length: no room for [CLS] A [SEP] B [SEP] (found {}, "
                        "expected at least {})",
                        length, least_example_length)};
    }
    return length;
}

double share_of(const std::string& option, const std::optional<std::string>& text, double otherwise,
                bool ends_too) {
    if (!text) return otherwise;
    const double share = parse_positive(option, *text, ends_too);
    if (share < 1.0 || (ends_too && share == 1.0)) return share;
    throw UsageError{fmt::format("{}: not a number in range (found {}, expected {})", option, *text,
                                 ends_too ? "0 to 1" : "above 0, below 1")};
}

PretrainingFacts facts_of(const Options& options) {
    PretrainingFacts facts;
    facts.max_length = length_of(options.max_length, facts.max_length);
    facts.duplicates = whole_number("--duplicates", options.duplicates, 1, most_duplicates)
                           .value_or(facts.duplicates);
    facts.masking.mask_prob =
        share_of("--mask-prob", options.mask_prob, facts.masking.mask_prob, false);
    facts.masking.max_predictions =
        whole_number("--max-predictions", options.max_predictions, 1, most_example_length)
            .value_or(facts.masking.max_predictions);
    facts.masking.whole_words = options.whole_words.has_value();
    facts.short_seq_prob =
        share_of("--short-seq-prob", options.short_seq_prob, facts.short_seq_prob, true);
    facts.dynamic_masking = options.dynamic_masking.has_value();
    facts.seed = whole_number("--seed", options.seed, 0, most_seed).value_or(facts.seed);
    return facts;
}

std::string vocabulary_path(const Invocation& invocation) {
    return (std::filesystem::path{model_folder(invocation)} / "vocab.txt").string();
}

// Before the corpus is read.
void require_ordinary_tokens(const Tokenizer& tokenizer, const Invocation& invocation) {
    const auto size = static_cast<TokenId>(tokenizer.vocabulary().size());
    for (TokenId id = 0; id < size; ++id)
        if (!tokenizer.is_special(id)) return;
    throw FileError{vocabulary_path(invocation), "tokens", "nothing to make text of",
                    fmt::format("{} special tokens", size), "others too"};
}

void show(const PretrainingExample& example, std::uint64_t number, const Tokenizer& tokenizer) {
    write_result(fmt::format("{}example {}: {}", number == 0 ? "" : "\n", number,
                             example_table(example, tokenizer.vocabulary())));
}

bool is_data_file(const std::string& path) {
    std::error_code fault;
    if (!std::filesystem::is_regular_file(path, fault)) return false;
    const InputFile file{path};
    constexpr std::string_view magic = "BERTDATA";
    return file.size() >= magic.size() && file.read(0, magic.size()) == magic;
}

void show_data_file(const std::string& path, std::size_t count, const Tokenizer& tokenizer,
                    const Invocation& invocation) {
    const PretrainingData data{path};
    const std::string vocabulary = sha256_of_file(vocabulary_path(invocation));
    if (data.facts().vocabulary_sha256 != vocabulary) {
        throw FileError{path, "facts", "made with another vocabulary",
                        data.facts().vocabulary_sha256,
                        vocabulary + ", the SHA-256 of " + vocabulary_path(invocation)};
    }
    for (std::size_t i = 0; i < std::min(count, data.size()); ++i)
        show(data.example(i), i, tokenizer);
}

/// Progress of one part of the work, on a terminal.
class Watch {
  public:
    explicit Watch(const Invocation& invocation) : is_quiet_(invocation.quiet) {}
    void operator()(std::uint64_t done, std::uint64_t total, std::string_view note) {
        if (is_quiet_) return;
        if (!progress_) progress_.emplace(total, 0, Progress::Elsewhere::nothing);
        progress_->show(done, note);
    }
    void finish() {
        if (progress_) progress_->finish();
        progress_.reset();
    }

  private:
    bool is_quiet_;
    std::optional<Progress> progress_;
};

struct Counts {
    std::uint64_t examples = 0;
    std::uint64_t random_next = 0;
    std::uint64_t tokens = 0;
    std::uint64_t chosen = 0;
};

std::string summary(const std::string& path, const Counts& counts, const PretrainingFacts& facts) {
    const std::string chosen = facts.dynamic_masking ? "chosen anew at each reading"
                                                     : fmt::format("{} to guess", counts.chosen);
    return fmt::format(
        "wrote {}: {} sentences in {} documents make {} examples ({} with a random next) of {} "
        "tokens, {}",
        path, facts.sentences, facts.documents, counts.examples, counts.random_next, counts.tokens,
        chosen);
}

CorpusText read_text(const std::string& scratch, const Tokenizer& tokenizer,
                     const Invocation& invocation) {
    Watch watch{invocation};
    CorpusText text = read_corpus(invocation.arguments, tokenizer, scratch,
                                  [&](std::uint64_t done, std::uint64_t total,
                                      std::string_view path) { watch(done, total, path); });
    watch.finish();
    if (text.bad_utf8 > 0) {
        invocation.warn(fmt::format("the corpus: {} part{} not UTF-8, read as U+FFFD",
                                    text.bad_utf8, text.bad_utf8 == 1 ? " is" : "s are"));
    }
    return text;
}

void make(const std::optional<std::string>& out, std::size_t shown, PretrainingFacts facts,
          const Tokenizer& tokenizer, const Invocation& invocation) {
    require_ordinary_tokens(tokenizer, invocation);
    facts.vocabulary_sha256 = sha256_of_file(vocabulary_path(invocation));
    facts.vocab_size = tokenizer.vocabulary().size();
    const CorpusText text =
        read_text(scratch_folder_beside(out.value_or("")), tokenizer, invocation);
    note_corpus(facts, text);
    std::optional<PretrainingDataWriter> writer;
    if (out) writer.emplace(*out);
    Counts counts;
    Watch watch{invocation};
    make_examples(
        text.corpus, tokenizer, facts,
        [&](PretrainingExample&& example) {
            if (counts.examples < shown) show(example, counts.examples, tokenizer);
            ++counts.examples;
            counts.random_next += example.is_random_next ? 1 : 0;
            counts.tokens += example.tokens.size();
            counts.chosen += example.positions.size();
            if (writer) writer->add(example);
            return writer || counts.examples < shown;
        },
        [&](std::uint64_t done, std::uint64_t total) {
            if (writer) watch(done, total, "documents");
        });
    watch.finish();
    if (!writer) return;
    writer->commit(facts);
    invocation.tell(summary(*out, counts, facts));
}

void run(const Options& options, const Invocation& invocation) {
    const PretrainingFacts facts = facts_of(options);
    const std::size_t shown = whole_number("--show", options.show, 1, most_shown).value_or(0);
    const std::vector<std::string>& corpus = invocation.arguments;
    if (!options.out && shown == 0)
        throw UsageError{"make-data: --out FILE is missing (or --show N)"};
    if (corpus.empty()) throw UsageError{"make-data: no CORPUS to make examples of"};
    if (options.out) {
        std::vector<std::string> inputs = model_files(model_folder(invocation));
        inputs.insert(inputs.end(), corpus.begin(), corpus.end());
        require_output_path("--out", *options.out, inputs);
    }
    const Tokenizer tokenizer = load_tokenizer(invocation);
    if (!options.out && corpus.size() == 1 && is_data_file(corpus.front()))
        show_data_file(corpus.front(), shown, tokenizer, invocation);
    else
        make(options.out, shown, facts, tokenizer, invocation);
}

}  // namespace

Command make_data_command() {
    const auto o = std::make_shared<Options>();
    return {
        .name = "make-data",
        .summary = "Examples of pre-training from a corpus",
        .examples =
            "  bert make-data --model DIR --out train.data corpus.txt\n"
            "  bert make-data --model DIR --show 3 corpus.txt\n"
            "  bert make-data --model DIR --show 3 train.data\n",
        .arguments = "CORPUS",
        .arguments_description =
            "...  UTF-8 text: one sentence a line, a blank line between documents; with --show "
            "alone, or a file that --out wrote",
        .takes_json = false,
        .options =
            {{"--out", "FILE", "The examples, for bert pretrain and bert eval", &o->out},
             {"--show", "N", "Print N examples: their text, what the model reads, what it guesses",
              &o->show},
             {"--max-length", "N", "At most N tokens, special ones included (128)", &o->max_length},
             {"--duplicates", "N", "Go through the corpus N times (5)", &o->duplicates},
             {"--mask-prob", "P", "Share of the tokens to guess (0.15)", &o->mask_prob},
             {"--max-predictions", "N", "At most so many of an example (20)", &o->max_predictions},
             {"--short-seq-prob", "P", "Share of documents with short examples (0.1)",
              &o->short_seq_prob},
             {"--seed", "N", "Of all that is drawn (1)", &o->seed},
             {"--whole-words", "", "Choose whole words, not single pieces", &o->whole_words},
             {"--dynamic-masking", "", "Choose nothing now: training chooses anew in each pass",
              &o->dynamic_masking}},
        .run = [o](const Invocation& invocation) { run(*o, invocation); }};
}

}  // namespace bert
