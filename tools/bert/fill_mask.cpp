// bert fill-mask: what could stand at each [MASK].
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ch02_scaled_dot_product/softmax.hpp"
#include "ch14_bert/bert.hpp"
#include "ch14_bert/guesses.hpp"
#include "common/cli/program.hpp"
#include "common/io/json_file.hpp"
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
    std::optional<std::string> top_k;
};

/// A [MASK] of a batch.
struct Mask {
    std::size_t example;   // of the batch
    std::size_t position;  // in the example
};

std::vector<Mask> masks_of(const BertInput& input, TokenId mask_id) {
    std::vector<Mask> masks;
    for (std::size_t i = 0; i < input.input_ids.size(); ++i) {
        if (input.input_ids[i] == mask_id && input.attention_mask.data()[i] != Real{0})
            masks.push_back({i / input.length, i % input.length});
    }
    return masks;
}

// The hidden states of the masks: (M, D).
Tensor rows_of(const Tensor& hidden, std::span<const Mask> masks) {
    Tensor rows = Tensor::for_overwrite({masks.size(), hidden.dim(-1)});
    for (std::size_t m = 0; m < masks.size(); ++m) {
        const std::span<const Real> row =
            hidden.row(masks[m].example * hidden.dim(1) + masks[m].position);
        std::copy(row.begin(), row.end(), rows.mutable_row(m).begin());
    }
    return rows;
}

class MaskFiller {
  public:
    MaskFiller(const PretrainedBert& model, const Tokenizer& tokenizer, std::size_t top_k,
               bool json)
        : model_(model), tokenizer_(tokenizer), top_k_(top_k), json_(json) {}

    void operator()(std::span<const Encoding> encodings, std::span<const std::size_t> places,
                    std::vector<std::string>& lines) const {
        const BertInput input = batch_of(encodings, places, tokenizer_.special().pad);
        const BertOutput output = model_(input, {.padding = false});
        const std::vector<Mask> all = masks_of(input, tokenizer_.special().mask);
        for (std::size_t begin = 0; begin < all.size(); begin += masks_at_once) {
            const auto masks =
                std::span{all}.subspan(begin, std::min(masks_at_once, all.size() - begin));
            const Tensor logits =
                model_.bert().prediction_logits(rows_of(output.last_hidden_state, masks));
            require_finite("prediction_logits", logits);
            const Tensor probabilities = softmax(logits);
            for (std::size_t m = 0; m < masks.size(); ++m)
                append(lines[places[masks[m].example]], masks[m].position, probabilities.row(m));
        }
        if (!json_) return;
        for (const std::size_t place : places)
            lines[place] = "[" + lines[place] + "]\n";
    }

  private:
    static constexpr std::size_t masks_at_once = 256;

    void append(std::string& text, std::size_t position,
                std::span<const Real> probabilities) const {
        const bool escape = isatty(STDOUT_FILENO) == 1;
        if (!json_ && !text.empty()) text += '\n';  // between two masks
        std::size_t rank = 0;
        for (const std::size_t id : largest_entries(probabilities, top_k_)) {
            const std::string& token = tokenizer_.vocabulary().token(static_cast<TokenId>(id));
            if (json_) {
                if (!text.empty()) text += ',';
                text += fmt::format(
                    "{{\"position\":{},\"token\":{},\"token_id\":{},"
                    "\"probability\":{}}}",
                    position, json_string(token), id, probabilities[id]);
                continue;
            }
            text += fmt::format("{:>3}  {:<16}  {:.4f}\n", ++rank,
                                escape ? printable(token) : token, probabilities[id]);
        }
    }

    const PretrainedBert& model_;
    const Tokenizer& tokenizer_;
    std::size_t top_k_;
    bool json_;
};

void run(const Options& options, const Invocation& invocation) {
    const std::size_t top_k = whole_number("--top-k", options.top_k, 1, most_tokens).value_or(5);
    const PretrainedBert model = load_model(invocation);
    require_parts(model, {.pooler = false, .predictions = true, .seq_relationship = false},
                  "the masked language model head", invocation);
    const Tokenizer& tokenizer = require_tokenizer(model, invocation);
    if (top_k > model.config().vocab_size && options.top_k) {
        throw UsageError{fmt::format("--top-k: more than tokens (found {}, expected at most {})",
                                     top_k, model.config().vocab_size)};
    }
    const std::int64_t mask_id = tokenizer.special().mask;
    const auto require_mask = [&](const Example&, const Encoding& encoding,
                                  const std::string& place) {
        const auto& ids = encoding.input_ids;
        if (std::find(ids.begin(), ids.end(), mask_id) != ids.end()) return;
        throw UsageError{place + ": nothing to fill in (found no " +
                         tokenizer.options().mask_token + ", expected at least one)"};
    };
    const MaskFiller filler{model, tokenizer, std::min(top_k, model.config().vocab_size),
                            invocation.json};
    bool first = true;
    for_each_text(model, tokenizer, options.texts, options.lengths, invocation, filler,
                  require_mask, [&](std::string& line) {
                      if (!invocation.json && !first) line.insert(0, "\n");  // between two texts
                      first = false;
                  });
}

}  // namespace

Command fill_mask_command() {
    const auto options = std::make_shared<Options>();
    Command command{.name = "fill-mask",
                    .summary = "What could stand at each [MASK]: rank, token, probability",
                    .examples =
                        "  bert fill-mask --model DIR \"the capital of France is [MASK].\"\n"
                        "  bert fill-mask --model DIR --top-k 1 --json --text-file questions.txt\n",
                    .run = naming_tensors(
                        [options](const Invocation& invocation) { run(*options, invocation); })};
    options->texts.add_to(command);
    command.options.push_back({"--top-k", "K", "How many tokens for each (5)", &options->top_k});
    options->lengths.add_to(command);
    return command;
}

}  // namespace bert
