// bert embed: a vector for each text.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

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
    std::optional<std::string> pooling;
    std::optional<std::string> normalize;
};

enum class Pooling { mean, cls, pooler };

Pooling parse_pooling(const std::optional<std::string>& text) {
    if (!text || *text == "mean") return Pooling::mean;
    if (*text == "cls") return Pooling::cls;
    if (*text == "pooler") return Pooling::pooler;
    throw UsageError{"--pooling: unknown word (found " + *text + ", expected mean, cls or pooler)"};
}

// Of all tokens, [CLS] and [SEP] too; the rows of padding are 0.
std::vector<double> mean_of_tokens(const Tensor& hidden, std::size_t b, std::size_t tokens) {
    std::vector<double> sum(hidden.dim(-1));
    for (std::size_t t = 0; t < tokens; ++t) {
        const std::span<const Real> row = hidden.row(b * hidden.dim(1) + t);
        for (std::size_t d = 0; d < sum.size(); ++d)
            sum[d] += static_cast<double>(row[d]);
    }
    for (double& x : sum)
        x /= static_cast<double>(tokens);
    return sum;
}

std::vector<double> pooled(const BertOutput& output, std::size_t b, std::size_t tokens,
                           Pooling pooling) {
    const Tensor& hidden = output.last_hidden_state;
    if (pooling == Pooling::mean) return mean_of_tokens(hidden, b, tokens);
    const std::span<const Real> row =
        pooling == Pooling::cls ? hidden.row(b * hidden.dim(1)) : output.pooler_output->row(b);
    return {row.begin(), row.end()};
}

// To length 1; a vector of zeros stays one.
void normalise(std::vector<double>& vector) {
    double squares = 0;
    for (const double x : vector)
        squares += x * x;
    const double length = std::max(std::sqrt(squares), 1e-12);
    for (double& x : vector)
        x /= length;
}

std::string line_of(const std::vector<double>& vector, bool json) {
    std::string line = json ? "{\"embedding\":" : "";
    std::vector<Real> numbers;
    for (const double x : vector)
        numbers.push_back(static_cast<Real>(x));
    require_finite("embedding", Tensor(Shape{numbers.size()}, numbers));
    if (json) {
        append_list(line, numbers);
        return line + "}\n";
    }
    for (const Real x : numbers)
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
        const BertOutput output =
            model(batch_of(encodings, places, tokenizer.special().pad), {.padding = false});
        for (std::size_t b = 0; b < places.size(); ++b) {
            std::vector<double> vector = pooled(output, b, encodings[places[b]].length(), pooling);
            if (options.normalize) normalise(vector);
            lines[places[b]] = line_of(vector, invocation.json);
        }
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
