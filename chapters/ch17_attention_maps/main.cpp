// Prints every number of chapter 17; summarises the dump of another program when asked to.
#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ch09_translation/model_file.hpp"
#include "ch09_translation/translation_pictures.hpp"
#include "ch17_attention_maps/examples.hpp"
#include "ch17_attention_maps/head_summary.hpp"
#include "ch17_attention_maps/occlusion.hpp"
#include "ch17_attention_maps/rollout.hpp"
#include "ch17_attention_maps/selection.hpp"
#include "common/attention_map/attention_dump.hpp"
#include "common/cli/output_folder.hpp"
#include "common/cli/program.hpp"
#include "common/cli/section.hpp"
#include "common/io/data_file.hpp"
#include "common/io/sha256.hpp"
#include "common/plot/heatmap.hpp"
#include "common/plot/terminal.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/matmul.hpp"
#include "common/tensor/print.hpp"

namespace {

using namespace bert;

constexpr const char* lesson_sentence = "je ne vois pas le chat noir";

struct CommandLine {
    std::string sentence, dump, layers, heads;
};

// Matrix `index` of the last two dimensions.
Tensor matrix(const Tensor& x, std::size_t index) {
    const Tensor all = x.reshaped({x.size() / (x.dim(-2) * x.dim(-1)), x.dim(-2), x.dim(-1)});
    return slice(all, 0, index, index + 1).reshaped({x.dim(-2), x.dim(-1)});
}

void print_by_hand() {
    section("Two heads by hand");
    const AttentionDump maps = quarter_maps();
    const TableFormat format{
        .decimals = 2, .row_names = maps.tokens[0], .column_names = maps.tokens[0]};
    for (std::size_t l = 0; l < 2; ++l)
        fmt::print("layer {}\n{}", l, to_table(matrix(maps.attentions, l), format));
    fmt::print("\n{}", summary_table(head_summary(maps)));

    section("Rollout by hand");
    const Tensor steps = rollout_by_layer(maps.attentions);  // (2, 1, 4, 4)
    const TableFormat exact{.row_names = maps.tokens[0], .column_names = maps.tokens[0]};
    for (std::size_t l = 0; l < 2; ++l)
        fmt::print("after layer {}\n{}", l, to_table(matrix(steps, l), exact));
}

void print_two_maps() {
    section("Two maps, one output");
    const TwoMaps maps = two_maps_one_output();
    for (std::size_t i = 0; i < 2; ++i) {
        const Tensor weights = matrix(maps.weights, i);
        fmt::print("weights {}  output {}", to_table(weights, {.decimals = 3}),
                   to_table(matmul(weights, maps.values), {.decimals = 3}));
    }
}

// What the dumps of chapter 9 do not say by themselves.
void complete(AttentionDump& dump, const std::string& sentence) {
    dump.special_tokens = {{"cls", "<start>"}, {"sep", "<end>"}};
    dump.text = sentence;
    dump.weights_sha256 = sha256_of_file(data_file("models/translation.npz"));
}

void print_heads(const TranslationMaps& maps) {
    section("Heads of a trained encoder");
    fmt::print("{}", summary_table(head_summary(maps.encoder)));
    section("Heads of a trained decoder");
    fmt::print("{}\n{}", maps.translation, summary_table(head_summary(maps.decoder)));
    section("One head");
    fmt::print("{}", terminal_heatmap(attention_heatmap(maps.encoder, 0, 0, 0), TerminalStyle{}));
}

void print_rollout(const AttentionDump& dump) {
    section("Rollout beside raw attention");
    const Tensor raw = mean_over_heads(dump, dump.layers.size() - 1, "").values;
    const Tensor shares = matrix(rollout(dump), 0);
    const std::vector<std::string>& words = dump.tokens[0];
    fmt::print("{:<10}{:<11}", "query", "");
    for (const std::string& word : words)
        fmt::print(" {:>6}", word);
    for (std::size_t t = 0; t < words.size(); ++t) {
        fmt::print("\n{:<10}{:<11}", words[t], "last layer");
        for (std::size_t s = 0; s < words.size(); ++s)
            fmt::print(" {:>6}", to_text(static_cast<double>(raw(t, s)), 2));
        fmt::print("\n{:<10}{:<11}", "", "rollout");
        for (std::size_t s = 0; s < words.size(); ++s)
            fmt::print(" {:>6}", to_text(static_cast<double>(shares(t, s)), 2));
    }
    fmt::print("\n");
}

void print_needs(const TranslationModel& model, const std::string& sentence) {
    section("Where it looks and what it needs");
    fmt::print("{:<10}{:>10}  {}\n", "hidden", "attention", "fall of log p");
    for (const WordNeed& need : word_needs(model, sentence)) {
        fmt::print("{:<10}{:>10}  {:>13}\n", need.word, to_text(need.attention, 2),
                   to_text(need.loss, 1));
    }
}

// `read` is the dump that this one was read from, which is not written over.
void write_files(const AttentionDump& dump, const std::string& folder, const std::string& read) {
    if (folder.empty()) return;
    section("Files");
    const OutputFolder out{folder};
    std::error_code fault;
    if (!std::filesystem::equivalent(folder + "/maps.attn.npz", read, fault))
        out.save("maps.attn.npz",
                 [&](const std::string& path) { write_attention_npz(path, dump); });
    out.write("maps.json", attention_json(dump));
    out.write("maps.csv", attention_csv(dump, 0, 0.01));
    out.write("grid.svg", to_svg(attention_grid(dump)));
    out.write("grid.png", to_png(attention_grid(dump)));
    out.write("head.svg", heatmap_svg(attention_heatmap(dump, 0, 0, 0)));
}

void show_lesson(const std::string& sentence, const std::string& folder) {
    print_by_hand();
    print_two_maps();
    const TranslationModel model = load_model(data_file("models/translation.npz"));
    TranslationMaps maps = translation_maps(model, sentence);
    for (AttentionDump* dump : {&maps.encoder, &maps.decoder, &maps.cross})
        complete(*dump, sentence);
    maps.decoder.mask = AttentionMask::causal;
    print_heads(maps);
    print_rollout(maps.encoder);
    print_needs(model, sentence);
    write_files(maps.encoder, folder, "");
    if (!folder.empty())
        OutputFolder{folder}.write("rollout.svg", heatmap_svg(rollout_heatmap(maps.encoder)));
}

void show_dump(const CommandLine& line, const std::string& folder) {
    if (line.dump.ends_with(".json") || line.dump.ends_with(".csv"))
        throw UsageError{"--dump: only .npz dumps are read (found " + line.dump + ")"};
    const AttentionDump whole = read_attention_npz(line.dump);
    const AttentionDump dump =
        select_maps(whole, parse_selection("--layers", line.layers, whole.layers),
                    parse_selection("--heads", line.heads, whole.heads));
    const Shape& shape = dump.attentions.shape();
    fmt::print("{}\n", with_letters(shape, "LBHTS"));
    if (shape[1] > 1) fmt::print("the table is of all texts, the pictures of the first\n");
    if (shape[3] == shape[4]) fmt::print("{}", summary_table(head_summary(dump)));
    fmt::print("{}", terminal_heatmap(attention_heatmap(dump, 0, 0, 0),
                                      detect_terminal_style(STDOUT_FILENO)));
    write_files(dump, folder, line.dump);
    const bool is_whole = dump.layers == whole.layers && dump.heads == whole.heads;
    if (!folder.empty() && is_whole && shape[3] == shape[4] && whole.layers.front() == 0)
        OutputFolder{folder}.write("rollout.svg", heatmap_svg(rollout_heatmap(dump)));
}

}  // namespace

int main(int argc, char** argv) {
    CommandLine line;
    return run_chapter(
        argc, argv, "Chapter 17: attention maps as files, tables and pictures.",
        {{"--sentence", "WORDS", "A French sentence in place of the lesson's", &line.sentence},
         {"--dump", "FILE", "Summarise this .npz dump instead", &line.dump},
         {"--layers", "LIST", "With --dump: only these, such as 0,3 or 0-5", &line.layers},
         {"--heads", "LIST", "With --dump: likewise", &line.heads}},
        [&](const ChapterOptions& options) {
            if (line.dump.empty() && !(line.layers.empty() && line.heads.empty()))
                throw UsageError{"--layers, --heads: need --dump"};
            if (!line.dump.empty() && !line.sentence.empty())
                throw UsageError{"--dump, --sentence: one of them"};
            if (!line.dump.empty()) return show_dump(line, options.out);
            show_lesson(line.sentence.empty() ? lesson_sentence : line.sentence, options.out);
        });
}
