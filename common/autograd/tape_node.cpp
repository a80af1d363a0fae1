#include "common/autograd/tape_node.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <stdexcept>
#include <string>

#include "common/autograd/tape.hpp"

namespace bert {

namespace {

std::uint64_t next_number() {
    static std::atomic<std::uint64_t> count = 0;
    return count++;
}

thread_local int switched_off = 0;

}  // namespace

TapeNode::TapeNode() : number(next_number()) {}

// Without this loop a long chain of nodes would be destroyed by recursion, one call a node.
TapeNode::~TapeNode() {
    std::vector<std::shared_ptr<TapeNode>> rest = std::move(inputs);
    while (!rest.empty()) {
        const std::shared_ptr<TapeNode> node = std::move(rest.back());
        rest.pop_back();
        if (node.use_count() != 1) continue;  // null, or needed elsewhere
        std::move(node->inputs.begin(), node->inputs.end(), std::back_inserter(rest));
        node->inputs.clear();
    }
}

void TapeNode::record(Tensor output, std::span<const TensorRef> from, Keep keep) {
    for (const Tensor& input : from) {
        inputs.push_back(input.node());
        step.shapes_.push_back(input.shape());
        step.wanted_.push_back(is_tracked(input));
        if (keep == Keep::inputs || keep == Keep::all) step.inputs_.push_back(detach(input));
    }
    step.has_output_ = keep == Keep::output || keep == Keep::all;
    if (step.has_output_) step.output_ = std::move(output);
}

std::vector<Tensor> TapeNode::walk_back(Tensor output_gradient) {
    if (walked) {
        throw std::logic_error{
            "backward: this loss, or a part of it, has been walked back before; what its "
            "gradients need is freed on the way"};
    }
    step.output_gradient_ = std::move(output_gradient);
    std::vector<Tensor> result = gradient(step);
    bool fits = result.size() == inputs.size();
    for (std::size_t i = 0; fits && i < inputs.size(); ++i) {
        fits = inputs[i] == nullptr || result[i].shape() == step.input_shape(i);
    }
    if (!fits) {
        throw std::logic_error{
            "backward: a gradient function did not return one gradient, shaped like the input, "
            "for each input"};
    }
    walked = true;
    inputs.clear();
    step = BackwardStep{};
    gradient = nullptr;
    return result;
}

BackwardStep::BackwardStep(std::vector<Tensor> inputs, Tensor output, Tensor output_gradient)
    : wanted_(inputs.size(), true),
      inputs_(std::move(inputs)),
      output_(std::move(output)),
      has_output_(true),
      output_gradient_(std::move(output_gradient)) {
    for (const Tensor& input : inputs_)
        shapes_.push_back(input.shape());
}

const Tensor& BackwardStep::input(std::size_t i) const {
    if (i >= inputs_.size()) throw std::logic_error{"BackwardStep: the inputs were not kept"};
    return inputs_[i];
}

const Tensor& BackwardStep::output() const {
    if (!has_output_) throw std::logic_error{"BackwardStep: the output was not kept"};
    return output_;
}

bool is_recording(std::span<const TensorRef> inputs) {
    return switched_off == 0 && std::any_of(inputs.begin(), inputs.end(),
                                            [](const Tensor& input) { return is_tracked(input); });
}

NoGradient::NoGradient() {
    ++switched_off;
}

NoGradient::~NoGradient() {
    --switched_off;
}

}  // namespace bert
