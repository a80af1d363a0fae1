#include <limits>
#include <utility>

#include "common/attention_map/attention_dump.hpp"
#include "common/attention_map/attention_meta.hpp"
#include "common/attention_map/dump_check.hpp"
#include "common/io/file_error.hpp"
#include "common/io/npz.hpp"

namespace bert {

namespace {

using Arrays = std::map<std::string, NpyArray>;

std::string entry_of(const std::string& name) {
    return "entry " + name + ".npy";
}

// An array, taken out; nothing when it is not there.
std::optional<NpyArray> take(Arrays& arrays, const std::string& name) {
    auto node = arrays.extract(name);
    if (node.empty()) return {};
    return std::move(node.mapped());
}

NpyArray take_needed(const std::string& path, Arrays& arrays, const std::string& name) {
    std::optional<NpyArray> array = take(arrays, name);
    if (!array) throw FileError{path, entry_of(name), "missing", "no such array", "an array"};
    return std::move(*array);
}

void require_rank(const std::string& path, const std::string& name, const NpyArray& array,
                  std::size_t rank) {
    if (array.shape().size() == rank) return;
    throw FileError{path, entry_of(name), "another number of dimensions", to_string(array.shape()),
                    std::to_string(rank) + " dimensions"};
}

Tensor floats(const std::string& path, const std::string& name, const NpyArray& array) {
    if (!array.dtype().starts_with("<f")) {
        throw FileError{path, entry_of(name), "another type", array.dtype(), "<f2, <f4 or <f8"};
    }
    return array.to_tensor();
}

std::optional<Tensor> take_floats(const std::string& path, Arrays& arrays,
                                  const std::string& name) {
    const std::optional<NpyArray> array = take(arrays, name);
    if (!array) return {};
    return floats(path, name, *array);
}

std::vector<std::int32_t> int32s(const std::string& path, const std::string& name,
                                 const NpyArray& array) {
    std::vector<std::int32_t> values;
    for (const std::int64_t value : array.to_ints()) {
        if (value < std::numeric_limits<std::int32_t>::min() ||
            value > std::numeric_limits<std::int32_t>::max()) {
            throw FileError{path, entry_of(name), "a number is out of range", std::to_string(value),
                            "32 bits"};
        }
        values.push_back(static_cast<std::int32_t>(value));
    }
    return values;
}

std::vector<std::int32_t> take_numbers(const std::string& path, Arrays& arrays,
                                       const std::string& name) {
    const NpyArray array = take_needed(path, arrays, name);
    require_rank(path, name, array, 1);
    return int32s(path, name, array);
}

std::vector<std::vector<std::string>> tokens_of(const std::string& path, const std::string& name,
                                                const NpyArray& array) {
    require_rank(path, name, array, 2);
    std::vector<std::string> all = array.to_strings();
    const std::size_t length = array.shape()[1];
    std::vector<std::vector<std::string>> sequences(array.shape()[0]);
    auto next = all.begin();
    for (std::vector<std::string>& sequence : sequences) {
        const auto end = next + static_cast<std::ptrdiff_t>(length);
        sequence.assign(std::make_move_iterator(next), std::make_move_iterator(end));
        next = end;
    }
    return sequences;
}

void read_token_numbers(const std::string& path, Arrays& arrays, AttentionDump& dump) {
    for (const char* name : {"input_ids", "token_type_ids", "attention_mask", "special_tokens_mask",
                             "word_ids", "offsets"}) {
        const std::optional<NpyArray> array = take(arrays, name);
        if (array) dump.token_numbers[name] = {array->shape(), int32s(path, name, *array)};
    }
}

}  // namespace

AttentionDump read_attention_npz(const std::string& path) {
    Arrays arrays = read_npz(path);
    AttentionDump dump;
    const NpyArray meta = take_needed(path, arrays, "meta");
    require_rank(path, "meta", meta, 0);
    read_attention_meta(path, meta.to_strings().at(0), dump);
    dump.layers = take_numbers(path, arrays, "layers");
    dump.heads = take_numbers(path, arrays, "heads");
    dump.tokens = tokens_of(path, "tokens", take_needed(path, arrays, "tokens"));
    if (const std::optional<NpyArray> sources = take(arrays, "source_tokens"))
        dump.source_tokens = tokens_of(path, "source_tokens", *sources);
    read_token_numbers(path, arrays, dump);
    double tolerance = sum_tolerance_f4;
    {
        const NpyArray attentions = take_needed(path, arrays, "attentions");
        if (attentions.dtype() == "<f2") tolerance = sum_tolerance_f2;
        dump.attentions = floats(path, "attentions", attentions);
    }
    dump.scores = take_floats(path, arrays, "scores");
    dump.queries = take_floats(path, arrays, "queries");
    dump.keys = take_floats(path, arrays, "keys");
    dump.values = take_floats(path, arrays, "values");
    dump.value_norms = take_floats(path, arrays, "value_norms");
    dump.rollout = take_floats(path, arrays, "rollout");
    if (const std::optional<DumpFault> fault = find_fault(dump, tolerance))
        throw FileError{path, fault->where, fault->what, fault->found, fault->expected};
    return dump;
}

}  // namespace bert
