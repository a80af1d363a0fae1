#include "ch14_bert/mistakes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "common/tensor/layout.hpp"

namespace bert {

namespace {

double largest_change(const Tensor& a, const Tensor& b, const Tensor& attention_mask) {
    double largest = 0.0;
    for (std::size_t place = 0; place < attention_mask.size(); ++place) {
        if (attention_mask.data()[place] == Real{0}) continue;
        for (std::size_t d = 0; d < a.dim(-1); ++d) {
            const auto difference = static_cast<double>(a.row(place)[d] - b.row(place)[d]);
            largest = std::max(largest, std::abs(difference));
        }
    }
    return largest;
}

void set_epsilon(BertModel& model, double epsilon) {
    model.embeddings.norm.epsilon = epsilon;
    for (EncoderLayer& layer : model.encoder.layers) {
        layer.attention_norm.epsilon = epsilon;
        layer.feed_forward_norm.epsilon = epsilon;
    }
}

}  // namespace

std::vector<MistakeEffect> effects_of_mistakes(const Bert& bert, const BertInput& input) {
    const Tensor right = bert.model(input).last_hidden_state;
    std::vector<MistakeEffect> effects;
    using Change = std::function<void(BertModel&, BertInput&)>;
    const auto with = [&](const char* mistake, const Change& change) {
        BertModel model = bert.model;
        BertInput changed = input;
        change(model, changed);
        effects.push_back({mistake, largest_change(model(changed).last_hidden_state, right,
                                                   input.attention_mask)});
    };
    with("epsilon 1e-5 for 1e-12", [](BertModel& model, BertInput&) { set_epsilon(model, 1e-5); });
    with("the tanh form of gelu", [](BertModel& model, BertInput&) {
        for (EncoderLayer& layer : model.encoder.layers)
            layer.feed_forward.activation = Activation::gelu_tanh;
    });
    with("padding is seen", [](BertModel&, BertInput& changed) {
        for (Real& visible :
             std::span{changed.attention_mask.mutable_data(), changed.attention_mask.size()})
            visible = 1;
    });
    with("every token in sentence A", [](BertModel&, BertInput& changed) {
        std::fill(changed.token_type_ids.begin(), changed.token_type_ids.end(), 0);
    });
    with("query weights transposed", [](BertModel& model, BertInput&) {
        for (EncoderLayer& layer : model.encoder.layers) {
            Tensor& weight = layer.self_attention.query.weight;
            weight = transpose(weight, 0, 1);
        }
    });
    with("norm before each part", [](BertModel& model, BertInput&) {
        for (EncoderLayer& layer : model.encoder.layers)
            layer.norm_order = NormOrder::pre;
    });
    return effects;
}

}  // namespace bert
