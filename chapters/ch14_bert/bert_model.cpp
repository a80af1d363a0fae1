#include "ch14_bert/bert_model.hpp"

#include "ch03_masks/masks.hpp"
#include "ch07_encoder/in_layer.hpp"
#include "common/tensor/functions.hpp"
#include "common/tensor/layout.hpp"

namespace bert {

// [pooler]
Tensor pool(const Linear& pooler, const Tensor& hidden) {
    // EXERCISE BEGIN 14-pooler
    // STEP first   [CLS], the first token of every example (B, D)
    const Tensor first = reshape(slice(hidden, 1, 0, 1), {hidden.dim(0), hidden.dim(2)});
    // STEP dense   a linear layer, then tanh
    return tanh(pooler(first));
    // STUB: static_cast<void>(pooler); return Tensor(Shape{hidden.dim(0), hidden.dim(2)});
    // EXERCISE END
}
// [pooler]

BertOutput BertModel::operator()(const BertInput& input, const BertPass& pass) const {
    AttentionRecorder recorder;
    const Pass layer_pass{pass.dropout, pass.attentions ? &recorder : nullptr,
                          pass.attention_dropout};
    BertOutput output;
    // [model]
    Tensor hidden = embeddings(input, pass.dropout);         // (B, T, D)
    const Tensor mask = padding_mask(input.attention_mask);  // (B, 1, T)
    if (pass.hidden_states) output.hidden_states.push_back(hidden);
    for (std::size_t l = 0; l < encoder.layers.size(); ++l) {
        hidden =
            in_layer("encoder", l, [&] { return encoder.layers[l](hidden, mask, layer_pass); });
        if (pass.hidden_states) output.hidden_states.push_back(hidden);
    }
    output.last_hidden_state = hidden;
    if (pooler) output.pooler_output = pool(*pooler, hidden);
    // [model]
    output.attentions = std::move(recorder.weights);
    return output;
}

}  // namespace bert
