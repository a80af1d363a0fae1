#include "ch14_bert/tensor_names.hpp"

namespace bert {

std::string current_name(std::string_view name) {
    std::string current{name};
    for (const std::string_view part : {"embeddings.", "encoder.", "pooler."}) {
        if (name.starts_with(part)) current.insert(0, "bert.");
    }
    const auto replace_ending = [&current](std::string_view old, std::string_view now) {
        if (std::string_view{current}.ends_with(old))
            current.replace(current.size() - old.size(), old.size(), now);
    };
    replace_ending("LayerNorm.gamma", "LayerNorm.weight");
    replace_ending("LayerNorm.beta", "LayerNorm.bias");
    return current;
}

bool is_buffer(std::string_view name) {
    return name.ends_with("embeddings.position_ids") || name.ends_with("embeddings.token_type_ids");
}

}  // namespace bert
