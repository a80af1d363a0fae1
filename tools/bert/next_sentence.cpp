// bert next-sentence: does B follow A?
#include <fmt/core.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ch02_scaled_dot_product/softmax.hpp"
#include "ch14_bert/bert.hpp"
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
};

std::string line_of(std::span<const Real> probabilities, bool json) {
    if (!json)
        return fmt::format("follows {:.4f}  not {:.4f}\n", probabilities[0], probabilities[1]);
    std::string line = "{\"follows\"";
    append_number(line, probabilities[0], ':');
    line += ",\"not\"";
    append_number(line, probabilities[1], ':');
    return line + "}\n";
}

void run(const Options& options, const Invocation& invocation) {
    const PretrainedBert model = load_model(invocation);
    require_parts(model, {.pooler = true, .predictions = false, .seq_relationship = true},
                  "the next sentence head", invocation);
    const Tokenizer& tokenizer = require_tokenizer(model, invocation);
    const auto judge = [&](std::span<const Encoding> encodings, std::span<const std::size_t> places,
                           std::vector<std::string>& lines) {
        const BertOutput output =
            model(batch_of(encodings, places, tokenizer.special().pad), {.padding = false});
        const Tensor logits = model.bert().seq_relationship_logits(*output.pooler_output);
        require_finite("seq_relationship_logits", logits);
        const Tensor probabilities = softmax(logits);
        for (std::size_t b = 0; b < places.size(); ++b)
            lines[places[b]] = line_of(probabilities.row(b), invocation.json);
    };
    for_each_text(model, tokenizer, options.texts, options.lengths, invocation, judge,
                  [](const Example& example, const Encoding&, const std::string& place) {
                      if (example.text.second) return;
                      throw UsageError{place + ": not a pair (expected A<TAB>B, or --pair)"};
                  });
}

}  // namespace

Command next_sentence_command() {
    const auto options = std::make_shared<Options>();
    Command command{.name = "next-sentence",
                    .summary = "How probable it is that text B follows text A",
                    .examples =
                        "  bert next-sentence --model DIR \"she opened the door.\" --pair \"nobody "
                        "was there.\"\n"
                        "  bert next-sentence --model DIR --json < pairs.tsv\n",
                    .run = naming_tensors(
                        [options](const Invocation& invocation) { run(*options, invocation); })};
    options->texts.add_to(command);
    options->lengths.add_to(command);
    return command;
}

}  // namespace bert
