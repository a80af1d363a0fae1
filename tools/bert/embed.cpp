// bert embed: a vector for each text.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ch14_bert/bert.hpp"
#include "ch14_bert/text_vectors.hpp"
#include "common/cli/program.hpp"
#include "tools/bert/commands.hpp"
#include "tools/bert/finite_tensors.hpp"
#include "tools/bert/model.hpp"
#include "tools/bert/results.hpp"
#include "tools/bert/texts.hpp"

namespace bert {

namespace {

struct Options {
    TextOptions texts;
    LengthOptions lengths;
    std::optional<std::string> pooling;
    std::optional<std::string> normalize;
};

Pooling parse_pooling(const std::optional<std::string>& text) {
    if (!text || *text == "mean") return Pooling::mean;
    if (*text == "cls") return Pooling::cls;
    if (*text == "pooler") return Pooling::pooler;
    throw UsageError{"--pooling: unknown word (found " + *text + ", expected mean, cls or pooler)"};
}

std::string line_of(std::span<const Real> vector, bool json) {
    std::string line = json ? "{\"embedding\":" : "";
    if (json) {
        append_list(line, vector);
        return line + "}\n";
    }
    for (const Real x : vector)
        append_number(line, x, ' ');
    return line.substr(1) + '\n';
}

void run(const Options& options, const Invocation& invocation) {
    const Pooling pooling = parse_pooling(options.pooling);
    const PretrainedBert model = load_model(invocation);
    if (pooling == Pooling::pooler) {
        require_parts(model, {.pooler = true, .predictions = false, .seq_relationship = false},
                      "the pooler", invocation);
    }
    const Tokenizer& tokenizer = require_tokenizer(model, invocation);
    const auto embed = [&](std::span<const Encoding> encodings, std::span<const std::size_t> places,
                           std::vector<std::string>& lines) {
        const BertInput input = batch_of(encodings, places, tokenizer.special().pad);
        Tensor vectors =
            text_vectors(model(input, {.padding = false}), input.attention_mask, pooling);
        if (options.normalize) vectors = unit_rows(vectors);
        require_finite("embedding", vectors);
        for (std::size_t b = 0; b < places.size(); ++b)
            lines[places[b]] = line_of(vectors.row(b), invocation.json);
    };
    for_each_text(model, tokenizer, options.texts, options.lengths, invocation, embed);
}

}  // namespace

Command embed_command() {
    const auto options = std::make_shared<Options>();
    Command command{.name = "embed",
                    .summary = "A vector for each text, a line a text",
                    .examples =
                        "  bert embed --model DIR \"a text\" \"another one\"\n"
                        "  bert embed --model DIR --normalize --json --text-file sentences.txt\n",
                    .run = naming_tensors(
                        [options](const Invocation& invocation) { run(*options, invocation); })};
    options->texts.add_to(command);
    command.options.push_back({"--pooling", "HOW",
                               "mean: of all tokens (without the option); cls: the first one; "
                               "pooler: the pooler's output",
                               &options->pooling});
    command.options.push_back({"--normalize", "", "Each vector to length 1", &options->normalize});
    options->lengths.add_to(command);
    return command;
}

}  // namespace bert
