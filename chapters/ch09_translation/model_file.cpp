#include "ch09_translation/model_file.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "common/io/file_error.hpp"

namespace bert {

namespace {

constexpr std::int64_t version = 1;
constexpr std::string_view format = "attention-to-bert translation";
constexpr std::string_view prefix = "parameter/";

// A size in the file: its name, and the largest that a sound file may have.
struct SizeLimit {
    std::string_view name;
    std::int64_t least;
    std::int64_t most;
};
constexpr std::array<SizeLimit, 8> sizes = {{{"version", version, version},
                                             {"layers", 1, 1000},
                                             {"width", 1, 65536},
                                             {"heads", 1, 65536},
                                             {"inner width", 1, 1048576},
                                             {"max length", 2, 4096},
                                             {"activation", 0, 2},
                                             {"norm order", 0, 1}}};

std::vector<std::int64_t> size_list(const TransformerSize& size) {
    const auto number = [](std::size_t x) { return static_cast<std::int64_t>(x); };
    return {version,
            number(size.layers.num_layers),
            number(size.layers.width),
            number(size.layers.num_heads),
            number(size.layers.inner_width),
            number(size.max_length),
            static_cast<std::int64_t>(size.layers.activation),
            static_cast<std::int64_t>(size.layers.norm_order)};
}

TransformerSize read_sizes(const std::string& path, const std::vector<std::int64_t>& list,
                           std::size_t source_words, std::size_t target_words) {
    if (list.size() != sizes.size()) {
        throw FileError{path, "sizes", "wrong number of entries", std::to_string(list.size()),
                        std::to_string(sizes.size())};
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (list[i] >= sizes[i].least && list[i] <= sizes[i].most) continue;
        throw FileError{path, "sizes", std::string{sizes[i].name} + " out of range",
                        std::to_string(list[i]),
                        fmt::format("{} to {}", sizes[i].least, sizes[i].most)};
    }
    if (list[2] % 2 != 0)
        throw FileError{path, "sizes", "odd width", std::to_string(list[2]), "an even one"};
    if (list[2] % list[3] != 0) {
        throw FileError{path, "sizes", "width is not a multiple of heads",
                        fmt::format("{} and {}", list[2], list[3]), "one that divides"};
    }
    const auto at = [&](std::size_t i) { return static_cast<std::size_t>(list[i]); };
    return {.source_words = source_words,
            .target_words = target_words,
            .max_length = at(5),
            .layers = {.num_layers = at(1),
                       .width = at(2),
                       .num_heads = at(3),
                       .inner_width = at(4),
                       .activation = static_cast<Activation>(list[6]),
                       .norm_order = static_cast<NormOrder>(list[7])}};
}

// The parameters that the file must have for these sizes are as many numbers as it does have, so
// that no file can ask for more memory than it brings.
void require_count(const std::string& path, const TransformerSize& size, const Arrays& arrays) {
    const auto d = static_cast<double>(size.layers.width);
    const auto f = static_cast<double>(size.layers.inner_width);
    const double attention = 4.0 * (d * d + d);
    const double feed_forward = 2.0 * d * f + f + d;
    const double norms = size.layers.norm_order == NormOrder::pre ? 4.0 * d : 0.0;
    const double expected = d * static_cast<double>(size.source_words) +
                            (2.0 * d + 1.0) * static_cast<double>(size.target_words) + norms +
                            static_cast<double>(size.layers.num_layers) *
                                (3.0 * attention + 2.0 * feed_forward + 10.0 * d);
    double found = 0.0;
    for (const auto& [name, array] : arrays) {
        if (name.starts_with(prefix)) found += static_cast<double>(array.size());
    }
    if (found == expected) return;
    throw FileError{path, "parameters", "their number does not fit the sizes",
                    fmt::format("{:.0f}", found), fmt::format("{:.0f}", expected)};
}

Vocabulary take_vocabulary(const std::string& path, Arrays& arrays, const std::string& name) {
    try {
        return Vocabulary{take_array(path, arrays, name).to_strings()};
    } catch (const std::invalid_argument& e) {
        throw FileError{path + ": " + name + ": " + e.what()};
    }
}

}  // namespace

NpyArray take_array(const std::string& path, Arrays& arrays, const std::string& name) {
    auto node = arrays.extract(name);
    if (node.empty()) throw FileError{path, name, "missing", "nothing", "an array of this name"};
    return std::move(node.mapped());
}

Tensor take_tensor(const std::string& path, Arrays& arrays, const std::string& name,
                   const Shape& shape) {
    const NpyArray array = take_array(path, arrays, name);
    if (array.shape() != shape) {
        throw FileError{path, name, "another shape", to_string(array.shape()), to_string(shape)};
    }
    Tensor tensor = array.to_tensor();
    try {
        require_finite(name, tensor);
    } catch (const NumericError& e) {
        throw FileError{path + ": " + e.what()};
    }
    return tensor;
}

void add_model(NpzWriter& writer, const TranslationModel& model) {
    writer.add_strings("format", {1}, {std::string{format}});
    writer.add_ints("sizes", {sizes.size()}, size_list(size_of(model.transformer)));
    writer.add_strings("source_vocabulary", {model.source.size()}, model.source.tokens());
    writer.add_strings("target_vocabulary", {model.target.size()}, model.target.tokens());
    for_each_parameter(model.transformer, [&](const std::string& name, const Tensor& parameter) {
        require_finite(name, parameter);
        writer.add(std::string{prefix} + name, parameter, exact_float);
    });
}

TranslationModel take_model(const std::string& path, Arrays& arrays) {
    const std::vector<std::string> kind = take_array(path, arrays, "format").to_strings();
    if (kind != std::vector{std::string{format}}) {
        throw FileError{path, "format", "another kind of file",
                        kind.size() == 1 ? kind[0] : "not one word", std::string{format}};
    }
    const std::vector<std::int64_t> list = take_array(path, arrays, "sizes").to_ints();
    Vocabulary source = take_vocabulary(path, arrays, "source_vocabulary");
    Vocabulary target = take_vocabulary(path, arrays, "target_vocabulary");
    const TransformerSize size = read_sizes(path, list, source.size(), target.size());
    require_count(path, size, arrays);
    Random random{0};
    Transformer transformer = random_transformer(random, size);  // its numbers are replaced
    for_each_parameter(transformer, [&](const std::string& name, Tensor& parameter) {
        parameter = take_tensor(path, arrays, std::string{prefix} + name, parameter.shape());
    });
    return {std::move(transformer), std::move(source), std::move(target)};
}

void save_model(const std::string& path, const TranslationModel& model) {
    NpzWriter writer;
    add_model(writer, model);
    writer.write(path);
}

TranslationModel load_model(const std::string& path) {
    Arrays arrays = read_npz(path);
    TranslationModel model = take_model(path, arrays);
    if (!arrays.empty()) {
        throw FileError{path, arrays.begin()->first, "unexpected", "an array of this name",
                        "a model and nothing else"};
    }
    return model;
}

}  // namespace bert
