// The meta data of an attention dump: JSON that says what the arrays are and where they come from
// (data/schema/attention_meta.schema.json).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/attention_map/attention_dump.hpp"

namespace bert {

/// The optional arrays that are there, by key, and the names of each one's axes; attentions first.
struct NamedArray {
    std::string name;
    const Tensor* array;
    std::vector<std::string> axes;
};
std::vector<NamedArray> arrays_of(const AttentionDump& dump);

/// The JSON object on one line. The dump is valid.
std::string attention_meta(const AttentionDump& dump);

/// Fills in what the meta data of the file at `path` say. Keys that it does not know, and the
/// minor version, are ignored. Throws FileError naming the key for text that is not JSON, another
/// format or version, and values of another kind.
void read_attention_meta(const std::string& path, const std::string& json, AttentionDump& dump);

/// Nothing when the text is a JSON object of at most 32 levels; else what it is instead.
std::string json_object_fault(std::string_view text);

}  // namespace bert
