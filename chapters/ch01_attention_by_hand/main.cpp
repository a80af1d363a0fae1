// Prints every number of chapter 1.
#include <fmt/core.h>

#include <string>

#include "ch01_attention_by_hand/attention_by_hand.hpp"
#include "ch01_attention_by_hand/attention_with_matrices.hpp"
#include "ch01_attention_by_hand/examples.hpp"
#include "ch01_attention_by_hand/famous_instances.hpp"
#include "ch01_attention_by_hand/three_stages.hpp"
#include "common/cli/program.hpp"
#include "common/cli/section.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/print.hpp"

namespace {

using namespace bert;

template <std::size_t N>
std::string text(const std::array<double, N>& vector, int decimals) {
    std::string line;
    for (const double x : vector)
        line += fmt::format("{:>9}", to_text(x, decimals));
    return line;
}

void print_by_hand(const std::array<StepsOfInput, num_inputs>& steps) {
    for (std::size_t i = 0; i < num_inputs; ++i) {
        const StepsOfInput& step = steps[i];
        fmt::print("input {}\n", i + 1);
        fmt::print("  key              {}\n", text(step.key, 0));
        fmt::print("  query            {}\n", text(step.query, 0));
        fmt::print("  value            {}\n", text(step.value, 0));
        fmt::print("  scores           {}\n", text(step.scores, 0));
        fmt::print("  softmax          {}\n", text(step.weights, 4));
        for (std::size_t j = 0; j < num_inputs; ++j) {
            fmt::print("  weighted value {} {}\n", j + 1, text(step.weighted_values[j], 4));
        }
        fmt::print("  output           {}\n", text(step.output, 4));
    }
}

void print_rounding(const StepsOfInput& exact) {
    section("What rounding does");
    const Scores rounded{0.0, 0.5, 0.5};
    SmallVector output{};
    for (std::size_t j = 0; j < num_inputs; ++j) {
        for (std::size_t c = 0; c < vector_width; ++c) {
            output[c] += rounded[j] * exact.weighted_values[j][c] / exact.weights[j];
        }
    }
    fmt::print("softmax of [2 4 4], often shown as{}\n", text(rounded, 4));
    fmt::print("                         exactly  {}\n", text(exact.weights, 4));
    fmt::print("output of input 1,  often shown as{}\n", text(output, 4));
    fmt::print("                         exactly  {}\n", text(exact.output, 4));
}

void print_matrices(const ProjectionWeights& weights) {
    const MatrixSteps steps =
        attention_with_matrices(to_tensor(three_inputs()), to_tensor(weights.key),
                                to_tensor(weights.query), to_tensor(weights.value));
    fmt::print("scores = Q K^T\n{}", to_table(steps.scores, {.decimals = 0}));
    fmt::print("weights = softmax of each row\n{}", to_table(steps.weights));
    fmt::print("output = weights V\n{}", to_table(steps.output));
}

void print_stages(const std::string& name, const ThreeStages& stages) {
    fmt::print("{}\n", name);
    fmt::print("  scores {}", to_table(stages.scores));
    fmt::print("  weights{}", to_table(stages.weights));
    fmt::print("  output {}", to_table(stages.output));
}

void print_similarities() {
    section("Three stages, three similarities");
    const MatrixSteps steps = attention_with_matrices(
        to_tensor(three_inputs()), to_tensor(worked_example_weights().key),
        to_tensor(worked_example_weights().query), to_tensor(worked_example_weights().value));
    const Tensor query{1, 0, 2};  // of input 1
    const Tensor identity{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const AdditiveSimilarity additive{identity, identity * Real{0.5}, Tensor{1, 1, 1}};
    print_stages("dot product", three_stages(query, steps.keys, steps.values, dot_product));
    print_stages("cosine", three_stages(query, steps.keys, steps.values, cosine_similarity));
    print_stages("additive", three_stages(query, steps.keys, steps.values, additive));
}

void print_instances() {
    section("Two published attentions");
    const double ln2 = 0.6931471805599453;
    const double ln3 = 1.0986122886681098;
    const double ln5 = 1.6094379124341003;
    const Tensor words{{ln2, 0}, {0, ln3}, {ln2, ln3}};  // tanh(ln 2) = 0.6, tanh(ln 3) = 0.8
    print_stages(
        "HAN: one learned query over the words",
        han_attention(words, Tensor{{1, 0}, {0, 1}}, Tensor{0, 0}, Tensor{ln2 / 0.6, ln5 / 0.8}));
    const Tensor encoder_states{{1, 0}, {0, 1}, {1, 1}};
    print_stages("seq2seq, decoder step 1", seq2seq_attention(Tensor{ln2, ln3}, encoder_states));
    print_stages("seq2seq, decoder step 2", seq2seq_attention(Tensor{ln3, 0}, encoder_states));
}

void print_chapter(const ChapterOptions&) {
    section("Three inputs by hand");
    const auto steps = attend_by_hand(three_inputs(), worked_example_weights());
    print_by_hand(steps);
    print_rounding(steps[0]);
    section("The same with matrices");
    print_matrices(worked_example_weights());
    section("An example that is not symmetric");
    print_matrices(asymmetric_example_weights());
    print_similarities();
    print_instances();
}

}  // namespace

int main(int argc, char** argv) {
    return bert::run_chapter(argc, argv, "Chapter 1: attention over three inputs, worked by hand",
                             {}, print_chapter);
}
