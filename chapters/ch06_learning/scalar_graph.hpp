// The chain rule on single numbers: reverse mode on one screen.
//
//     ScalarGraph graph;
//     const Scalar x = graph.number(3);
//     const Scalar y = x * x + x;                        12
//     graph.backward(y).of(x)                            dy/dx = 2 x + 1 = 7
//
// Each operation appends a node to the graph: its value, its inputs, and for each input the slope,
// which is how much the value changes for a small change of that input alone. Inputs were made
// before the node. So on the way from the last node to the first, each one is met after all that
// use it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bert {

/// One number, the operation that made it, and from what.
struct ScalarNode {
    struct Input {
        std::size_t index;  // of a node made earlier
        double slope;       // d value / d input
    };

    std::string operation;  // "number", "+", "-", "*", "/", "exp"
    double value;
    std::vector<Input> inputs;
};

class ScalarGraph;

/// A node of a graph, good as long as the graph lives.
class Scalar {
  public:
    double value() const;
    /// Nodes are counted from 0 in the order of making.
    std::size_t index() const { return index_; }
    ScalarGraph& graph() const { return *graph_; }

  private:
    friend class ScalarGraph;
    Scalar(ScalarGraph* graph, std::size_t index) : graph_(graph), index_(index) {}

    ScalarGraph* graph_;
    std::size_t index_;
};

/// Each throws std::invalid_argument for numbers of two graphs.
Scalar operator+(Scalar a, Scalar b);
Scalar operator-(Scalar a, Scalar b);
Scalar operator*(Scalar a, Scalar b);
Scalar operator/(Scalar a, Scalar b);
Scalar exp(Scalar a);

/// dy/dx for one y and every x.
class ScalarGradients {
  public:
    /// 0 for an x that y was not computed from.
    double of(Scalar x) const;
    double of_node(std::size_t index) const;

  private:
    friend class ScalarGraph;
    const ScalarGraph* graph_ = nullptr;
    std::vector<double> gradients_;  // one a node
};

class ScalarGraph {
  public:
    ScalarGraph() = default;
    ScalarGraph(const ScalarGraph&) = delete;  // its numbers point to it
    ScalarGraph& operator=(const ScalarGraph&) = delete;

    /// A number that was not computed.
    Scalar number(double value);

    /// A number that was. Throws std::invalid_argument unless its inputs are in the graph.
    Scalar append(ScalarNode node);

    /// The chain rule: dy/dx is the sum, over all nodes z that use x, of dy/dz times the slope of z
    /// for x. Throws std::invalid_argument for a y of another graph.
    ScalarGradients backward(Scalar y) const;

    const std::vector<ScalarNode>& nodes() const { return nodes_; }

  private:
    std::vector<ScalarNode> nodes_;
};

}  // namespace bert
