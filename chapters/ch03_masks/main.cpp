// Prints every number of chapter 3: masks, and what goes wrong with other ways to mask.
#include <fmt/core.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "ch01_attention_by_hand/attention_with_matrices.hpp"
#include "ch01_attention_by_hand/examples.hpp"
#include "ch02_scaled_dot_product/softmax.hpp"
#include "ch02_scaled_dot_product/word_attention.hpp"
#include "ch03_masks/mask_laboratory.hpp"
#include "ch03_masks/masks.hpp"
#include "common/cli/output_folder.hpp"
#include "common/cli/program.hpp"
#include "common/cli/section.hpp"
#include "common/plot/heatmap.hpp"
#include "common/plot/terminal.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/print.hpp"

namespace {

using namespace bert;

const Tensor scores{{2, 4, 4}, {4, 16, 12}, {4, 12, 10}};  // of chapter 1's worked example

void print_causal() {
    section("Causal mask");
    const ProjectionWeights weights = worked_example_weights();
    const MatrixSteps unmasked =
        attention_with_matrices(to_tensor(three_inputs()), to_tensor(weights.key),
                                to_tensor(weights.query), to_tensor(weights.value));
    fmt::print("mask\n{}", to_table(causal_mask(3), {.decimals = 0}));
    fmt::print("scores with the future hidden\n{}",
               to_table(hide_scores(unmasked.scores, causal_mask(3)), {.decimals = 0}));
    fmt::print("weights without mask\n{}", to_table(unmasked.weights));
    fmt::print("weights with mask\n{}", to_table(masked_softmax(unmasked.scores, causal_mask(3))));
}

void print_padding() {
    section("Padding and both");
    const Tensor attention_mask{{1, 1, 1, 1}, {1, 1, 0, 0}};
    const Tensor padding = padding_mask(attention_mask);
    fmt::print("attention_mask {}\n{}", with_letters(attention_mask.shape(), "BS"),
               to_table(attention_mask, {.decimals = 0}));
    const Tensor both = combine_masks(causal_mask(4), padding);
    fmt::print("causal and padding together {}\n{}", with_letters(both.shape(), "BTS"),
               to_table(both, {.decimals = 0}));
}

void print_line(const std::string& name, const Tensor& weights, std::size_t row) {
    const Tensor line = slice(weights, 0, row, row + 1);
    fmt::print("  {:<34}{}", name,
               to_table(concat({line, reshape(row_sums(line), {1, 1})}, 1), {.indent = 0}));
}

void print_laboratory() {
    section("Mask laboratory");
    const Tensor mask = causal_mask(3);
    fmt::print("row 1 of the worked example: scores 2 4 4, only the first visible; last: sum\n");
    print_line("right: -infinity", masked_softmax(scores, mask), 0);
    print_line("-10000 added", softmax_with_penalty(scores, mask, -10000), 0);
    print_line("wrong: masked after softmax", mask_after_softmax(scores, mask), 0);
    print_line("wrong: hidden scores set to 0", softmax_of_zeroed_scores(scores, mask), 0);
    fmt::print("scores 0 20000, only the first visible\n");
    const Tensor large{{0, 20000}};
    print_line("right: -infinity", masked_softmax(large, Tensor{{1, 0}}), 0);
    print_line("wrong: -10000 added", softmax_with_penalty(large, Tensor{{1, 0}}, -10000), 0);
    fmt::print("scores 4 16 12, nothing visible\n");
    const Tensor nothing(Shape{3, 3});
    print_line("right: no weights", masked_softmax(scores, nothing), 1);
    print_line("wrong: -10000 added", softmax_with_penalty(scores, nothing, -10000), 1);
    print_line("masked after softmax", mask_after_softmax(scores, nothing), 1);
    try {
        softmax(hide_scores(scores, nothing));
    } catch (const NumericError& e) {
        fmt::print("  plain softmax refuses: {}\n", e.what());
    }
}

void print_off_by_one() {
    section("Who sees itself");
    const std::vector<std::string> words{"i", "have", "a", "cat"};
    fmt::print("right: the current word is visible\n{}",
               to_table(causal_mask(4), {.decimals = 0, .row_names = words}));
    fmt::print("wrong: the current word is hidden too, and the first row has nothing\n{}",
               to_table(mask_without_diagonal(4), {.decimals = 0, .row_names = words}));
}

void print_map(const OutputFolder& out) {
    section("Masked attention map");
    const std::vector<std::string> words{"<start>", "i", "have", "a", "cat"};
    const WordAttention map = attend_to_words(words, 1);
    const Heatmap heatmap{.values = masked_softmax(map.scores, causal_mask(words.size())),
                          .row_names = words,
                          .column_names = words,
                          .title = "Untrained causal attention: i have a cat",
                          .row_title = "query",
                          .column_title = "key",
                          .range = {{0.0, 1.0}},
                          .show_numbers = true};
    fmt::print("{}", terminal_heatmap(heatmap, detect_terminal_style(STDOUT_FILENO)));
    out.write("causal_map.svg", heatmap_svg(heatmap));
}

}  // namespace

int main(int argc, char** argv) {
    return bert::run_chapter(argc, argv, "Chapter 3: masks", {},
                             [](const bert::ChapterOptions& options) {
                                 print_causal();
                                 print_padding();
                                 print_laboratory();
                                 print_off_by_one();
                                 print_map(bert::OutputFolder{options.out});
                             });
}
