// Prints every number of chapter 7.
#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

#include "ch07_encoder/activations.hpp"
#include "ch07_encoder/depth.hpp"
#include "ch07_encoder/dropout.hpp"
#include "ch07_encoder/encoder.hpp"
#include "ch07_encoder/feed_forward.hpp"
#include "ch07_encoder/layer_norm.hpp"
#include "ch07_encoder/mistakes.hpp"
#include "common/cli/program.hpp"
#include "common/cli/section.hpp"
#include "common/random/random.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/print.hpp"
#include "common/tensor/reduce.hpp"

namespace {

using namespace bert;

// One row as one line; every number has room for a minus sign, so that lines stand in columns.
std::string to_line(const Tensor& row) {
    std::string line;
    for (const Real x : row.values())
        line += fmt::format("  {:>7}", to_text(static_cast<double>(x), 4));
    return line + "\n";
}

void print_by_hand() {
    section("Add, then normalise");
    const Tensor x{1, 3, 1, 3};
    const Tensor change{1, -1, 5, 3};
    fmt::print("x                      {}", to_line(x));
    fmt::print("the sublayer says      {}", to_line(change));
    const Tensor sum = x + change;
    fmt::print("their sum              {}", to_line(sum));
    LayerNorm norm = unit_layer_norm(4);
    const auto [mean, inverse_deviation] = row_statistics(sum.row(0), norm.epsilon);
    fmt::print("mean                     {:>7}\n", to_text(mean, 4));
    fmt::print("1 / standard deviation   {:>7}\n", to_text(inverse_deviation, 4));
    fmt::print("normalised             {}", to_line(norm(sum)));
    norm.weight = Tensor{1, 2, 1, 2};
    norm.bias = Tensor{0, 0, 10, 10};
    fmt::print("times 1 2 1 2, plus 0 0 10 10\n                       {}", to_line(norm(sum)));
}

void print_feed_forward() {
    section("A feed-forward network by hand");
    const FeedForward layer{
        .inner = {.weight = {{1, 0}, {0, 1}, {-1, 1}}, .bias = Tensor{0, -3, 1}},
        .outer = {.weight = {{1, 2, 3}, {-1, 0, 1}}, .bias = Tensor{10, 20}}};
    const Tensor x{{1, 2}, {3, -1}};
    const Tensor inside = layer.inner(x);
    fmt::print("two positions\n{}", to_table(x));
    fmt::print("inner layer, from 2 to 3\n{}", to_table(inside));
    fmt::print("relu\n{}", to_table(relu(inside)));
    fmt::print("outer layer, back to 2\n{}", to_table(layer(x)));
}

void print_activations() {
    section("Three activations");
    const Tensor x{-4.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 4.0};
    const Tensor y[] = {relu(x), gelu(x), gelu_tanh(x)};
    fmt::print("       x     relu     gelu  gelu_tanh\n");
    for (std::size_t i = 0; i < x.size(); ++i) {
        fmt::print("{:>8} {:>8} {:>8}   {:>8}\n", to_text(static_cast<double>(x(i)), 4),
                   to_text(static_cast<double>(y[0](i)), 4),
                   to_text(static_cast<double>(y[1](i)), 4),
                   to_text(static_cast<double>(y[2](i)), 4));
    }
}

void print_dropout() {
    section("Dropout");
    const Tensor ones = Tensor(Shape{8}) + Real{1};
    Dropout dropout{0.25, Random{16}};
    fmt::print("eight ones, p = 0.25\n");
    for (int call = 1; call <= 3; ++call)
        fmt::print("call {} {}", call, to_table(dropout(ones)));
    const Tensor many = dropout(Tensor(Shape{1000000}) + Real{1});
    fmt::print("mean of a million      {}\n",
               to_text(static_cast<double>(*mean(many, 0).data()), 4));
}

void print_sizes() {
    section("Six layers of width 512");
    Random random{21};
    const Encoder encoder = random_encoder(random, {});
    const EncoderLayer& layer = encoder.layers.front();
    const std::size_t norms =
        parameter_count(layer.attention_norm) + parameter_count(layer.feed_forward_norm);
    fmt::print("self-attention     {:>10}\n", parameter_count(layer.self_attention));
    fmt::print("feed-forward       {:>10}\n", parameter_count(layer.feed_forward));
    fmt::print("two norms          {:>10}\n", norms);
    fmt::print("one layer          {:>10}\n", parameter_count(layer));
    fmt::print("six layers         {:>10}\n", parameter_count(encoder));
    const Tensor x = normal(random, {2, 5, 512}, 0.0, 1.0);
    AttentionRecorder recorder;
    const Tensor y = encoder(x, Tensor(Shape{1, 1}, {1}), {.recorder = &recorder});
    fmt::print("x                  {}\n", with_letters(x.shape(), "BTD"));
    fmt::print("inside             {}\n", with_letters(layer.feed_forward.inner(x).shape(), "BTF"));
    fmt::print("attention weights  {}, {} times\n",
               with_letters(recorder.weights.front().shape(), "BHTS"), recorder.weights.size());
    fmt::print("output             {}\n", with_letters(y.shape(), "BTD"));
}

void print_depth() {
    section("Norm after, norm before");
    constexpr std::size_t num_layers = 12;
    const std::vector<DepthReport> post = reports_by_depth(NormOrder::post, num_layers);
    const std::vector<DepthReport> pre = reports_by_depth(NormOrder::pre, num_layers);
    fmt::print("         size after it     gradient it gets\n");
    fmt::print("layer     post      pre      post       pre\n");
    for (std::size_t l = 0; l < num_layers; ++l) {
        fmt::print("{:>5} {:>8} {:>8} {:>9} {:>9}\n", l + 1, to_text(post[l].size, 4),
                   to_text(pre[l].size, 4), to_text(post[l].gradient, 2),
                   to_text(pre[l].gradient, 2));
    }
}

Tensor first_row(const Tensor& x) {
    return reshape(slice(x, 0, 0, 1), {x.dim(1)});
}

void print_mistakes() {
    section("What goes wrong here");
    const Tensor x{{2, 2, 6, 6}, {1, 2, 3, 4}};
    const auto show = [&x](std::string_view name, NormMistake mistake) {
        fmt::print("{:<24}{}", name, to_line(first_row(layer_norm_with(mistake, x, 1.0))));
    };
    show("right", NormMistake::none);
    show("variance over D - 1", NormMistake::divided_by_d_minus_1);
    show("epsilon outside the root", NormMistake::epsilon_outside);
    show("over positions", NormMistake::over_positions);
}

}  // namespace

int main(int argc, char** argv) {
    return run_chapter(argc, argv, "The encoder: residual, layer normalisation, feed-forward", {},
                       [](const ChapterOptions&) {
                           print_by_hand();
                           print_feed_forward();
                           print_activations();
                           print_dropout();
                           print_sizes();
                           print_depth();
                           print_mistakes();
                       });
}
