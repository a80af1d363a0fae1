// bert encode: what the model makes of texts, as arrays in one .npz file.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "ch13_bert_input/batch.hpp"
#include "ch14_bert/bert.hpp"
#include "common/cli/program.hpp"
#include "common/cli/progress.hpp"
#include "common/io/file_error.hpp"
#include "common/io/mapped_file.hpp"
#include "tools/bert/commands.hpp"
#include "tools/bert/encoded_arrays.hpp"
#include "tools/bert/finite_tensors.hpp"
#include "tools/bert/model.hpp"
#include "tools/bert/results.hpp"
#include "tools/bert/texts.hpp"

namespace bert {

namespace {

namespace fs = std::filesystem;

struct Options {
    TextOptions texts;
    LengthOptions lengths;
    std::optional<std::string> out;
    std::optional<std::string> input;
    std::optional<std::string> hidden_states;
    std::optional<std::string> attentions;
    std::optional<std::string> logits;
};

BertInput input_of_texts(const PretrainedBert& model, const Options& options,
                         const Invocation& invocation) {
    const Tokenizer& tokenizer = require_tokenizer(model, invocation);
    const ModelInput model_input{model, tokenizer, options.lengths};
    Examples examples{options.texts, invocation};
    std::vector<Encoding> encodings;
    std::size_t longest = 0;
    for (;;) {
        const std::vector<Example> some = examples.next(examples_at_once);
        if (some.empty()) break;
        for (const Example& example : some) {
            encodings.push_back(model_input(example, examples.place(example.number)));
            longest = std::max(longest, encodings.back().length());
        }
        require_room("the result", static_cast<double>(encodings.size() * longest) *
                                       static_cast<double>(model.config().hidden_size) *
                                       sizeof(Real));
    }
    examples.warn_of_bad_utf8();
    examples.require_some();
    return make_batch(encodings, tokenizer.special().pad);
}

// A pipe or a device may have any name.
void require_npz_name(const std::string& path) {
    std::error_code fault;
    const fs::file_status status = fs::status(path, fault);
    const bool is_new_file = !fs::exists(status) || fs::is_regular_file(status);
    if (!is_new_file || path.starts_with("/dev/") || fs::path{path}.extension() == ".npz") return;
    throw UsageError{"--out: " + path + ": what encode writes is a .npz file (write " + path +
                     ".npz)"};
}

void require_options(const Options& options, const Invocation& invocation) {
    if (!options.out) throw UsageError{"encode: --out FILE.npz is missing"};
    const bool texts = !invocation.arguments.empty() || options.texts.text_file ||
                       options.texts.pair || options.lengths.max_length ||
                       options.lengths.truncation;
    if (options.input && texts) throw UsageError{"--input: goes without texts and their options"};
    std::vector<std::string> inputs = model_files(model_folder(invocation));
    inputs.push_back(options.input ? *options.input : options.texts.source(invocation.arguments));
    require_output_path("--out", *options.out, inputs);
    require_npz_name(*options.out);
}

void run(const Options& options, const Invocation& invocation) {
    require_options(options, invocation);
    const PretrainedBert model = load_model(invocation);
    const std::string file = options.input == "-" ? "/dev/stdin" : options.input.value_or("");
    const BertInput input = options.input ? read_input(file, model.config())
                                          : input_of_texts(model, options, invocation);
    if (options.logits && !model.bert().predictions && !model.bert().seq_relationship)
        invocation.warn("--logits: the model has no heads");
    EncodedArrays arrays{model,
                         input,
                         {.hidden_states = options.hidden_states.has_value(),
                          .attentions = options.attentions.has_value(),
                          .logits = options.logits.has_value()}};
    std::optional<Progress> progress;
    if (!invocation.quiet) progress.emplace(input.batch, 0, Progress::Elsewhere::nothing);
    const std::size_t step = arrays.examples_at_once();
    for (std::size_t begin = 0; begin < input.batch; begin += step) {
        const std::size_t end = std::min(input.batch, begin + step);
        arrays.run(begin, end);
        if (progress && step < input.batch) progress->show(end, "texts");
    }
    if (progress) progress->finish();
    require_mapped_files_intact();
    arrays.write(*options.out);
    invocation.tell("wrote " + *options.out);
}

}  // namespace

Command encode_command() {
    const auto options = std::make_shared<Options>();
    Command command{.name = "encode",
                    .summary = "Hidden states, attentions and logits into a .npz file",
                    .examples =
                        "  bert encode --model DIR --out states.npz \"a text\" \"another one\"\n"
                        "  bert encode --model DIR --out all.npz --hidden-states --attentions "
                        "--logits - < texts\n"
                        "  bert encode --model DIR --out states.npz --input ids.npz\n",
                    .takes_json = false,
                    .run = naming_tensors(
                        [options](const Invocation& invocation) { run(*options, invocation); })};
    command.options = {
        {"--out", "FILE", "The .npz file to write", &options->out},
        {"--input", "FILE",
         "A .npz file (-: standard input) with input_ids, and token_type_ids and attention_mask "
         "if wanted, in place of texts",
         &options->input},
        {"--hidden-states", "", "hidden_states (L+1, B, T, D) too", &options->hidden_states},
        {"--attentions", "", "attentions (L, B, H, T, T) too", &options->attentions},
        {"--logits", "", "The logits of the heads that the model has too", &options->logits}};
    options->texts.add_to(command);
    options->lengths.add_to(command);
    return command;
}

}  // namespace bert
