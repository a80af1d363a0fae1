#include "ch01_attention_by_hand/famous_instances.hpp"

#include <cmath>

#include "common/tensor/elementwise.hpp"
#include "common/tensor/matmul.hpp"

namespace bert {

// [han]
ThreeStages han_attention(const Tensor& hidden, const Tensor& weight, const Tensor& bias,
                          const Tensor& query) {
    Tensor keys = matmul_transpose_b(hidden, weight) + bias;  // (T, A)
    for (std::size_t t = 0; t < keys.num_rows(); ++t) {
        for (Real& key : keys.mutable_row(t))
            key = std::tanh(key);
    }
    return three_stages(query, keys, hidden, dot_product);
}
// [han]

// [seq2seq]
ThreeStages seq2seq_attention(const Tensor& decoder_state, const Tensor& encoder_states) {
    return three_stages(decoder_state, encoder_states, encoder_states, dot_product);
}
// [seq2seq]

}  // namespace bert
