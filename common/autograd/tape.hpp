// Gradients by the chain rule, backwards over the tape of what was computed.
//
//     track_parameters(model);
//     const Tensor loss = cross_entropy(model(x), labels);
//     const Gradients gradients = backward(loss);
//     gradients.of(model.weight)                                same shape as the weight
//
// Every operation on a tensor that comes from a parameter writes down its inputs, what its gradient
// needs of their numbers, and its gradient function (remember.hpp). backward() walks from the loss
// to the parameters, the operation made last first, so that a tensor's gradient is complete, summed
// over all its uses, before it is passed on.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "common/tensor/parameters.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// Makes a tensor a parameter: one whose gradient can be asked for. Its copies are the same
/// parameter until they are tracked themselves. Tracked again it is another parameter, which what
/// was computed before does not know.
void track(Tensor& parameter);

/// Whether the tensor is a parameter or was computed from one.
bool is_tracked(const Tensor& x);

/// The numbers of x, which the tape does not know.
Tensor detach(const Tensor& x);

/// Nothing that this thread computes is written down while one of these lives.
class NoGradient {
  public:
    NoGradient();
    ~NoGradient();
    NoGradient(const NoGradient&) = delete;
    NoGradient& operator=(const NoGradient&) = delete;
};

/// The gradients of one loss with respect to its parameters.
class Gradients {
  public:
    /// dL/d parameter, in the parameter's shape; zeros when the loss does not depend on it. Throws
    /// std::logic_error when it is no parameter.
    Tensor of(const Tensor& parameter) const;
    /// One for each, in the same order.
    std::vector<Tensor> of(const std::vector<NamedParameter>& parameters) const;

  private:
    friend Gradients backward(const Tensor& loss);
    std::unordered_map<std::shared_ptr<TapeNode>, Tensor> found_;
};

/// The gradients of the loss, a single number. What the tape kept is freed on the way, so a loss
/// can be walked back once. Throws ShapeError for more than one number; std::logic_error when the
/// loss comes from no parameter, or when it or a part of it has been walked back before.
Gradients backward(const Tensor& loss);

/// track() for every parameter of a layer.
template <typename Layer>
void track_parameters(Layer& layer) {
    for_each_parameter(layer, [](const std::string&, Tensor& parameter) { track(parameter); });
}

}  // namespace bert
