// One entry of the tape: a parameter, or an operation and where its inputs came from.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/autograd/remember.hpp"

namespace bert {

struct TapeNode {
    TapeNode();
    ~TapeNode();
    TapeNode(const TapeNode&) = delete;
    TapeNode& operator=(const TapeNode&) = delete;

    /// Writes down where the inputs came from and what the gradient needs.
    void record(Tensor output, std::span<const TensorRef> from, Keep keep);
    bool is_parameter() const { return !walked && inputs.empty(); }
    /// The gradients of the inputs. Frees what was kept.
    std::vector<Tensor> walk_back(Tensor output_gradient);

    std::uint64_t number;                           // later nodes have larger ones
    std::vector<std::shared_ptr<TapeNode>> inputs;  // null: not from a parameter
    BackwardStep step;
    GradientFunction gradient;
    bool walked = false;
};

}  // namespace bert
