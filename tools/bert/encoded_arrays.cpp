#include "tools/bert/encoded_arrays.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "common/io/file_error.hpp"
#include "common/io/npz.hpp"
#include "tools/bert/model.hpp"
#include "tools/bert/results.hpp"

namespace bert {

namespace {

double size_of(const Shape& shape) {
    double size = 1;
    for (const std::size_t n : shape)
        size *= static_cast<double>(n);
    return size;
}

// Whole numbers in [0, end), of the shape of input_ids.
std::vector<std::int64_t> numbers_of(const std::string& path, const std::string& name,
                                     const NpyArray& array, const Shape& shape, std::size_t end) {
    if (array.shape() != shape) {
        throw FileError{path, name, "another shape than input_ids", to_string(array.shape()),
                        to_string(shape)};
    }
    std::vector<std::int64_t> values = array.to_ints();
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] >= 0 && values[i] < static_cast<std::int64_t>(end)) continue;
        throw FileError{path, fmt::format("{}[{}][{}]", name, i / shape[1], i % shape[1]),
                        "a number out of range", std::to_string(values[i]),
                        fmt::format("0 to {}", end - 1)};
    }
    return values;
}

}  // namespace

BertInput read_input(const std::string& path, const BertConfig& config) {
    const std::map<std::string, NpyArray> arrays = read_npz(path);
    const auto ids = arrays.find("input_ids");
    if (ids == arrays.end())
        throw FileError{path, "input_ids", "the array is missing", "others", "input_ids"};
    const Shape& shape = ids->second.shape();
    if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0) {
        throw FileError{path, "input_ids", "another shape", to_string(shape),
                        "(B, T), both at least 1"};
    }
    if (shape[1] > config.max_position_embeddings) {
        throw FileError{path, "input_ids", "too long for the model",
                        fmt::format("{} tokens", shape[1]),
                        fmt::format("at most its {} positions", config.max_position_embeddings)};
    }
    BertInput input = input_of_ids(
        numbers_of(path, "input_ids", ids->second, shape, config.vocab_size), shape[0]);
    if (const auto types = arrays.find("token_type_ids"); types != arrays.end()) {
        input.token_type_ids =
            numbers_of(path, "token_type_ids", types->second, shape, config.type_vocab_size);
    }
    if (const auto mask = arrays.find("attention_mask"); mask != arrays.end()) {
        Real* visible = input.attention_mask.mutable_data();
        for (const std::int64_t number : numbers_of(path, "attention_mask", mask->second, shape, 2))
            *visible++ = static_cast<Real>(number);
    }
    return input;
}

EncodedArrays::EncodedArrays(const PretrainedBert& model, const BertInput& input,
                             const EncodedWishes& wishes)
    : model_(model), input_(input) {
    const BertConfig& config = model.config();
    const Bert& bert = model.bert();
    const std::size_t b = input.batch;
    const std::size_t t = input.length;
    const std::size_t layers = config.num_hidden_layers;
    const auto add = [this](const char* name, Shape shape) {
        arrays_.push_back({name, std::move(shape), {}});
    };
    add("last_hidden_state", {b, t, config.hidden_size});
    if (bert.model.pooler) add("pooler_output", {b, config.hidden_size});
    if (wishes.hidden_states) add("hidden_states", {layers + 1, b, t, config.hidden_size});
    if (wishes.attentions) add("attentions", {layers, b, config.num_attention_heads, t, t});
    if (wishes.logits && bert.predictions) add("prediction_logits", {b, t, config.vocab_size});
    if (wishes.logits && bert.model.pooler && bert.seq_relationship)
        add("seq_relationship_logits", {b, 2});
    double bytes = 0;
    for (const Array& array : arrays_)
        bytes += size_of(array.shape) * sizeof(Real);
    require_room("the result", bytes);
    for (Array& array : arrays_)
        array.tensor = Tensor::for_overwrite(array.shape);
}

std::size_t EncodedArrays::examples_at_once() const {
    std::size_t examples = rows_at_once / input_.length;
    if (const Array* maps = find("attentions")) {
        constexpr double most_numbers = 1 << 25;
        const double each = size_of(maps->shape) / static_cast<double>(input_.batch);
        examples = std::min(examples, static_cast<std::size_t>(most_numbers / each));
    }
    return std::max<std::size_t>(1, examples);
}

void EncodedArrays::run(std::size_t begin, std::size_t end) {
    const BertOutput output =
        model_(rows_of(begin, end), {.hidden_states = find("hidden_states") != nullptr,
                                     .attentions = find("attentions") != nullptr});
    put("last_hidden_state", 0, begin, output.last_hidden_state);
    if (output.pooler_output) put("pooler_output", 0, begin, *output.pooler_output);
    for (std::size_t l = 0; l < output.hidden_states.size(); ++l)
        put("hidden_states", l, begin, output.hidden_states[l]);
    for (std::size_t l = 0; l < output.attentions.size(); ++l)
        put("attentions", l, begin, output.attentions[l]);
    const Bert& bert = model_.bert();
    if (find("prediction_logits") != nullptr)
        put("prediction_logits", 0, begin, bert.prediction_logits(output.last_hidden_state));
    if (find("seq_relationship_logits") != nullptr) {
        put("seq_relationship_logits", 0, begin,
            bert.seq_relationship_logits(*output.pooler_output));
    }
}

void EncodedArrays::write(const std::string& path) const {
    NpzWriter writer;
    const Shape shape{input_.batch, input_.length};
    std::vector<std::int64_t> mask;
    for (const Real visible : input_.attention_mask.values())
        mask.push_back(static_cast<std::int64_t>(visible));
    writer.add_ints("input_ids", shape, input_.input_ids);
    writer.add_ints("token_type_ids", shape, input_.token_type_ids);
    writer.add_ints("attention_mask", shape, std::move(mask));
    for (const Array& array : arrays_)
        writer.add(array.name, array.tensor);
    writer.write(path);
}

const EncodedArrays::Array* EncodedArrays::find(const std::string& name) const {
    for (const Array& array : arrays_)
        if (array.name == name) return &array;
    return nullptr;
}

// part (examples, ...) to [outer, begin, ...] of the array; `outer` counts layers.
void EncodedArrays::put(const std::string& name, std::size_t outer, std::size_t begin,
                        const Tensor& part) {
    require_finite(name, part);
    for (Array& array : arrays_) {
        if (array.name != name) continue;
        const std::size_t each = part.size() / part.dim(0);
        std::copy_n(part.data(), part.size(),
                    array.tensor.mutable_data() + (outer * input_.batch + begin) * each);
    }
}

BertInput EncodedArrays::rows_of(std::size_t begin, std::size_t end) const {
    const auto from = static_cast<std::ptrdiff_t>(begin * input_.length);
    const auto to = static_cast<std::ptrdiff_t>(end * input_.length);
    const Real* mask = input_.attention_mask.data();
    BertInput part{.batch = end - begin, .length = input_.length};
    part.input_ids.assign(input_.input_ids.begin() + from, input_.input_ids.begin() + to);
    part.token_type_ids.assign(input_.token_type_ids.begin() + from,
                               input_.token_type_ids.begin() + to);
    part.attention_mask =
        Tensor(Shape{part.batch, part.length}, std::vector<Real>(mask + from, mask + to));
    return part;
}

}  // namespace bert
