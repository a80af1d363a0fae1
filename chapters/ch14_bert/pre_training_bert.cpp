#include "ch14_bert/pre_training_bert.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "ch06_learning/initialise.hpp"

namespace bert {

namespace {

Tensor place() {
    return Tensor(Shape{1});
}

Linear linear_outline() {
    return {place(), place()};
}

LayerNorm norm_outline(const BertConfig& config) {
    return {place(), place(), config.layer_norm_eps};
}

EncoderLayer layer_outline(const BertConfig& config) {
    return {.self_attention = {linear_outline(), linear_outline(), linear_outline(),
                               linear_outline(), config.num_attention_heads},
            .attention_norm = norm_outline(config),
            .feed_forward = {linear_outline(), linear_outline(), config.hidden_act},
            .feed_forward_norm = norm_outline(config),
            .norm_order = NormOrder::post};
}

bool ends_with(const std::string& name, std::string_view ending) {
    return std::string_view{name}.ends_with(ending);
}

Tensor ones(const Shape& shape) {
    Tensor x = Tensor::for_overwrite(shape);
    std::fill_n(x.mutable_data(), x.size(), Real{1});
    return x;
}

Tensor random_parameter(Random& random, const BertConfig& config, const std::string& name) {
    const Shape shape = parameter_shape(config, name);
    if (shape.size() == 2) return truncated_normal(random, shape, config.initializer_range);
    return ends_with(name, "LayerNorm.weight") ? ones(shape) : Tensor(shape);
}

}  // namespace

Tensor Bert::prediction_logits(const Tensor& hidden) const {
    if (!predictions) throw std::logic_error{"Bert: it has no masked language model head"};
    return (*predictions)(hidden, model.embeddings.word_embeddings);
}

Tensor Bert::seq_relationship_logits(const Tensor& pooled) const {
    if (!seq_relationship) throw std::logic_error{"Bert: it has no next sentence head"};
    return (*seq_relationship)(pooled);
}

Bert bert_outline(const BertConfig& config, const BertParts& parts) {
    Bert bert{.config = config, .model = {}, .predictions = {}, .seq_relationship = {}};
    bert.model.embeddings = {place(), {place()}, place(), norm_outline(config)};
    for (std::size_t l = 0; l < config.num_hidden_layers; ++l)
        bert.model.encoder.layers.push_back(layer_outline(config));
    if (parts.pooler) bert.model.pooler = linear_outline();
    if (parts.predictions) {
        bert.predictions = {linear_outline(), config.hidden_act, norm_outline(config), place(),
                            parts.own_decoder ? place() : Tensor()};
    }
    if (parts.seq_relationship) bert.seq_relationship = linear_outline();
    return bert;
}

Shape parameter_shape(const BertConfig& config, const std::string& name) {
    const std::size_t d = config.hidden_size;
    const std::size_t f = config.intermediate_size;
    // [shapes]
    if (ends_with(name, "word_embeddings.weight")) return {config.vocab_size, d};
    if (ends_with(name, "position_embeddings.weight")) return {config.max_position_embeddings, d};
    if (ends_with(name, "token_type_embeddings.weight")) return {config.type_vocab_size, d};
    if (ends_with(name, "predictions.decoder.weight")) return {config.vocab_size, d};
    if (ends_with(name, "predictions.bias")) return {config.vocab_size};
    if (ends_with(name, "predictions.decoder.bias")) return {config.vocab_size};
    if (ends_with(name, "seq_relationship.weight")) return {2, d};
    if (ends_with(name, "seq_relationship.bias")) return {2};
    if (ends_with(name, "intermediate.dense.weight")) return {f, d};
    if (ends_with(name, "intermediate.dense.bias")) return {f};
    const bool of_attention = name.find(".attention.") != std::string::npos;
    if (!of_attention && ends_with(name, ".output.dense.weight")) return {d, f};
    if (ends_with(name, "LayerNorm.weight") || ends_with(name, "bias")) return {d};
    return {d, d};  // query, key, value, attention.output.dense, pooler.dense, transform.dense
    // [shapes]
}

Bert random_bert(Random& random, const BertConfig& config, const BertParts& parts) {
    Bert bert = bert_outline(config, parts);
    for_each_parameter(bert, [&](const std::string& name, Tensor& x) {
        x = random_parameter(random, config, name);
    });
    return bert;
}

EncoderLayer random_encoder_layer(Random& random, const BertConfig& config) {
    EncoderLayer layer = layer_outline(config);
    const auto fill = [&](const std::string& name, Tensor& x) {
        x = random_parameter(random, config, name);
    };
    visit_encoder_layer(layer, fill, "encoder.layer.0.");
    return layer;
}

std::size_t parameter_count(const BertConfig& config, const BertParts& parts) {
    const Bert outline = bert_outline(config, parts);
    std::size_t count = 0;
    for_each_parameter(outline, [&](const std::string& name, const Tensor&) {
        count += element_count(parameter_shape(config, name));
    });
    return count;
}

}  // namespace bert
