// Prints every number of chapter 4.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "ch04_multi_head/ablation.hpp"
#include "ch04_multi_head/examples.hpp"
#include "ch04_multi_head/mistakes.hpp"
#include "ch04_multi_head/multi_head.hpp"
#include "ch04_multi_head/separate_heads.hpp"
#include "common/attention_map/attention_dump.hpp"
#include "common/cli/output_folder.hpp"
#include "common/cli/program.hpp"
#include "common/cli/section.hpp"
#include "common/plot/heatmap.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/print.hpp"
#include "common/tensor/reduce.hpp"

namespace {

using namespace bert;

// Matrix `index` of the last two dimensions.
Tensor matrix(const Tensor& x, std::size_t index) {
    const Tensor all = reshape(x, {x.size() / (x.dim(-2) * x.dim(-1)), x.dim(-2), x.dim(-1)});
    return reshape(slice(all, 0, index, index + 1), {x.dim(-2), x.dim(-1)});
}

void print_by_hand() {
    section("Two heads by hand");
    const Tensor x = by_hand_input();
    const MultiHeadAttention layer = by_hand_layer();
    const Tensor q = split_heads(layer.query(x), 2);
    const Tensor k = split_heads(layer.key(x), 2);
    const Tensor v = split_heads(layer.value(x), 2);
    const Attention heads = attention(q, k, v);
    for (std::size_t h = 0; h < 2; ++h) {
        fmt::print("head {}\n", h + 1);
        fmt::print("  queries {}", to_table(reshape(matrix(q, h), {3})));
        fmt::print("  keys    {}", to_table(reshape(matrix(k, h), {3})));
        fmt::print("  values  {}", to_table(reshape(matrix(v, h), {3})));
        fmt::print("  weights\n{}", to_table(matrix(heads.weights, h), {.indent = 4}));
        fmt::print("  z       {}", to_table(reshape(matrix(heads.output, h), {3})));
    }
    fmt::print("side by side\n{}", to_table(matrix(merge_heads(heads.output), 0)));
    fmt::print("output = side by side W_O\n{}", to_table(matrix(layer(x, x).output, 0)));
}

void print_forms() {
    section("Two forms, one result");
    fmt::print("largest difference between one projection, split, and matrices a head\n");
    fmt::print("  heads   output  weights\n");
    for (const std::size_t num_heads : {1U, 3U, 8U, 24U}) {
        const auto [words, x, mask, layer] = sentence_example(num_heads);
        const Attention split = layer(x, x, mask);
        const Attention separate = cut_into_heads(layer)(x, x, mask);
        fmt::print("  {:>5} {:>8} {:>8}\n", num_heads,
                   to_text(largest_difference(split.output, separate.output), 4),
                   to_text(largest_difference(split.weights, separate.weights), 4));
    }
}

// N15 and N16: what has which shape.
void print_shapes(const MultiHeadAttention& layer, const Tensor& x) {
    const std::size_t num_heads = layer.num_heads;
    const Tensor q = layer.query(x);
    const Tensor split = split_heads(q, num_heads);
    const Attention heads = attention(split, split_heads(layer.key(x), num_heads),
                                      split_heads(layer.value(x), num_heads));
    const Tensor merged = merge_heads(heads.output);
    fmt::print("x                     {}\n", with_letters(x.shape(), "BTD"));
    fmt::print("x W_Q                 {}\n", with_letters(q.shape(), "BTD"));
    fmt::print("split                 {}\n", with_letters(split.shape(), "BHTK"));
    fmt::print("weights of the heads  {}\n", with_letters(heads.weights.shape(), "BHTS"));
    fmt::print("z of the heads        {}\n", with_letters(heads.output.shape(), "BHTK"));
    fmt::print("side by side          {}, {} x {} = {}\n", with_letters(merged.shape(), "BTD"),
               num_heads, split.dim(-1), merged.dim(-1));
    fmt::print("W_O                   {}\n", to_string(layer.output.weight.shape()));
    fmt::print("output                {}\n", with_letters(layer.output(merged).shape(), "BTD"));
}

void print_published() {
    section("Three heads, step by step");
    const SentenceExample example = sentence_example(3);
    print_shapes(example.layer, example.x);
    section("Eight heads of width 64");
    Random random{8};
    const MultiHeadAttention layer = random_multi_head(random, 512, 8, 0.02);
    print_shapes(layer, normal(random, {1, 2, 512}, 0.0, 1.0));
    fmt::print("parameters            {}\n", parameter_count(layer));
}

void print_cost() {
    section("What heads cost");
    fmt::print("  heads  width of a head  parameters\n");
    for (const std::size_t num_heads : {1U, 2U, 3U, 4U, 6U, 8U, 12U, 24U}) {
        fmt::print("  {:>5} {:>16} {:>11}\n", num_heads, sentence_width / num_heads,
                   parameter_count(sentence_example(num_heads).layer));
    }
}

void print_mistakes() {
    section("What goes wrong here");
    const auto show = [](std::string_view name, Mistake mistake) {
        const Tensor output = output_with(mistake, by_hand_layer(), by_hand_input());
        fmt::print("{:<36}{:>9}{:>9}\n", name, to_text(output(0, 2, 0), 4),
                   to_text(output(0, 2, 1), 4));
    };
    show("right", Mistake::none);
    show("split by reshape, without transpose", Mistake::split_without_transpose);
    show("scores divided by sqrt(d_model)", Mistake::scale_by_width);
    show("merged by reshape, without transpose", Mistake::merge_without_transpose);
    show("no W_O", Mistake::no_output);
}

AttentionDump dump_of(const SentenceExample& example, const Attention& attention) {
    const std::size_t length = example.words.size();
    const std::size_t num_heads = example.layer.num_heads;
    AttentionDump dump;
    dump.attentions = reshape(attention.weights, {1, 1, num_heads, length, length});
    dump.layers = {0};
    for (std::size_t h = 0; h < num_heads; ++h)
        dump.heads.push_back(static_cast<std::int32_t>(h));
    dump.tokens = {example.words};
    dump.mask = AttentionMask::causal;
    dump.title = "Chapter 4: heads of one layer";
    dump.model = "MultiHeadAttention";
    return dump;
}

void print_sentence(std::size_t num_heads, const std::string& folder) {
    section("What the heads look at");
    const SentenceExample example = sentence_example(num_heads);
    const auto& [words, x, mask, layer] = example;
    const Attention attention = layer(x, x, mask);
    for (std::size_t h = 0; h < num_heads; ++h) {
        fmt::print(
            "head {}, width {}\n{}", h + 1, sentence_width / num_heads,
            to_table(matrix(attention.weights, h), {.row_names = words, .column_names = words}));
    }
    section("Without one head");
    const std::vector<double> changes = changes_without_heads(layer, x, mask);
    for (std::size_t h = 0; h < num_heads; ++h)
        fmt::print("without head {}: mean change of the output {}\n", h + 1,
                   to_text(changes[h], 4));
    if (folder.empty()) return;
    section("Files");
    const OutputFolder out{folder};
    const AttentionDump dump = dump_of(example, attention);
    out.save("heads.attn.npz",
             [&dump](const std::string& path) { write_attention_npz(path, dump); });
    for (std::size_t h = 0; h < num_heads; ++h) {
        Heatmap heatmap = attention_heatmap(dump, 0, 0, h);
        heatmap.title = fmt::format("Untrained causal attention, head {} of {}", h + 1, num_heads);
        heatmap.show_numbers = true;
        out.write(fmt::format("head_{}.svg", h + 1), heatmap_svg(heatmap));
    }
}

std::size_t heads_option(const std::string& text) {
    const auto num_heads = static_cast<std::size_t>(
        parse_whole_number("--heads", text, 1, static_cast<long>(sentence_width)));
    if (sentence_width % num_heads != 0) {
        throw UsageError{fmt::format("--heads: found {}, expected a divisor of the width {}",
                                     num_heads, sentence_width)};
    }
    return num_heads;
}

}  // namespace

int main(int argc, char** argv) {
    std::string heads;
    return run_chapter(
        argc, argv, "Multi-head attention: several attentions side by side",
        {{"--heads", "H", "Print only the sentence, with this many heads (default: all, with 3)",
          &heads}},
        [&heads](const ChapterOptions& options) {
            if (!heads.empty()) return print_sentence(heads_option(heads), options.out);
            print_by_hand();
            print_forms();
            print_published();
            print_cost();
            print_mistakes();
            print_sentence(3, options.out);
        });
}
