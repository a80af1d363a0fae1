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

void run(const std::optional<std::string>& out, const Invocation& invocation) {
    if (!out) throw UsageError{"convert: --out DIR is missing"};
    require_output_name("--out", *out);
    const std::string from = model_folder(invocation);
    std::error_code fault;
    if (fs::equivalent(from, *out, fault)) throw UsageError{"--out: " + *out + " is the input"};
    require_output_folder("--out", *out);
    fs::path folder = fs::path{*out};
    if (!folder.has_filename()) folder = folder.parent_path();  // DIR/
    convert_checkpoint(from, folder.string());
    invocation.tell("wrote " + *out);
}

}  // namespace

Command convert_command() {
    const auto out = std::make_shared<std::optional<std::string>>();
    return {.name = "convert",
            .summary =
                "Write a checkpoint again, gamma and beta under their names of today, in one file",
            .examples = "  bert convert --model old --out new\n",
            .takes_json = false,
            .options = {{"--out", "DIR", "Folder to write, made if it is missing", out.get()}},
            .run = [out](const Invocation& invocation) { run(*out, invocation); }};
}

}  // namespace bert
