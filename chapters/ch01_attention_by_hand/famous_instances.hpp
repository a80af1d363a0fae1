// Two published attentions as instances of the three stages: who is query, who key, who value.
#pragma once

#include "ch01_attention_by_hand/three_stages.hpp"

namespace bert {

/// Attention of the hierarchical attention network (Yang et al. 2016): one learned query asks which
/// words matter.
///
///     key[t] = tanh(W h[t] + b)     query = u_w     value[t] = h[t]
///
/// hidden (T, D), weight (A, D), bias (A), query u_w (A); output (D). Throws ShapeError.
ThreeStages han_attention(const Tensor& hidden, const Tensor& weight, const Tensor& bias,
                          const Tensor& query);

/// Attention of a sequence-to-sequence decoder (Luong et al. 2015, dot form): at each step the
/// decoder's state asks the encoder's states, which are both keys and values.
///
/// decoder_state (D), encoder_states (S, D); output, the context of this step: (D). Throws
/// ShapeError.
ThreeStages seq2seq_attention(const Tensor& decoder_state, const Tensor& encoder_states);

}  // namespace bert
