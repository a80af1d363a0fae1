// Prints every number of chapter 5 and draws its two pictures.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ch02_scaled_dot_product/word_attention.hpp"
#include "ch04_multi_head/multi_head.hpp"
#include "ch05_positions/distance.hpp"
#include "ch05_positions/learned.hpp"
#include "ch05_positions/order.hpp"
#include "ch05_positions/position_laboratory.hpp"
#include "ch05_positions/position_pictures.hpp"
#include "ch05_positions/sinusoidal.hpp"
#include "common/cli/output_folder.hpp"
#include "common/cli/program.hpp"
#include "common/cli/section.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/print.hpp"
#include "common/tensor/reduce.hpp"

namespace {

using namespace bert;
using Encoding = std::vector<double>;

std::string text(const Encoding& encoding) {
    std::string line;
    for (const double x : encoding)
        line += fmt::format("{:>9}", to_text(x, 4));
    return line;
}

Encoding part(double position, std::size_t width, long begin, long end) {
    const Encoding encoding = sinusoidal_position(position, width);
    return Encoding(encoding.begin() + begin, encoding.begin() + end);
}

double largest_difference(const Encoding& a, const Encoding& b) {
    double largest = 0.0;
    for (std::size_t d = 0; d < a.size(); ++d)
        largest = std::max(largest, std::abs(a[d] - b[d]));
    return largest;
}

void print_table() {
    section("A small table");
    fmt::print("N = 6 positions, D = 8\n");
    for (int n = 0; n < 6; ++n)
        fmt::print("  PE({}){}\n", n, text(sinusoidal_position(n, 8)));
    fmt::print("D = 4, all of PE(1)           {}\n", text(sinusoidal_position(1, 4)));
    fmt::print("D = 512, PE(1), first four    {}\n", text(part(1, 512, 0, 4)));
    fmt::print("                last two      {}\n", text(part(1, 512, 510, 512)));
    fmt::print("         PE(100), first two   {}\n", text(part(100, 512, 0, 2)));
}

void print_shift() {
    section("Moving on is turning");
    fmt::print("D = 4: PE(1)                  {}\n", text(sinusoidal_position(1, 4)));
    fmt::print("       PE(1) turned by k = 2  {}\n",
               text(shift_position(sinusoidal_position(1, 4), 2)));
    fmt::print("       PE(3)                  {}\n", text(sinusoidal_position(3, 4)));
    double largest = 0.0;
    for (int shift = -64; shift <= 64; ++shift)
        largest = std::max(largest, shift_error(sinusoidal_position, shift, 512));
    fmt::print("D = 512, positions 0 to 63, shifts -64 to 64: every error below 1e-12: {}\n",
               largest < 1e-12 ? "yes" : "no");
}

// Two outputs of the same words side by side, and below them their means.
void print_pair(std::vector<std::string> words, const Tensor& left, const Tensor& right) {
    words.push_back("mean");
    const Tensor pair = concat({left, right}, 1);
    const Tensor average = mean(pair, 0).reshaped({1, pair.dim(1)});
    fmt::print("{}", to_table(concat({pair, average}, 0), {.row_names = words}));
}

void print_both_orders(const SequenceLayer& layer) {
    const Tensor forwards = layer(vectors_of({"dog", "bites", "man"}));
    const Tensor backwards = layer(vectors_of({"man", "bites", "dog"}));
    fmt::print("{:>9}{:<32}{}\n", "", "in dog bites man", "in man bites dog");
    print_pair({"dog", "bites", "man"}, forwards, permute_rows(backwards, {2, 1, 0}));
}

void print_order() {
    section("Without positions");
    print_both_orders(attend_without_positions);
    section("With positions");
    print_both_orders(attend_with_positions);
    section("How much order changes");
    Random random{5};
    const MultiHeadAttention layer = random_multi_head(random, 4, 2, 0.5);
    const auto heads = [&layer](const Tensor& words) {
        const Tensor batch = words.reshaped({1, 3, 4});
        return layer(batch, batch).output.reshaped({3, 4});
    };
    const Tensor x = vectors_of({"dog", "bites", "man"});
    const auto heads_with_positions = [&heads](const Tensor& words) {
        return heads(words + sinusoidal_positions(3, 4));
    };
    const auto line = [&x](const char* name, const SequenceLayer& without,
                           const SequenceLayer& with) {
        fmt::print("{:<24}{:>9}{:>9}\n", name, to_text(order_sensitivity(without, x, {2, 1, 0}), 4),
                   to_text(order_sensitivity(with, x, {2, 1, 0}), 4));
    };
    fmt::print("{:<24}{:>9}{:>9}\n", "positions", "without", "with");
    line("attention", attend_without_positions, attend_with_positions);
    line("multi-head, 2 heads", heads, heads_with_positions);
}

void print_learned() {
    section("Learned positions");
    const LearnedPositions positions{Tensor(Shape{512, 512})};
    const Tensor x(Shape{2, 7, 512});
    fmt::print("table {} added to x {} gives {}\n", with_letters(positions.table.shape(), "ND"),
               with_letters(x.shape(), "BTD"), with_letters(positions(x).shape(), "BTD"));
    for_each_parameter(positions, [](const std::string& name, const Tensor& table) {
        fmt::print("{}: {} numbers to train; sinusoidal: 0\n", name, table.size());
    });
    try {
        positions(Tensor(Shape{1, 513, 512}));
    } catch (const ShapeError& e) {
        fmt::print("513 positions: {}\n", e.what());
    }
}

void print_distances(std::size_t width) {
    section("How far apart");
    fmt::print("D = {}\n{:>5}{:>14}{:>20}{:>22}\n", width, "k", "cosine", "|PE(0) - PE(k)|",
               "|PE(100) - PE(100+k)|");
    for (const int k : {0, 1, 2, 3, 5, 10, 20, 50, 100, 200}) {
        fmt::print("{:>5}{:>14}{:>20}{:>22}\n", k, to_text(position_similarity(k, width), 4),
                   to_text(position_distance(0, k, width), 4),
                   to_text(position_distance(100, 100 + k, width), 4));
    }
}

void print_laboratory() {
    section("What goes wrong");
    const auto line = [](const char* name, Encoding (*encode)(double, std::size_t)) {
        fmt::print("{:<28}{}{:>11}\n", name, text(encode(1, 4)),
                   to_text(shift_error(encode, 2, 4), 4));
    };
    fmt::print("{:<28}{:>36}{:>11}\n", "D = 4", "PE(1)", "turn error");
    line("as published", sinusoidal_position);
    line("all sines, then all cosines", position_concatenated);
    line("a frequency each", position_unpaired);
    line("i not halved", position_not_halved);
    line("even positions: sine", position_by_parity);
    const auto error = [](double n) {
        return largest_difference(position_in_float(n, 512), sinusoidal_position(n, 512));
    };
    fmt::print("exp(log) in float, D = 512: error below 0.000001 at position 1: {}\n",
               error(1) < 1e-6 ? "yes" : "no");
    fmt::print("                            error above 0.0001 at position 5000: {}\n",
               error(5000) > 1e-4 ? "yes" : "no");
}

void print_sentence(const std::vector<std::string>& words) {
    if (words.empty()) throw UsageError{"--sentence: no words"};
    const Tensor x = vectors_of(words);
    section("Your sentence, without positions on the left and with them on the right");
    print_pair(words, attend_without_positions(x), attend_with_positions(x));
}

void write_pictures(const OutputFolder& out) {
    section("Pictures");
    out.write("positions.svg", heatmap_svg(positions_heatmap(32, 64)));
    out.write("positions_64_x_128.png", heatmap_png(positions_heatmap(64, 128)));
    out.write("position_distance.svg", line_chart_svg(position_distance_chart(200)));
}

}  // namespace

int main(int argc, char** argv) {
    std::string sentence, width;
    const auto print_chapter = [&](const ChapterOptions& options) {
        if (!sentence.empty()) return print_sentence(split_words(sentence));
        if (!width.empty()) {
            const long distance_width = parse_whole_number("--width", width, 2, 65536);
            if (distance_width % 2 != 0) throw UsageError{"--width: odd (expected even)"};
            return print_distances(static_cast<std::size_t>(distance_width));
        }
        print_table();
        print_shift();
        print_order();
        print_learned();
        print_distances(512);
        print_laboratory();
        if (!options.out.empty()) write_pictures(OutputFolder{options.out});
    };
    return run_chapter(
        argc, argv, "Chapter 5: positions, because attention alone knows no order",
        {{"--sentence", "WORDS", "Only these words: dog, bites and man in any order", &sentence},
         {"--width", "D", "Only the distances, at this width", &width}},
        print_chapter);
}
