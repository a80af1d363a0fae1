// The encoder of chapter 7 for reading only, made fast: the same numbers to rounding, several times
// as fast.
//
// The rows (B T of them) are cut into blocks and each layer's weights into shares
// (packed_layer.hpp); a thread takes a share of a block at a time, and between such phases all wait
// for one another. Bias and GELU are done in the product; the scores of some queries live in a
// buffer of the thread, so that memory grows with T and not with its square, unless the maps are
// asked for.
//
// Blocks and shares follow from the sizes alone: the number of threads changes no bit.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "ch14_bert/packed_layer.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

struct EncoderRun {
    Tensor hidden;                      // (B, T, D)
    std::vector<Tensor> hidden_states;  // L of (B, T, D), after each layer
    std::vector<Tensor> attentions;     // L of (B, H, T, T)
};

struct EncoderWishes {
    bool hidden_states = false;
    bool attentions = false;
    bool padding = true;  // false: no work on padding, whose rows are then 0
};

class PackedEncoder {
  public:
    /// Copies the weights; an encoder that is moved in gives up its own one layer after the other,
    /// so that both are not in memory together. Throws std::invalid_argument unless the layers are
    /// post-norm, ShapeError when they do not fit together, NumericError naming the layer for a
    /// weight that is not finite, std::logic_error where Real is not float.
    explicit PackedEncoder(Encoder encoder);

    /// The same with layers that make_layer(0), make_layer(1) and so on give, one in memory at a
    /// time; it is called by one thread.
    PackedEncoder(std::size_t num_layers,
                  const std::function<EncoderLayer(std::size_t)>& make_layer);

    /// x (B, T, D), attention_mask (B, T) of 1 and 0. Throws ShapeError, and NumericError naming
    /// the layer in which a number became infinite or NaN.
    EncoderRun operator()(const Tensor& x, const Tensor& attention_mask,
                          const EncoderWishes& wishes = {}) const;

    std::size_t width() const { return width_; }

  private:
    std::vector<PackedEncoderLayer> layers_;
    std::size_t width_ = 0;
    std::size_t num_heads_ = 0;
};

}  // namespace bert
