#include "ch06_learning/learning_tables.hpp"
#include "ch06_learning/initialise.hpp"
#include "common/random/random.hpp"

#include <fmt/core.h>
#include <functional>
#include <vector>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "ch06_learning/learning_laboratory.hpp"
#include "ch06_learning/learning_rate.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/print.hpp"

namespace bert {

std::string graph_table(ScalarGraph& graph, Scalar y, const std::vector<std::string>& names) {
    if (names.size() != graph.nodes().size())
        throw std::invalid_argument{"graph_table: not one name for each node"};
    const ScalarGradients gradients = graph.backward(y);
    std::string text =
        fmt::format("{:<8}{:<14}{:>8}{:>10}   slopes\n", "node", "made from", "value", "gradient");
    for (std::size_t n = 0; n < names.size(); ++n) {
        const ScalarNode& node = graph.nodes()[n];
        std::string from = node.operation;
        std::string slopes;
        for (const ScalarNode::Input& input : node.inputs) {
            from += " " + names[input.index];
            slopes += fmt::format("{:>9}", to_text(input.slope, 4));
        }
        text += fmt::format("{:<8}{:<14}{:>8}{:>10}{}\n", names[n], from, to_text(node.value, 4),
                            to_text(gradients.of_node(n), 4), slopes);
    }
    return text;
}

std::string saturation_table() {
    std::string text =
        fmt::format("{:<12}{:>27}{:>27}{:>9}\n", "factor", "weights", "dS", "|dW_Q|");
    const std::vector<std::pair<const char*, double>> factors = {
        {"1/8", 0.125}, {"1/4", 0.25}, {"1/sqrt(3)", 1.0 / std::sqrt(3.0)}, {"1", 1.0}, {"2", 2.0}};
    for (const auto& [name, factor] : factors) {
        const Saturation s = saturation(factor);
        text += fmt::format("{:<12}{}{}{:>9}\n", name, columns(s.weights),
                            columns(s.score_gradients), to_text(s.query_norm, 4));
    }
    return text;
}

std::string walk_table() {
    std::string text = fmt::format("{:<20}{:>18}{:>18}\n", "", "after 1 step", "after 20 steps");
    const auto add = [&text](const char* name, Walker walker) {
        text += fmt::format("{:<20}{}{}\n", name, columns(walk(walker, {1.0, 0.01}, 1, 0.1)),
                            columns(walk(walker, {1.0, 0.01}, 20, 0.1)));
    };
    add("gradient descent", Walker::plain);
    add("momentum 0.9", Walker::momentum);
    add("Adam", Walker::adam);
    return text;
}

std::string rate_table(const std::vector<std::uint64_t>& steps) {
    std::string text = fmt::format("{:<24}", "learning rate at step");
    std::string linear = fmt::format("{:<24}", "warm-up, then linear");
    std::string root = fmt::format("{:<24}", "warm-up, then root");
    for (const std::uint64_t t : steps) {
        text += fmt::format("{:>8}", t);
        linear += fmt::format("{:>8}", to_text(warmup_then_linear(t, 1.0, 1000, 4000), 4));
        root += fmt::format("{:>8}", to_text(warmup_then_inverse_root(t, 1.0, 1000), 4));
    }
    return text + "\n" + linear + "\n" + root + "\n";
}

std::string toy_table(const ToyResult& result) {
    const auto line = [&result](const std::string& name, const std::string& losses,
                                const ToyModel& model) {
        return fmt::format("{:<28}{:>24}{:>8} %\n", name, losses,
                           to_text(100.0 * toy_accuracy(model, result.held_out), 0));
    };
    const std::size_t num_steps = result.runs.at(0).losses.size();
    std::string text = fmt::format("{:<28}{:>8}{:>8}{:>8}{:>10}\n", "loss at step", 1,
                                   num_steps / 2, num_steps, "right");
    text += line("untrained", "", result.untrained);
    for (const ToyRun& run : result.runs) {
        std::string losses;
        for (const std::size_t t : {std::size_t{1}, num_steps / 2, num_steps})
            losses += fmt::format("{:>8}", to_text(run.losses.at(t - 1), 2));
        text += line(run.name, losses, run.model);
    }
    return text;
}

std::string toy_attention_table(const ToyResult& result, std::size_t example) {
    const Tensor items = slice(result.held_out.items, 0, example, example + 1);
    std::string text = fmt::format("{:<28}", "colour");
    for (std::size_t s = 0; s < toy_items; ++s) {
        const auto item = items.row(s);
        text += fmt::format("{:>8}", std::find(item.begin(), item.end(), Real{1}) - item.begin());
    }
    text += fmt::format("\n{:<28}", "loudness");
    for (std::size_t s = 0; s < toy_items; ++s)
        text += fmt::format("{:>8}", to_text(static_cast<double>(items(0, s, toy_colours)), 2));
    const auto add = [&](const std::string& name, const ToyModel& model) {
        text += fmt::format("\n{:<28}", name);
        const Tensor weights = model(items).weights;
        for (const Real weight : weights.values())
            text += fmt::format("{:>8}", to_text(static_cast<double>(weight), 2));
    };
    add("attention, untrained", result.untrained);
    for (const ToyRun& run : result.runs)
        add(run.name, run.model);
    return text + "\n";
}

std::string signal_table() {
    constexpr std::size_t width = 64;
    std::string table =
        fmt::format("{:<24}{:>9}{:>9}{:>9}{:>9}{:>9}\n", "root mean square after", 0, 1, 2, 5, 10);
    const auto add = [&](const char* name, const std::function<Tensor(Random&)>& new_weight) {
        Random random{7};
        const std::vector<double> sizes =
            signal_sizes(width, 10, [&] { return new_weight(random); });
        table += fmt::format("{:<24}", name);
        for (const std::size_t layer : {0U, 1U, 2U, 5U, 10U})
            table += fmt::format("{:>9}", to_text(sizes[layer], 4));
        table += "\n";
    };
    add("normal, 0.02", [](Random& r) { return normal(r, {width, width}, 0, 0.02); });
    add("Xavier", [](Random& r) { return xavier_normal(r, {width, width}); });
    add("normal, 1", [](Random& r) { return normal(r, {width, width}, 0, 1); });
    return table;
}

}  // namespace bert
