// What chapter 6 prints, as text.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ch06_learning/scalar_graph.hpp"
#include "ch06_learning/toy.hpp"
#include "common/tensor/print.hpp"

namespace bert {

/// Numbers as columns of a table, to four decimals.
template <typename Numbers>
std::string columns(const Numbers& numbers) {
    std::string text;
    for (const double x : numbers)
        text += fmt::format("{:>9}", to_text(x, 4));
    return text;
}

/// A line for each node: its name, what it was made from, its value, dy/d node, and its slopes.
/// Throws std::invalid_argument unless there is a name for each node.
std::string graph_table(ScalarGraph& graph, Scalar y, const std::vector<std::string>& names);

/// saturation() for several factors.
std::string saturation_table();

/// walk() of the three optimisers, 1 and 20 steps along the gradients 1 and 0.01.
std::string walk_table();

/// Two schedules with peak 1, warm-up 1000 and 4000 steps in all, at these steps.
std::string rate_table(const std::vector<std::uint64_t>& steps);

/// A line for each run: its loss before the first, the middle and the last step, and the part of
/// the held-out examples that it then answers.
std::string toy_table(const ToyResult& result);

/// One held-out example: colour and loudness of its items, and the attention of the untrained model
/// and of every run to them.
std::string toy_attention_table(const ToyResult& result, std::size_t example);

/// Root mean squares of a signal after 0, 1, 2, 5 and 10 layers of width 64, for three ways to draw
/// weights.
std::string signal_table();

}  // namespace bert
