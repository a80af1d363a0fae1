#include "ch14_bert/sizes.hpp"

#include <algorithm>
#include <string_view>

namespace bert {

namespace {

// The part that a parameter belongs to, by its name.
std::string_view part_of(std::string_view name) {
    const auto has = [name](std::string_view text) {
        return name.find(text) != std::string_view::npos;
    };
    if (has("cls.predictions")) return "masked language model head";
    if (has("cls.seq_relationship")) return "next sentence head";
    if (has("pooler")) return "pooler";
    if (has("word_embeddings")) return "word embeddings";
    if (has("position_embeddings")) return "position embeddings";
    if (has("token_type_embeddings")) return "token type embeddings";
    if (has("LayerNorm")) return "layer normalisations";
    return has(".attention.") ? "attention" : "feed-forward networks";
}

}  // namespace

std::vector<PartSize> sizes_of_parts(const BertConfig& config) {
    std::vector<PartSize> sizes;
    const Bert outline = bert_outline(config, {});
    for_each_parameter(outline, [&](const std::string& name, const Tensor&) {
        const std::string_view part = part_of(name);
        const auto known = std::find_if(sizes.begin(), sizes.end(),
                                        [part](const PartSize& size) { return size.part == part; });
        const std::size_t count = element_count(parameter_shape(config, name));
        if (known == sizes.end()) {
            sizes.push_back({std::string{part}, count});
        } else {
            known->parameters += count;
        }
    });
    return sizes;
}

std::size_t count_without_biases(const BertConfig& config) {
    const std::size_t d = config.hidden_size;
    const std::size_t rows =
        config.vocab_size + config.max_position_embeddings + config.type_vocab_size;
    const std::size_t layer = 4 * d * d + 2 * d * config.intermediate_size + 4 * d;
    return rows * d + 2 * d + config.num_hidden_layers * layer;
}

}  // namespace bert
