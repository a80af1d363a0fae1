#include "ch06_learning/scalar_graph.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace bert {

namespace {

void require_same(const ScalarGraph* a, const ScalarGraph* b) {
    if (a != b) throw std::invalid_argument{"ScalarGraph: numbers of two graphs"};
}

Scalar combine(const char* operation, Scalar a, Scalar b, double value, double slope_a,
               double slope_b) {
    require_same(&a.graph(), &b.graph());
    return a.graph().append({operation, value, {{a.index(), slope_a}, {b.index(), slope_b}}});
}

}  // namespace

// [slopes]
Scalar operator+(Scalar a, Scalar b) {
    return combine("+", a, b, a.value() + b.value(), 1.0, 1.0);
}
Scalar operator-(Scalar a, Scalar b) {
    return combine("-", a, b, a.value() - b.value(), 1.0, -1.0);
}
Scalar operator*(Scalar a, Scalar b) {
    return combine("*", a, b, a.value() * b.value(), b.value(), a.value());
}
Scalar operator/(Scalar a, Scalar b) {
    const double y = a.value() / b.value();
    return combine("/", a, b, y, 1.0 / b.value(), -y / b.value());
}
// [slopes]

Scalar exp(Scalar a) {
    const double y = std::exp(a.value());
    return a.graph().append({"exp", y, {{a.index(), y}}});
}

// [backward]
ScalarGradients ScalarGraph::backward(Scalar y) const {
    require_same(this, &y.graph());
    ScalarGradients result;
    result.graph_ = this;
    result.gradients_.assign(nodes_.size(), 0.0);
    // EXERCISE BEGIN 06-chain-rule
    // STEP start      dy/dy = 1
    result.gradients_[y.index()] = 1.0;
    // STEP chain      from y to the first node: each node gives to its inputs
    for (std::size_t n = y.index() + 1; n-- > 0;) {
        for (const ScalarNode::Input& input : nodes_[n].inputs)
            result.gradients_[input.index] += result.gradients_[n] * input.slope;
    }
    // STUB: static_cast<void>(y);
    // EXERCISE END
    return result;
}
// [backward]

double Scalar::value() const {
    return graph_->nodes()[index_].value;
}

double ScalarGradients::of(Scalar x) const {
    require_same(graph_, &x.graph());
    return of_node(x.index());
}

double ScalarGradients::of_node(std::size_t index) const {
    return index < gradients_.size() ? gradients_[index] : 0.0;
}

Scalar ScalarGraph::number(double value) {
    return append({"number", value, {}});
}

Scalar ScalarGraph::append(ScalarNode node) {
    for (const ScalarNode::Input& input : node.inputs) {
        if (input.index >= nodes_.size())
            throw std::invalid_argument{"ScalarGraph: an input that is not in the graph"};
    }
    nodes_.push_back(std::move(node));
    return {this, nodes_.size() - 1};
}

}  // namespace bert
