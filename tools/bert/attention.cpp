// bert attention: what each head looks at, as a file, a drawing or a table.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ch13_bert_input/batch.hpp"
#include "ch14_bert/bert.hpp"
#include "ch17_attention_maps/bert_dump.hpp"
#include "ch17_attention_maps/head_summary.hpp"
#include "ch17_attention_maps/rollout.hpp"
#include "ch17_attention_maps/selection.hpp"
#include "common/attention_map/attention_dump.hpp"
#include "common/cli/program.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/file_error.hpp"
#include "common/io/sha256.hpp"
#include "common/io/utf8.hpp"
#include "common/plot/heatmap.hpp"
#include "common/plot/terminal.hpp"
#include "tools/bert/commands.hpp"
#include "tools/bert/finite_tensors.hpp"
#include "tools/bert/model.hpp"
#include "tools/bert/results.hpp"
#include "tools/bert/texts.hpp"

namespace bert {

namespace {

struct Options {
    TextOptions texts;
    LengthOptions lengths;
    std::optional<std::string> out;
    std::optional<std::string> format;
    std::optional<std::string> layers;
    std::optional<std::string> heads;
    std::optional<std::string> summary;
    std::optional<std::string> rollout;
};

enum class Format { npz, json, csv, svg, png, text, none };

bool has_arrays(Format format) {
    return format == Format::npz || format == Format::json;
}

Format parse_format(const std::string& option, const std::string& name) {
    constexpr std::array<std::pair<const char*, Format>, 6> known = {{{"npz", Format::npz},
                                                                      {"json", Format::json},
                                                                      {"csv", Format::csv},
                                                                      {"svg", Format::svg},
                                                                      {"png", Format::png},
                                                                      {"text", Format::text}}};
    for (const auto& [word, format] : known)
        if (name == word) return format;
    if (name == "html")
        throw UsageError{option + ": html comes with the viewer, which is not written yet"};
    throw UsageError{option + ": unknown format (found " + (name.empty() ? "none" : name) +
                     ", expected npz, json, csv, svg, png or text)"};
}

Format format_of(const Options& options) {
    if (options.format) {
        const Format format = parse_format("--format", *options.format);
        if ((format == Format::text) == options.out.has_value()) {
            throw UsageError{format == Format::text
                                 ? "--format text: goes to the terminal, without --out"
                                 : "--format " + *options.format + ": --out PATH is missing"};
        }
        return format;
    }
    if (!options.out) return options.summary && !options.rollout ? Format::none : Format::text;
    const std::string suffix = std::filesystem::path{*options.out}.extension().string();
    if (suffix.size() < 2 || suffix == ".text") {
        throw UsageError{"--out: " + *options.out +
                         ": its suffix names no format (npz, json, csv, svg or png)"};
    }
    return parse_format("--out: " + *options.out, suffix.substr(1));
}

// It is of all layers and heads: npz and json have room for it beside those that are chosen.
void require_rollout_shown(const Options& options, Format format) {
    if (!options.rollout || has_arrays(format)) return;
    if (format == Format::csv) throw UsageError{"--rollout: csv has no room for it"};
    if (options.layers || options.heads)
        throw UsageError{"--rollout: is of all layers and heads (drawn without --layers, --heads)"};
}

std::vector<Example> read_examples(const Options& options, Format format,
                                   const Invocation& invocation) {
    Examples reader{options.texts, invocation};
    std::vector<Example> examples;
    for (;;) {
        std::vector<Example> some = reader.next(examples_at_once);
        if (some.empty()) break;
        std::move(some.begin(), some.end(), std::back_inserter(examples));
        const bool several = has_arrays(format) || format == Format::none;
        if (!several && examples.size() > 1) {
            throw UsageError{
                "attention: this format shows one text (found more; npz and json "
                "hold several)"};
        }
    }
    reader.warn_of_bad_utf8();
    reader.require_some();
    return examples;
}

// Text that is not UTF-8 cannot stand in the meta data.
std::optional<std::string> if_utf8(const std::optional<std::string>& text) {
    return text && utf8_to_code_points(*text) ? text : std::nullopt;
}

AttentionDump make_dump(const PretrainedBert& model, const std::vector<Example>& examples,
                        const Options& options, const Invocation& invocation) {
    const Tokenizer& tokenizer = require_tokenizer(model, invocation);
    const ModelInput model_input{model, tokenizer, options.lengths};
    std::vector<Encoding> encodings;
    std::size_t longest = 0;
    for (const Example& example : examples) {
        const std::string place =
            examples.size() == 1 ? "the text" : fmt::format("text {}", example.number);
        encodings.push_back(model_input.with_offsets(example, place));
        longest = std::max(longest, encodings.back().length());
    }
    const BertConfig& config = model.config();
    require_room("the attention maps",
                 3.0 * static_cast<double>(config.num_hidden_layers * encodings.size()) *
                     static_cast<double>(config.num_attention_heads * longest * longest) *
                     sizeof(Real));
    pad_to_longest(encodings, tokenizer.special().pad);
    const BertOutput output =
        model(make_batch(encodings, tokenizer.special().pad), {.attentions = true});
    AttentionDump dump = bert_dump(output.attentions, encodings, tokenizer);
    if (examples.size() == 1) {
        dump.text = if_utf8(examples[0].text.first).value_or("");
        dump.second_text = if_utf8(examples[0].text.second);
    }
    dump.model = "BertModel";
    dump.model_config = to_json(config);
    return dump;
}

// Only npz and json have room for it, and a large file takes its time.
void add_weights_sum(AttentionDump& dump, const std::string& folder, Format format) {
    const std::string weights = folder + "/model.safetensors";
    if (has_arrays(format) && std::filesystem::exists(weights))
        dump.weights_sha256 = sha256_of_file(weights);
}

AttentionDump selected(const AttentionDump& dump, const Options& options, Format format) {
    // Without a choice, one head of the last layer is drawn.
    const bool draw_one = format == Format::text;
    const std::string layers =
        options.layers.value_or(draw_one ? std::to_string(dump.layers.back()) : "");
    const std::string heads = options.heads.value_or(draw_one ? "0" : "");
    return select_maps(dump, parse_selection("--layers", layers, dump.layers),
                       parse_selection("--heads", heads, dump.heads));
}

// The choice can be checked before the model runs.
void require_selection(const Options& options, const BertConfig& config) {
    std::vector<std::int32_t> layers(config.num_hidden_layers);
    std::iota(layers.begin(), layers.end(), 0);
    std::vector<std::int32_t> heads(config.num_attention_heads);
    std::iota(heads.begin(), heads.end(), 0);
    parse_selection("--layers", options.layers.value_or(""), layers);
    parse_selection("--heads", options.heads.value_or(""), heads);
}

void draw_rollout(const std::string& path, const AttentionDump& dump, Format format) {
    const Heatmap heatmap = rollout_heatmap(dump);
    if (format == Format::text)
        return write_result(terminal_heatmap(heatmap, detect_terminal_style(STDOUT_FILENO)));
    write_file(path, format == Format::svg ? heatmap_svg(heatmap) : heatmap_png(heatmap));
}

void draw(const AttentionDump& dump) {
    const TerminalStyle style = detect_terminal_style(STDOUT_FILENO);
    for (std::size_t l = 0; l < dump.layers.size(); ++l)
        for (std::size_t h = 0; h < dump.heads.size(); ++h)
            write_result(terminal_heatmap(attention_heatmap(dump, l, 0, h), style));
}

void write_dump(const std::string& path, const AttentionDump& dump, Format format) {
    const bool one_head = dump.layers.size() == 1 && dump.heads.size() == 1;
    switch (format) {
        case Format::npz:
            return write_attention_npz(path, dump);
        case Format::json:
            return write_file(path, attention_json(dump));
        case Format::csv:
            return write_file(path, attention_csv(dump));
        case Format::svg:
            return write_file(path, one_head ? heatmap_svg(attention_heatmap(dump, 0, 0, 0))
                                             : to_svg(attention_grid(dump)));
        case Format::png:
            return write_file(path, one_head ? heatmap_png(attention_heatmap(dump, 0, 0, 0))
                                             : to_png(attention_grid(dump)));
        case Format::text:
            return draw(dump);
        case Format::none:
            return;
    }
}

std::string summary_json(const std::vector<HeadSummary>& heads) {
    std::string text;
    for (const HeadSummary& head : heads) {
        text += fmt::format(
            "{{\"layer\":{},\"head\":{},\"entropy\":{},\"largest_entropy\":{},\"distance\":{},"
            "\"cls\":{},"
            "\"sep\":{},\"self\":{},\"previous\":{},\"next\":{}}}\n",
            head.layer, head.head, head.entropy, head.largest_entropy, head.distance, head.cls,
            head.sep, head.self, head.previous, head.next);
    }
    return text;
}

void run(const Options& options, const Invocation& invocation) {
    const Format format = format_of(options);
    require_rollout_shown(options, format);
    if (invocation.json && !options.summary)
        throw UsageError{"--json: goes with --summary (--format json writes the maps)"};
    const std::string folder = model_folder(invocation);
    if (options.out) {
        std::vector<std::string> inputs = model_files(folder);
        inputs.push_back(options.texts.source(invocation.arguments));
        require_output_path("--out", *options.out, inputs);
    }
    const PretrainedBert model = load_model(invocation);
    require_selection(options, model.config());
    const std::vector<Example> examples = read_examples(options, format, invocation);
    AttentionDump dump = make_dump(model, examples, options, invocation);
    add_weights_sum(dump, folder, format);
    const bool has_room = has_arrays(format);
    if (options.rollout && has_room) dump.rollout = rollout(dump);
    const AttentionDump chosen = selected(dump, options, format);
    if (options.rollout && !has_room)
        draw_rollout(options.out.value_or(""), dump, format);
    else
        write_dump(options.out.value_or(""), chosen, format);
    if (options.out) invocation.tell("wrote " + *options.out);
    if (!options.summary) return;
    const std::vector<HeadSummary> heads =
        head_summary(format == Format::text ? selected(dump, options, Format::none) : chosen);
    write_result(invocation.json ? summary_json(heads) : summary_table(heads));
}

}  // namespace

Command attention_command() {
    const auto options = std::make_shared<Options>();
    Command command{
        .name = "attention",
        .summary = "What each head looks at: a file, a drawing, a summary",
        .examples =
            "  bert attention --model DIR --layers 2 --heads 3 \"the cat sat on the mat\"\n"
            "  bert attention --model DIR --out maps.npz \"the cat sat\" --pair \"it slept\"\n"
            "  bert attention --model DIR --rollout \"the cat sat on the mat\"\n"
            "  bert attention --model DIR --summary \"the cat sat on the mat\"\n",
        .run =
            naming_tensors([options](const Invocation& invocation) { run(*options, invocation); })};
    command.options = {
        {"--out", "PATH", "File to write; its suffix is the format", &options->out},
        {"--format", "NAME",
         "npz, json, csv, svg, png; text draws in the terminal, in ASCII unless LC_ALL, LC_CTYPE "
         "or LANG names UTF-8",
         &options->format},
        {"--layers", "LIST", "Such as 0,3 or 0-5, from 0; without it all, for text the last",
         &options->layers},
        {"--heads", "LIST", "Likewise; without it all, for text the first", &options->heads},
        {"--summary", "",
         "A line a head: entropy, mean distance, shares of [CLS], [SEP], itself, previous, next",
         &options->summary},
        {"--rollout", "",
         "Attention rollout, of all layers and heads: drawn in place of a head; in npz and json "
         "the array rollout (B, T, T) besides",
         &options->rollout}};
    options->texts.add_to(command);
    options->lengths.add_to(command);
    return command;
}

}  // namespace bert
