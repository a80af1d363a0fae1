// Prints every number of chapter 6.
#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ch06_learning/attention_gradients.hpp"
#include "ch06_learning/clip.hpp"
#include "ch06_learning/cross_entropy.hpp"
#include "ch06_learning/expected_curve.hpp"
#include "ch06_learning/learning_laboratory.hpp"
#include "ch06_learning/learning_tables.hpp"
#include "ch06_learning/scalar_graph.hpp"
#include "ch06_learning/toy.hpp"
#include "common/autograd/tape.hpp"
#include "common/cli/output_folder.hpp"
#include "common/cli/program.hpp"
#include "common/cli/section.hpp"
#include "common/plot/terminal.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/print.hpp"
#include "common/tensor/reduce.hpp"

namespace {

using namespace bert;

template <typename Rows>
void print_rows(const std::string& name, const Rows& rows) {
    fmt::print("{}\n", name);
    for (const auto& row : rows)
        fmt::print("  {}\n", columns(row));
}

void print_two_keys() {
    section("Forwards and backwards");
    ScalarGraph graph;
    const TwoKeys keys{graph};
    fmt::print("{}", graph_table(graph, keys.output,
                                 {"s1", "s2", "v1", "v2", "e1", "e2", "sum", "a1", "a2", "p1", "p2",
                                  "output"}));
}

void print_attention() {
    section("Back through attention");
    const AttentionLoss problem = one_output(1.0 / std::sqrt(3.0), 0, 1);
    const AttentionForward f = forward(problem);
    const AttentionGradients d = gradients_by_hand(problem);
    fmt::print("L = entry 2 of the output of input 1 = {}\n", to_text(f.loss, 4));
    fmt::print("A, row 1   {}\ndA, row 1  {}\ndS, row 1  {}\ndQ, row 1  {}\n",
               columns(f.weights[0]), columns(d.weights[0]), columns(d.scores[0]),
               columns(d.query[0]));
    print_rows("dK", d.key);
    print_rows("dW_Q", d.matrices.query);
    print_rows("dW_K", d.matrices.key);
    print_rows("dW_V", d.matrices.value);
}

void print_ways() {
    section("Four ways, one gradient");
    const WaysCompared ways = compare_ways(1.0 / std::sqrt(3.0));
    const auto line = [](const char* name, double error, const char* limit, double number) {
        fmt::print("{:<20} differs by less than {}: {}\n", name, limit,
                   error < number ? "yes" : "no");
    };
    fmt::print("36 weights, 9 outputs, compared with the gradients by hand\n");
    line("scalar graph", ways.graph, "1e-12", 1e-12);
    line("tape of tensors", ways.tape, "1e-5", 1e-5);
    line("central differences", ways.differences, "1e-8", 1e-8);
    fmt::print("nodes of the scalar graph: {}\n", ways.num_nodes);
}

void print_saturation() {
    section("Where softmax is saturated, nothing is learned");
    fmt::print("scores 4 16 12 of input 2, times a factor; L = entry 2 of its output\n");
    fmt::print("{}", saturation_table());
}

void print_tape() {
    section("Rules of the tape");
    Tensor x{3};
    track(x);
    const Tensor y = sum(x * x + x, 0);
    fmt::print("used three times: y = x x + x at 3, dy/dx = {}\n",
               to_text(static_cast<double>(backward(y).of(x)(0)), 4));
    try {
        backward(y);
    } catch (const std::logic_error& e) {
        fmt::print("once more: {}\n", e.what());
    }
    const NoGradient no_gradient;
    fmt::print("with NoGradient x x is on the tape: {}\n", is_tracked(x * x) ? "yes" : "no");
}

void print_differences() {
    section("Right digits of a central difference");
    fmt::print("{:<8}{:>7}{:>8}\n", "step", "float", "double");
    for (int exponent = -1; exponent >= -11; exponent -= 2) {
        const double step = std::pow(10.0, exponent);
        fmt::print("1e{:<6}{:>7}{:>8}\n", exponent, right_digits_in_float(step),
                   right_digits_in_double(step));
    }
}

void print_cross_entropy() {
    section("Cross-entropy");
    Tensor logits{{0.0, std::log(2.0), std::log(5.0)}};
    track(logits);
    const Tensor loss = cross_entropy(logits, {2});
    fmt::print("p = 1/8 2/8 5/8, label 3: loss {}, gradient {}",
               to_text(static_cast<double>(*loss.data()), 4),
               to_table(reshape(backward(loss).of(logits), {3})));
    const Tensor uniform = cross_entropy(Tensor(Shape{1, 10000}), {0});
    fmt::print("10,000 equal logits: loss {}\n", to_text(static_cast<double>(*uniform.data()), 4));
}

void print_optimisers() {
    section("How far three optimisers go");
    fmt::print("gradients 1 and 0.01 at every step, learning rate 0.1\n");
    fmt::print("{}", walk_table());
    section("Warm-up, decay and clipping");
    fmt::print("{}", rate_table({1, 500, 1000, 2000, 4000}));
    std::vector<Tensor> gradients{Tensor{3, 4}, Tensor{12}};
    const double norm = clip_by_global_norm(gradients, 6.5);
    fmt::print("gradients 3 4 and 12 have norm {}; clipped to 6.5:{}", to_text(norm, 4),
               to_table(concat(gradients, 0)));
}

void print_initialisation() {
    section("A signal through ten layers of tanh");
    fmt::print("{}", signal_table());
}

void print_toy(std::size_t num_steps, std::uint64_t seed, const std::string& folder) {
    section("A toy: which item is the loudest?");
    const ToyResult result = train_toys(num_steps, seed);
    fmt::print("{}\n{}\n", toy_table(result), toy_attention_table(result, 0));
    const LineChart chart = toy_chart(result);
    fmt::print("{}", terminal_line_chart(chart, detect_terminal_style(STDOUT_FILENO)));
    if (folder.empty()) return;
    section("Files");
    const OutputFolder out{folder};
    out.write("toy_losses.svg", line_chart_svg(chart));
    const std::vector<std::string> names = {"toy_descent", "toy_momentum", "toy_adam"};
    for (std::size_t i = 0; i < names.size(); ++i)
        out.write(names[i] + ".jsonl", loss_log(result.runs[i].losses));
}

}  // namespace

int main(int argc, char** argv) {
    std::string steps;
    std::string seed;
    std::string log;
    std::string curve = "toy_adam";
    return run_chapter(
        argc, argv, "Chapter 6: learning, by walking a computation backwards",
        {{"--steps", "N", "Only the toy, trained for N steps (default: all, with 200)", &steps},
         {"--seed", "N", "Only the toy, from other data and weights (default: 6)", &seed},
         {"--check-loss", "LOG", "Is the loss in this log as it should be?", &log},
         {"--curve", "NAME", "What it is compared with (default: toy_adam)", &curve}},
        [&](const ChapterOptions& options) {
            if (!log.empty()) return fmt::print("{}", check_losses(log, curve));
            if (curve != "toy_adam") throw UsageError{"--curve: only with --check-loss"};
            const bool only_toy = !steps.empty() || !seed.empty();
            const auto number = [](const char* option, const std::string& text, long least,
                                   long most, long otherwise) {
                return text.empty() ? otherwise : parse_whole_number(option, text, least, most);
            };
            if (!only_toy) {
                print_two_keys();
                print_attention();
                print_ways();
                print_saturation();
                print_tape();
                print_differences();
                print_cross_entropy();
                print_optimisers();
                print_initialisation();
            }
            print_toy(static_cast<std::size_t>(number("--steps", steps, 2, 5000, 200)),
                      static_cast<std::uint64_t>(number("--seed", seed, 0, 1'000'000, 6)),
                      options.out);
        });
}
