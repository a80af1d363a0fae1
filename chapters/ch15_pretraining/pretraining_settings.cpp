#include <fmt/core.h>

#include "ch15_pretraining/pretraining_inputs.hpp"
#include "common/io/strict_json.hpp"

namespace bert {

Settings settings_of(const BertConfig& config) {
    const JsonValue object = parse_json("config.json", to_json(config));
    Settings settings;
    for (std::size_t i = 0; i < object.keys().size(); ++i)
        settings.emplace_back("config." + object.keys()[i], object.items()[i].to_json());
    return settings;
}

Settings settings_of(const PretrainingOptions& o) {
    return {{"steps", fmt::format("{}", o.steps)},
            {"batch size", fmt::format("{}", o.batch_size)},
            {"batches of a step", fmt::format("{}", o.accumulate)},
            {"learning rate", fmt::format("{}", o.learning_rate)},
            {"warm-up", fmt::format("{}", o.warmup)},
            {"weight decay", fmt::format("{}", o.weight_decay)},
            {"largest gradient norm", fmt::format("{}", o.max_gradient_norm)},
            {"seed", fmt::format("{}", o.seed)}};
}

}  // namespace bert
