// Where an operation offers itself to the tape that computes gradients.
//
// The last line of a forward function is `return remember(y, {x}, softmax_gradient,
// Keep::output);`. Unless a parameter is in sight (tape.hpp) that is `return y;`, so inference pays
// nothing, and a reader can pass it over until the chapter on learning.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "common/tensor/tensor.hpp"

namespace bert {

/// Which numbers of the forward step its gradient will look at; only those stay in memory.
enum class Keep { shapes, inputs, output, all };

/// What a gradient function may look at: the inputs and the output of the forward step as far as
/// they were kept, and the gradient of the loss with respect to that output.
class BackwardStep {
  public:
    /// A step that kept everything, and whose inputs all want their gradient.
    BackwardStep(std::vector<Tensor> inputs, Tensor output, Tensor output_gradient);

    const Shape& input_shape(std::size_t i) const { return shapes_.at(i); }
    /// The gradient of the loss with respect to the output, dL/dy; same shape as the output.
    const Tensor& output_gradient() const { return output_gradient_; }
    /// Both throw std::logic_error when the numbers were not kept.
    const Tensor& input(std::size_t i) const;
    const Tensor& output() const;
    /// False for an input that no parameter reaches: its gradient may be any tensor, unread.
    bool wants(std::size_t i) const { return wanted_.at(i); }

  private:
    friend struct TapeNode;
    BackwardStep() = default;

    std::vector<Shape> shapes_;
    std::vector<bool> wanted_;
    std::vector<Tensor> inputs_;  // empty: not kept
    Tensor output_;
    bool has_output_ = false;
    Tensor output_gradient_;
};

/// Returns the gradient of the loss with respect to each input, shaped like the inputs.
using GradientFunction = std::function<std::vector<Tensor>(const BackwardStep&)>;

using TensorRef = std::reference_wrapper<const Tensor>;

/// Whether an operation on these inputs has to be written down.
bool is_recording(std::span<const TensorRef> inputs);
Tensor record(Tensor output, std::span<const TensorRef> inputs, GradientFunction gradient,
              Keep keep);

/// Returns `output`, which from now on knows how it was made, if one of the inputs comes from a
/// parameter and recording is not switched off.
template <typename Gradient>
Tensor remember(Tensor output, std::initializer_list<TensorRef> inputs, const Gradient& gradient,
                Keep keep) {
    const std::span<const TensorRef> refs{inputs.begin(), inputs.size()};
    if (!is_recording(refs)) return output;
    return record(std::move(output), refs, gradient, keep);
}
template <typename Gradient>
Tensor remember(Tensor output, const std::vector<Tensor>& inputs, const Gradient& gradient,
                Keep keep) {
    const std::vector<TensorRef> refs(inputs.begin(), inputs.end());
    if (!is_recording(refs)) return output;
    return record(std::move(output), refs, gradient, keep);
}

}  // namespace bert
