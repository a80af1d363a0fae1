#include "ch14_bert/heads.hpp"

#include "common/tensor/elementwise.hpp"
#include "common/tensor/matmul.hpp"

namespace bert {

// [masked_head]
Tensor MaskedLanguageModelHead::operator()(const Tensor& hidden,
                                           const Tensor& word_embeddings) const {
    const Tensor& table = decoder.size() != 0 ? decoder : word_embeddings;
    Tensor logits;
    // EXERCISE BEGIN 14-masked-head
    // STEP transform   one more layer of the encoder's width
    const Tensor transformed = norm(activate(activation, transform(hidden)));
    // STEP compare     with every token's embedding, and add its bias
    logits = matmul_transpose_b(transformed, table) + bias;
    // STUB: static_cast<void>(hidden); static_cast<void>(table);
    // EXERCISE END
    return logits;  // (.., V)
}
// [masked_head]

}  // namespace bert
