#include "common/autograd/tape.hpp"

#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

#include "common/autograd/tape_node.hpp"
#include "common/tensor/elementwise.hpp"

namespace bert {

namespace {

using NodePointer = std::shared_ptr<TapeNode>;

// Nodes whose gradient is not yet passed on, the last made first.
class Pending {
  public:
    void add(const NodePointer& node, Tensor gradient) {
        const auto [place, is_new] = nodes_.try_emplace(node->number, node, gradient);
        if (!is_new) add_to(place->second.second, std::move(gradient));
    }

    bool empty() const { return nodes_.empty(); }

    std::pair<NodePointer, Tensor> take_last_made() {
        auto last = nodes_.extract(nodes_.begin());
        return std::move(last.mapped());
    }

  private:
    std::map<std::uint64_t, std::pair<NodePointer, Tensor>, std::greater<>> nodes_;
};

}  // namespace

void track(Tensor& parameter) {
    parameter.set_node(std::make_shared<TapeNode>());
}

bool is_tracked(const Tensor& x) {
    return x.node() != nullptr;
}

Tensor detach(const Tensor& x) {
    Tensor numbers = x;
    numbers.set_node(nullptr);
    return numbers;
}

Tensor record(Tensor output, std::span<const TensorRef> inputs, GradientFunction gradient,
              Keep keep) {
    auto node = std::make_shared<TapeNode>();
    node->record(detach(output), inputs, keep);
    node->gradient = std::move(gradient);
    output.set_node(std::move(node));
    return output;
}

Tensor Gradients::of(const Tensor& parameter) const {
    if (!is_tracked(parameter) || !parameter.node()->is_parameter()) {
        throw std::logic_error{"Gradients: asked for a tensor of shape " +
                               to_string(parameter.shape()) + " that is no parameter"};
    }
    const auto place = found_.find(parameter.node());
    return place != found_.end() ? place->second : Tensor(parameter.shape());
}

std::vector<Tensor> Gradients::of(const std::vector<NamedParameter>& parameters) const {
    std::vector<Tensor> result;
    for (const NamedParameter& parameter : parameters)
        result.push_back(of(*parameter.tensor));
    return result;
}

Gradients backward(const Tensor& loss) {
    if (loss.size() != 1) {
        throw ShapeError{"backward: loss " + to_string(loss.shape()) + " is not a single number"};
    }
    if (!is_tracked(loss)) throw std::logic_error{"backward: the loss comes from no parameter"};
    const NoGradient no_gradient;
    Gradients gradients;
    Pending pending;
    pending.add(loss.node(), Tensor(loss.shape(), {1}));  // dL/dL
    // [backward]
    while (!pending.empty()) {
        auto [node, gradient] = pending.take_last_made();
        if (node->is_parameter()) {
            gradients.found_.emplace(node, std::move(gradient));
            continue;
        }
        const std::vector<NodePointer> inputs = node->inputs;
        std::vector<Tensor> input_gradients = node->walk_back(std::move(gradient));
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (inputs[i] != nullptr) pending.add(inputs[i], std::move(input_gradients[i]));
        }
    }
    // [backward]
    return gradients;
}

}  // namespace bert
