// bert split-sentences: novels to a corpus, one sentence a line.
#include <fmt/core.h>

#include <memory>
#include <optional>
#include <string>

#include "ch15_pretraining/sentences.hpp"
#include "common/cli/program.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/file_error.hpp"
#include "common/io/input_file.hpp"
#include "common/text/lenient_utf8.hpp"
#include "tools/bert/commands.hpp"
#include "tools/bert/results.hpp"

namespace bert {

namespace {

constexpr std::uint64_t largest_text = std::uint64_t{256} << 20;

std::string read_prose(const std::string& path, const Invocation& invocation) {
    std::string text = read_file(path, largest_text);
    const std::size_t zero = text.find('\0');
    if (zero != std::string::npos)
        throw FileError{path, fmt::format("byte {}", zero), "not UTF-8 text", "a NUL", "text"};
    const std::size_t bad = count_bad_utf8(text);
    if (bad > 0) invocation.warn(fmt::format("{}: {} parts are not UTF-8", path, bad));
    return text;
}

void run(const std::optional<std::string>& out, const Invocation& invocation) {
    if (invocation.arguments.empty()) throw UsageError{"split-sentences: no FILE to split"};
    if (out) require_output_path("--out", *out, invocation.arguments);
    std::string corpus;
    std::size_t documents = 0;
    std::size_t sentences = 0;
    for (const std::string& path : invocation.arguments) {
        const auto split = split_prose(read_prose(path, invocation));
        documents += split.size();
        for (const auto& document : split)
            sentences += document.size();
        if (!corpus.empty() && !split.empty()) corpus += '\n';
        corpus += corpus_text(split);
    }
    if (out) {
        write_file(*out, corpus);
    } else {
        write_result(corpus);
    }
    invocation.tell(fmt::format("{} documents, {} sentences", documents, sentences));
}

}  // namespace

Command split_sentences_command() {
    const auto out = std::make_shared<std::optional<std::string>>();
    return {.name = "split-sentences",
            .summary = "Novels to a corpus for make-data: one sentence a line",
            .examples = "  bert split-sentences --out corpus.txt emma.txt persuasion.txt\n",
            .arguments = "FILE",
            .arguments_description = "...  UTF-8 prose; a blank line ends a paragraph",
            .takes_model = false,
            .takes_json = false,
            .options = {{"--out", "FILE", "Where the corpus goes (standard output)", out.get()}},
            .run = [out](const Invocation& invocation) { run(*out, invocation); }};
}

}  // namespace bert
