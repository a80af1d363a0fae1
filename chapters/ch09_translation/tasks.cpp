#include "ch09_translation/tasks.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <span>
#include <string_view>

#include "ch09_translation/decoding.hpp"
#include "ch09_translation/evaluation.hpp"
#include "ch09_translation/parallel_text.hpp"
#include "ch09_translation/translation_pictures.hpp"
#include "common/cli/output_folder.hpp"
#include "common/io/data_file.hpp"
#include "common/plot/terminal.hpp"
#include "common/random/random.hpp"

namespace bert {

namespace {

// A twentieth of a reader's own corpus, at most 1000 pairs, is never trained on: pairs whose source
// and whose target are found in no other pair, so that nothing gives them away.
CorpusSplit hold_out(const std::vector<SentencePair>& pairs) {
    std::map<std::string_view, std::size_t> sources;
    std::map<std::string_view, std::size_t> targets;
    for (const SentencePair& pair : pairs) {
        ++sources[pair.source];
        ++targets[pair.target];
    }
    std::vector<std::size_t> order(pairs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    Random random{9};
    random.shuffle(std::span{order});
    CorpusSplit split;
    const std::size_t most = std::min<std::size_t>(pairs.size() / 20, 1000);
    for (const std::size_t i : order) {
        const SentencePair& pair = pairs[i];
        const bool alone = sources[pair.source] == 1 && targets[pair.target] == 1;
        const bool held_out = alone && split.held_out.size() < most;
        (held_out ? split.held_out : split.train).push_back(pair);
    }
    return split;
}

CorpusSplit corpus_for(const CommandLine& line) {
    if (line.source.empty()) return grammar_corpus();
    return hold_out(read_parallel_text(line.source, line.target));
}

void print_evaluation(const TranslationModel& model, const std::vector<SentencePair>& pairs) {
    if (pairs.empty()) {
        fmt::print("no pairs held out to judge by: there are too few, or others give them away\n");
        return;
    }
    const Evaluation evaluation = evaluate(model, pairs);
    fmt::print("{} sentences never seen in training: BLEU {:.2f}, {} right to the last word\n",
               pairs.size(), evaluation.bleu.score, evaluation.exact);
    for (std::size_t i = 0; i < std::min<std::size_t>(5, pairs.size()); ++i) {
        fmt::print("  {}\n    -> {}\n", printable(pairs[i].source),
                   printable(evaluation.translations[i]));
    }
}

}  // namespace

CorpusSplit grammar_corpus() {
    return split_corpus(grammar_pairs());
}

TranslationModel model_for(const std::string& path) {
    return load_model(path.empty() ? data_file("models/translation.npz") : path);
}

void train_task(const CommandLine& line, const std::string& folder) {
    const RunOptions options = run_options(line, folder);
    const TrainingData data = prepare(corpus_for(line), options.max_length);
    const auto checkpoint = std::filesystem::path{folder} / checkpoint_name;
    if (options.resume && !std::filesystem::exists(checkpoint)) {
        fmt::print(stderr, "{}: not there yet; starting with the first step\n",
                   printable(checkpoint.string()));
    }
    const TrainedModel trained = run_training(data, options);
    fmt::print("{} pairs to learn from, {} and {} different tokens\n", data.train.size(),
               data.source.size(), data.target.size());
    fmt::print("{} parameters, {} steps, last loss {:.4f}\n",
               parameter_count(trained.model.transformer), trained.log.size(),
               trained.log.back().loss);
    const OutputFolder out{folder};
    out.save("model.npz", [&](const std::string& path) { save_model(path, trained.model); });
    const LineChart chart = loss_chart(trained.log, 20);
    out.write("loss.svg", line_chart_svg(chart));
    fmt::print("{}", terminal_line_chart(chart, detect_terminal_style(STDOUT_FILENO)));
    print_evaluation(trained.model, data.held_out);
    if (!folder.empty() && line.source.empty() && line.steps.empty()) {
        fmt::print("Is the loss as it should be?  ./learn chapter 09 --check-loss {}\n",
                   printable((std::filesystem::path{folder} / log_name).string()));
    }
}

void translate_task(const CommandLine& line, const std::string& folder) {
    const Search search = search_options(line);
    const TranslationModel model = model_for(line.model);
    const std::size_t max_length = model.transformer.positions.dim(0);
    if (line.beam.empty()) {
        fmt::print("{}\n", translate(model, line.translate));
    } else {
        const Translation best =
            beam_search(model.transformer, source_ids(model.source, line.translate, max_length),
                        {search.beam_size, max_length - 1, search.length_penalty});
        fmt::print("{}\n", text_of(model.target, best.tokens));
    }
    write_maps(model, line.translate, folder);
}

void write_maps(const TranslationModel& model, const std::string& sentence,
                const std::string& folder) {
    if (folder.empty()) return;
    const OutputFolder out{folder};
    const TranslationMaps maps = translation_maps(model, sentence);
    const std::size_t last = maps.cross.layers.size() - 1;
    const auto draw = [&](const char* name, const AttentionDump& dump) {
        out.write(fmt::format("{}.svg", name),
                  heatmap_svg(mean_over_heads(dump, last, dump.title)));
        out.save(fmt::format("{}.npz", name),
                 [&](const std::string& path) { write_attention_npz(path, dump); });
    };
    draw("encoder_attention", maps.encoder);
    draw("decoder_attention", maps.decoder);
    draw("cross_attention", maps.cross);
}

}  // namespace bert
