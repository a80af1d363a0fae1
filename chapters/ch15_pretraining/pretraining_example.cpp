#include "ch15_pretraining/pretraining_example.hpp"

namespace bert {

std::vector<TokenId> masked_tokens(const PretrainingExample& example) {
    std::vector<TokenId> tokens = example.tokens;
    for (std::size_t i = 0; i < example.positions.size(); ++i)
        tokens.at(example.positions[i]) = example.replacements.at(i);
    return tokens;
}

}  // namespace bert
