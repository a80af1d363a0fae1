// What a summary of attention maps has to know of the tokens.
#pragma once

#include <vector>

#include "common/attention_map/attention_dump.hpp"

namespace bert {

enum class TokenRole { word, cls, sep, padding };

struct MapTokens {
    std::vector<std::vector<TokenRole>> roles;  // (B, T)
    bool causal = false;                        // query t sees keys 0 to t only
};

/// The roles of the keys of a dump: padding where attention_mask says so, cls and sep by the names
/// that the dump gives them ([CLS] and [SEP] when it gives none). Throws as validate() does, and
/// ShapeError unless there are as many keys as queries.
MapTokens map_tokens(const AttentionDump& dump);

/// Throws ShapeError naming `function` unless attentions are (L, B, H, T, T), not empty, with roles
/// for each of the B T positions.
void require_maps(const char* function, const Tensor& attentions, const MapTokens& tokens);

}  // namespace bert
