// Prints every number of chapter 2 and draws the attention map of a sentence.
#include <fmt/core.h>
#include <unistd.h>

#include <string>

#include "ch01_attention_by_hand/attention_with_matrices.hpp"
#include "ch01_attention_by_hand/examples.hpp"
#include "ch02_scaled_dot_product/attention.hpp"
#include "ch02_scaled_dot_product/dot_product_statistics.hpp"
#include "ch02_scaled_dot_product/softmax.hpp"
#include "ch02_scaled_dot_product/word_attention.hpp"
#include "common/attention_map/attention_dump.hpp"
#include "common/cli/output_folder.hpp"
#include "common/cli/program.hpp"
#include "common/cli/section.hpp"
#include "common/io/file_error.hpp"
#include "common/io/npz.hpp"
#include "common/io/utf8.hpp"
#include "common/plot/heatmap.hpp"
#include "common/plot/terminal.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/matmul.hpp"
#include "common/tensor/print.hpp"

namespace {

using namespace bert;

constexpr std::uint64_t seed = 1;

void print_thinking_machines() {
    section("Thinking Machines");
    const ThinkingMachines example = thinking_machines();
    const TableFormat whole{.decimals = 0, .row_names = {"Thinking", "Machines"}};
    const TableFormat exact{.row_names = {"Thinking", "Machines"}};
    fmt::print("Q K^T, of width 64\n{}",
               to_table(matmul_transpose_b(example.query, example.key), whole));
    fmt::print("divided by sqrt(64) = 8\n{}",
               to_table(attention_scores(example.query, example.key), whole));
    const auto [output, weights] = attention(example.query, example.key, example.value);
    fmt::print("softmax of each row\n{}", to_table(weights, exact));
    fmt::print("V\n{}", to_table(example.value, whole));
    fmt::print("weights times V\n{}", to_table(output, exact));
}

void print_why_the_square_root() {
    section("Why the square root");
    fmt::print("means of 10000 dot products and of 500 queries with 10 random keys each\n");
    fmt::print("          variance of   divided by   largest of 10 weights    slope w (1 - w)\n");
    fmt::print("  width   q . k         sqrt(width)  unscaled     scaled      unscaled  scaled\n");
    for (const std::size_t width : {16U, 64U, 512U}) {
        const SampledDotProducts products = sample_dot_products(width, 10000, seed);
        const SoftmaxSharpness raw = sample_softmax_sharpness(width, 10, false, 500, seed);
        const SoftmaxSharpness scaled = sample_softmax_sharpness(width, 10, true, 500, seed);
        fmt::print("  {:5}   {:11.4f}   {:11.4f}  {:8.4f}     {:6.4f}      {:8.4f}  {:6.4f}\n",
                   width, products.variance, products.scaled_variance, raw.largest_weight,
                   scaled.largest_weight, raw.slope, scaled.slope);
    }
}

void print_stability() {
    section("Softmax of large numbers");
    const Tensor scores{1000, 1001, 1002};
    fmt::print("scores               {}", to_table(scores, {.decimals = 0}));
    fmt::print("as the formula stands{}", to_table(softmax_naive(scores)));
    fmt::print("largest taken off    {}", to_table(softmax(scores)));
}

void print_shapes() {
    section("Shapes");
    const Tensor x = slice(to_tensor(three_inputs()), 0, 0, 2);
    const ProjectionWeights weights = worked_example_weights();
    const Attention z =
        attention(matmul(x, to_tensor(weights.query)), matmul(x, to_tensor(weights.key)),
                  matmul(x, to_tensor(weights.value)));
    fmt::print("X {}  W_Q W_K W_V {}  weights {}  Z {}\n", to_string(x.shape()),
               to_string(to_tensor(weights.query).shape()), to_string(z.weights.shape()),
               to_string(z.output.shape()));
}

void write_map(const OutputFolder& out, const std::string& name, const WordAttention& map,
               const Heatmap& heatmap) {
    out.write(name + ".svg", heatmap_svg(heatmap));
    out.write(name + ".png", heatmap_png(heatmap));
    const std::size_t length = map.words.size();
    AttentionDump dump;
    dump.attentions = reshape(map.attention.weights, {1, 1, 1, length, length});
    dump.scores = reshape(map.scores, {1, 1, 1, length, length});
    dump.layers = {0};
    dump.heads = {0};
    dump.tokens = {map.words};
    dump.title = heatmap.title;
    out.save(name + ".attn.npz", [&](const std::string& path) { write_attention_npz(path, dump); });
}

void print_map(const OutputFolder& out, const std::string& sentence) {
    constexpr std::size_t most_words = 256;
    const std::vector<std::string> words = split_words(sentence);
    const bool utf8 = utf8_to_code_points(sentence).has_value();
    if (words.empty() || words.size() > most_words || !utf8) {
        throw UsageError{fmt::format("--words: found {} words{}, expected 1 to {} in UTF-8",
                                     words.size(), utf8 ? "" : " of other bytes", most_words)};
    }
    const WordAttention map = attend_to_words(words, seed);
    section("Attention map of a sentence");
    const Heatmap heatmap{.values = map.attention.weights,
                          .row_names = map.words,
                          .column_names = map.words,
                          .title = "Untrained attention: " + sentence,
                          .row_title = "query",
                          .column_title = "key",
                          .range = {{0.0, 1.0}},
                          .show_numbers = true};
    fmt::print("{}", terminal_heatmap(heatmap, detect_terminal_style(STDOUT_FILENO)));
    write_map(out, "attention_map", map, heatmap);
}

const Tensor& entry(const std::map<std::string, Tensor>& tensors, const std::string& path,
                    const std::string& name) {
    const auto found = tensors.find(name);
    if (found == tensors.end()) {
        throw FileError{path + ": no tensor " + name + " (expected query, key and value)"};
    }
    return found->second;
}

void print_your_numbers(const std::string& path) {
    const auto tensors = read_tensors(path);
    const Tensor& query = entry(tensors, path, "query");
    const Tensor& key = entry(tensors, path, "key");
    const auto [output, weights] = attention(query, key, entry(tensors, path, "value"));
    section("Your numbers");
    fmt::print("scores\n{}", to_table(attention_scores(query, key)));
    fmt::print("weights\n{}", to_table(weights));
    fmt::print("output\n{}", to_table(output));
}

}  // namespace

int main(int argc, char** argv) {
    std::string words;
    std::string input;
    return bert::run_chapter(
        argc, argv, "Chapter 2: scaled dot-product attention",
        {{"--words", "TEXT", "Only the attention map of these words", &words},
         {"--input", "FILE", "Only attention over query, key and value of a .json or .npz file",
          &input}},
        [&](const bert::ChapterOptions& options) {
            const bert::OutputFolder out{options.out};
            if (!input.empty() && !words.empty()) {
                throw bert::UsageError{"--input and --words: only one of them at a time"};
            }
            if (!input.empty()) return print_your_numbers(input);
            if (!words.empty()) return print_map(out, words);
            print_thinking_machines();
            print_why_the_square_root();
            print_stability();
            print_shapes();
            print_map(out, "i have a dream");
        });
}
