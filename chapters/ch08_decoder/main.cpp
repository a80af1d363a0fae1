// Prints every number of chapter 8.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "ch03_masks/masks.hpp"
#include "ch04_multi_head/examples.hpp"
#include "ch06_learning/cross_entropy.hpp"
#include "ch08_decoder/decoder.hpp"
#include "ch08_decoder/generator.hpp"
#include "ch08_decoder/step.hpp"
#include "ch08_decoder/visibility.hpp"
#include "common/cli/program.hpp"
#include "common/cli/section.hpp"
#include "common/random/random.hpp"
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
    section("Cross-attention by hand");
    const Tensor target(Shape{1, 2, 2}, {1, 0, 1, 1});
    const Tensor source = by_hand_input();
    const Attention result = by_hand_layer()(target, source);
    fmt::print("two targets ask\n{}", to_table(matrix(target, 0)));
    fmt::print("three sources answer\n{}", to_table(matrix(source, 0)));
    fmt::print("weights of head 1\n{}", to_table(matrix(result.weights, 0)));
    fmt::print("weights of head 2\n{}", to_table(matrix(result.weights, 1)));
    fmt::print("output\n{}", to_table(matrix(result.output, 0)));
}

void print_visibility() {
    section("Who sees what");
    const TableFormat two_decimals{.decimals = 2};
    const VisibilityExample example = visibility_example();
    fmt::print("change of output t when target u is changed\n{}",
               to_table(effect_of_targets(example), two_decimals));
    fmt::print("change of output t when source s is changed; the last is padding\n{}",
               to_table(effect_of_sources(example), two_decimals));
}

// N22: what has which shape, and what a model that knows nothing loses.
void print_generator() {
    section("From 512 numbers to 10000 probabilities");
    Random random{22};
    const Decoder decoder = random_decoder(random, {.num_layers = 1});
    const Tensor x = normal(random, {1, 100, 512}, 0.0, 1.0);
    const Tensor memory = normal(random, {1, 7, 512}, 0.0, 1.0);
    const Tensor y = decoder(x, memory, causal_mask(100), Tensor(Shape{1, 1}, {1}));
    const Generator generator{random_linear(random, 512, 10000, 0.02)};
    const Tensor probabilities = generator.probabilities(y);
    fmt::print("decoder output         {}\n", with_letters(y.shape(), "BTD"));
    fmt::print("logits                 {}\n", with_letters(generator.logits(y).shape(), "BTV"));
    const Tensor sums = sum(probabilities, -1);
    const auto [least, most] = std::minmax_element(sums.data(), sums.data() + sums.size());
    fmt::print("rows sum to            {} to {}\n", to_text(static_cast<double>(*least), 4),
               to_text(static_cast<double>(*most), 4));
    const Generator knows_nothing{{Tensor(Shape{10000, 512}), Tensor(Shape{10000})}};
    const std::vector<std::int64_t> labels(100, 3);
    const Tensor loss = cross_entropy(knows_nothing.logits(y), labels);
    fmt::print("loss of equal logits   {}, ln(10000) = {}\n",
               to_text(static_cast<double>(*loss.data()), 4), to_text(std::log(10000.0), 4));
    fmt::print("parameters of a layer  {}\n", parameter_count(decoder.layers.front()));
}

// N23: one position at a time against all at once.
void print_steps() {
    section("Step by step");
    constexpr std::size_t length = 8;
    Random random{23};
    const Decoder decoder = random_decoder(random, {2, 24, 3, 96});
    const Tensor x = normal(random, {1, length, 24}, 0.0, 1.0);
    const Tensor memory = normal(random, {1, 6, 24}, 0.0, 1.0);
    const Tensor mask = padding_mask({{1, 1, 1, 1, 1, 1}});
    const Tensor all = decoder(x, memory, causal_mask(length), mask);
    DecoderCache cache = start_cache(decoder, memory, mask);
    std::size_t without_cache = 0;
    fmt::print("step  kept keys a layer     positions computed  without cache  difference\n");
    for (std::size_t t = 0; t < length; ++t) {
        const Tensor y = step(decoder, slice(x, 1, t, t + 1), cache);
        without_cache += t + 1;
        fmt::print("{:>4}  {} {:>18} {:>14} {:>11}\n", t + 1,
                   with_letters(cache.layers[0].self.keys.shape(), "BHTK"), cache.length,
                   without_cache, to_text(largest_difference(y, slice(all, 1, t, t + 1)), 4));
    }
}

void print_mistakes() {
    section("What goes wrong here");
    const TableFormat two_decimals{.decimals = 2};
    const VisibilityExample example = visibility_example();
    VisibilityExample leaky = example;
    leaky.self_mask = Tensor(Shape{1, 1}, {1});
    fmt::print("no causal mask: targets\n{}", to_table(effect_of_targets(leaky), two_decimals));
    VisibilityExample blind = example;
    blind.memory_mask = slice(causal_mask(5), 1, 0, 4);
    fmt::print("a causal mask on the source: sources\n{}",
               to_table(effect_of_sources(blind), two_decimals));
}

}  // namespace

int main(int argc, char** argv) {
    return run_chapter(argc, argv, "The decoder: masked self-attention, cross-attention, generator",
                       {}, [](const ChapterOptions&) {
                           print_by_hand();
                           print_visibility();
                           print_generator();
                           print_steps();
                           print_mistakes();
                       });
}
