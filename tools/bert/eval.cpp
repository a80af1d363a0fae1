// bert eval: how well a model guesses masked tokens and next sentences.
#include <fmt/core.h>

#include <memory>
#include <optional>
#include <string>

#include "ch15_pretraining/evaluation.hpp"
#include "ch15_pretraining/pretraining_log.hpp"
#include "common/cli/program.hpp"
#include "common/cli/progress.hpp"
#include "common/io/sha256.hpp"
#include "tools/bert/commands.hpp"
#include "tools/bert/model.hpp"
#include "tools/bert/results.hpp"

namespace bert {

namespace {

std::string table_of(const PretrainingEvaluation& e) {
    return fmt::format(
        "                loss     right  always the most frequent\n"
        "masked tokens   {:<7.4f}  {:5.1f} %  {:5.1f} %   of {} tokens, perplexity {:.2f}\n"
        "next sentence   {:<7.4f}  {:5.1f} %  {:5.1f} %   of {} pairs\n",
        e.mlm_loss, 100 * e.mlm_accuracy, 100 * e.majority_mlm, e.tokens, e.perplexity, e.nsp_loss,
        100 * e.nsp_accuracy, 100 * e.majority_nsp, e.examples);
}

void run(const std::optional<std::string>& data_path, const Invocation& invocation) {
    if (!data_path) throw UsageError{"eval: --data FILE is missing"};
    const PretrainedBert model = load_model(invocation);
    require_parts(model, {}, "what pre-training needs", invocation);
    const std::string vocabulary = model_folder(invocation) + "/vocab.txt";
    const Tokenizer& tokenizer = require_tokenizer(model, invocation);
    require_fitting_vocabulary(vocabulary, tokenizer.vocabulary(), model.config());
    PretrainingData data{*data_path};
    require_fitting_data(data, sha256_of_file(vocabulary), model.config());
    const std::uint64_t seed = data.facts().seed;
    const ExampleReader examples{std::move(data), tokenizer, seed};
    std::optional<Progress> progress;
    if (!invocation.quiet) progress.emplace(examples.size(), 0, Progress::Elsewhere::nothing);
    const PretrainingEvaluation evaluation =
        evaluate(model, examples, [&](std::size_t done, std::size_t) {
            if (progress) progress->show(done, "examples");
        });
    if (progress) progress->finish();
    write_result(invocation.json ? to_json(evaluation) + "\n" : table_of(evaluation));
}

}  // namespace

Command eval_command() {
    const auto data = std::make_shared<std::optional<std::string>>();
    return {
        .name = "eval",
        .summary = "Losses and accuracies on examples that bert make-data made",
        .examples = "  bert eval --model DIR --data held-out.bin\n",
        .options = {{"--data", "FILE", "Examples, made with the model's vocab.txt", data.get()}},
        .run = [data](const Invocation& invocation) { run(*data, invocation); }};
}

}  // namespace bert
