// bert convert: reads a checkpoint and writes it again.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "ch14_bert/checkpoint.hpp"
#include "common/cli/program.hpp"
#include "tools/bert/commands.hpp"
#include "tools/bert/model.hpp"
#include "tools/bert/results.hpp"

namespace bert {

namespace {

namespace fs = std::filesystem;

struct Options {
    std::optional<std::string> out;
    std::optional<std::string> type;
};

std::optional<SafetensorsType> type_of(const std::optional<std::string>& name) {
    if (!name) return {};
    for (const SafetensorsType type :
         {SafetensorsType::F16, SafetensorsType::BF16, SafetensorsType::F32})
        if (*name == to_string(type)) return type;
    throw UsageError{"--type: no such type (found " + printable(*name) +
                     ", expected F16, BF16 or F32)"};
}

void run(const Options& options, const Invocation& invocation) {
    const auto& out = options.out;
    const std::optional<SafetensorsType> type = type_of(options.type);
    if (!out) throw UsageError{"convert: --out DIR is missing"};
    require_output_name("--out", *out);
    const std::string from = model_folder(invocation);
    std::error_code fault;
    if (fs::equivalent(from, *out, fault)) throw UsageError{"--out: " + *out + " is the input"};
    require_output_folder("--out", *out);
    fs::path folder = fs::path{*out};
    if (!folder.has_filename()) folder = folder.parent_path();  // DIR/
    convert_checkpoint(from, folder.string(), type);
    invocation.tell("wrote " + *out);
}

}  // namespace

Command convert_command() {
    const auto options = std::make_shared<Options>();
    return {.name = "convert",
            .summary =
                "Write a checkpoint again, gamma and beta under their names of today, in one file",
            .examples =
                "  bert convert --model old --out new\n"
                "  bert convert --model old --out half --type F16\n",
            .takes_json = false,
            .options = {{"--out", "DIR", "Folder to write, made if it is missing", &options->out},
                        {"--type", "TYPE",
                         "Round the weights: F16, BF16 or F32 (without it every bit stays)",
                         &options->type}},
            .run = [options](const Invocation& invocation) { run(*options, invocation); }};
}

}  // namespace bert
