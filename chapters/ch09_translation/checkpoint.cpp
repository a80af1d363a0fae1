#include "ch09_translation/checkpoint.hpp"

#include <fmt/core.h>

#include <cstdint>

#include "common/autograd/tape.hpp"
#include "common/io/file_error.hpp"

namespace bert {

namespace {

// One string a setting: name, a tabulator, value.
constexpr char between = '\t';

std::vector<std::string> as_lines(const Settings& settings) {
    std::vector<std::string> lines;
    for (const auto& [name, value] : settings)
        lines.push_back(name + between + value);
    return lines;
}

Settings take_settings(const std::string& path, Arrays& arrays) {
    Settings settings;
    for (const std::string& line : take_array(path, arrays, "settings").to_strings()) {
        const std::size_t end = line.find(between);
        if (end == std::string::npos)
            throw FileError{path, "settings", "not a setting", line, "name, tabulator, value"};
        settings.emplace_back(line.substr(0, end), line.substr(end + 1));
    }
    return settings;
}

// "first_moment/encoder.layers.0..." for each parameter.
template <typename Do>
void for_each_moment(Transformer& model, Adam& adam, const Do& do_moment) {
    std::size_t i = 0;
    for (const NamedParameter& parameter : parameters_of(model)) {
        do_moment("first_moment/" + parameter.name, *parameter.tensor, adam.first_moments[i]);
        do_moment("second_moment/" + parameter.name, *parameter.tensor, adam.second_moments[i]);
        ++i;
    }
}

// Means of squares: a negative one would end in the root of a negative number.
void require_squares(const std::string& path, const std::string& name, const Tensor& moment) {
    for (const Real value : moment.values()) {
        if (value >= 0) continue;
        throw FileError{path, name, "a negative mean of squares", fmt::format("{}", value),
                        "at least 0"};
    }
}

void take_counters(const std::string& path, Arrays& arrays, TrainingState& state) {
    const std::vector<std::int64_t> counters = take_array(path, arrays, "counters").to_ints();
    if (counters.size() != 2 || counters[0] < 0 || counters[1] < 0) {
        throw FileError{path, "counters", "not steps and position",
                        std::to_string(counters.size()) + " numbers", "two, not negative"};
    }
    state.step = static_cast<std::uint64_t>(counters[0]);
    state.dropout_position = static_cast<std::uint64_t>(counters[1]);
    state.adam.steps = state.step;
}

}  // namespace

void save_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
    NpzWriter writer;
    add_model(writer, {checkpoint.state.model, checkpoint.source, checkpoint.target});
    writer.add_strings("settings", {checkpoint.settings.size()}, as_lines(checkpoint.settings));
    writer.add_ints("counters", {2},
                    std::vector{static_cast<std::int64_t>(checkpoint.state.step),
                                static_cast<std::int64_t>(checkpoint.state.dropout_position)});
    TrainingState state = checkpoint.state;
    if (state.step > 0) {
        for_each_moment(state.model, state.adam,
                        [&](const std::string& name, const Tensor&, const Tensor& moment) {
                            require_finite(name, moment);
                            writer.add(name, moment, exact_float);
                        });
    }
    writer.write(path);
}

Checkpoint load_checkpoint(const std::string& path) {
    Arrays arrays = read_npz(path);
    TranslationModel model = take_model(path, arrays);
    // Before the braces: GCC 12 destroys a nested part twice when a later one throws.
    Settings settings = take_settings(path, arrays);
    Checkpoint checkpoint{{std::move(model.transformer), {}, 0, 0},
                          std::move(model.source),
                          std::move(model.target),
                          std::move(settings)};
    TrainingState& state = checkpoint.state;
    take_counters(path, arrays, state);
    state.adam.settings = translation_adam();
    if (state.step > 0) {
        const std::size_t count = parameters_of(state.model).size();
        state.adam.first_moments.resize(count);
        state.adam.second_moments.resize(count);
        for_each_moment(state.model, state.adam,
                        [&](const std::string& name, const Tensor& parameter, Tensor& moment) {
                            moment = take_tensor(path, arrays, name, parameter.shape());
                            if (name.starts_with("second_")) require_squares(path, name, moment);
                        });
    }
    if (!arrays.empty()) {
        throw FileError{path, arrays.begin()->first, "unexpected", "an array of this name",
                        "a checkpoint and nothing else"};
    }
    track_parameters(state.model);
    return checkpoint;
}

}  // namespace bert
