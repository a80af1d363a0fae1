// Prints every number of chapter 9; trains, translates and checks losses when asked to.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ch06_learning/expected_curve.hpp"
#include "ch09_translation/command_line.hpp"
#include "ch09_translation/decoding.hpp"
#include "ch09_translation/documents_example.hpp"
#include "ch09_translation/evaluation.hpp"
#include "ch09_translation/tasks.hpp"
#include "ch09_translation/training_run.hpp"
#include "ch09_translation/translation_pictures.hpp"
#include "common/cli/output_folder.hpp"
#include "common/cli/program.hpp"
#include "common/cli/section.hpp"
#include "common/plot/terminal.hpp"

namespace {

using namespace bert;

void print_documents_example(const std::string& folder) {
    section("The documents' sentence");
    const DocumentsExample example = train_documents_example();
    fmt::print("60 steps on two pairs: loss {:.1f} at first, {:.1f} at the end\n",
               example.losses.front(), example.losses.back());
    fmt::print("je suis etudiant\n{:<10}", "given");
    const std::vector<std::string>& tokens = example.model.target.tokens();
    for (std::size_t v = 2; v < tokens.size(); ++v)
        fmt::print("{:>9}", tokens[v]);
    fmt::print("   said\n");
    for (const SpokenWord& word : speak(example.model, "je suis etudiant", 7)) {
        fmt::print("{:<10}", word.given);
        for (std::size_t v = 2; v < tokens.size(); ++v)
            fmt::print("{:>9.1f}", word.probabilities[v]);
        fmt::print("   {}\n", word.said);
    }
    fmt::print("merci\n  -> {}\n", translate(example.model, "merci"));
    OutputFolder{folder}.write("documents_example.jsonl", loss_log(example.losses));
}

void print_corpus(const CorpusSplit& split) {
    section("A language made by a grammar");
    fmt::print("{} pairs to learn from, {} for validation, {} held out\n", split.train.size(),
               split.validation.size(), split.held_out.size());
    for (std::size_t i = 1; i <= 6; ++i)
        fmt::print("  {}\n    = {}\n", split.train[i].source, split.train[i].target);
}

void print_translations(const TranslationModel& model, const CorpusSplit& split) {
    section("Sentences never seen");
    const std::vector<SentencePair> pairs(split.held_out.begin(), split.held_out.begin() + 64);
    const Evaluation evaluation = evaluate(model, pairs);
    for (std::size_t i = 0; i < 6; ++i)
        fmt::print("  {}\n    -> {}\n", pairs[i].source, evaluation.translations[i]);
    fmt::print("BLEU of the first {} is at least 95: {}\n", pairs.size(),
               evaluation.bleu.score >= 95.0 ? "yes" : "no");
}

void print_search(const TranslationModel& model) {
    section("Greedy and beam");
    const std::string sentence = "son frère est grand";
    const std::size_t max_length = model.transformer.positions.dim(0);
    const TokenIds source = source_ids(model.source, sentence, max_length);
    const Translation one = greedy(model.transformer, {source}, max_length - 1)[0];
    fmt::print("{}\ngreedy    log p {:5.1f}   {}\n", sentence, one.log_probability,
               text_of(model.target, one.tokens));
    fmt::print("beam of 4\n");
    for (const Translation& found :
         beam_translations(model.transformer, source, {4, max_length - 1, 0.6})) {
        const double penalty = length_penalty(found.tokens.size() + 1, 0.6);
        fmt::print("          log p {:5.1f}   score {:5.1f}   {}\n", found.log_probability,
                   found.log_probability / penalty, text_of(model.target, found.tokens));
    }
}

void print_maps(const TranslationModel& model, const std::string& folder) {
    section("Where it looks");
    const std::string sentence = "je ne vois pas le chat noir";
    const TranslationMaps maps = translation_maps(model, sentence);
    TerminalStyle style;  // the same text everywhere
    fmt::print("{}", terminal_heatmap(mean_over_heads(maps.cross, maps.cross.layers.size() - 1,
                                                      maps.cross.title),
                                      style));
    write_maps(model, sentence, folder);
}

void print_exposure(const TranslationModel& model, const CorpusSplit& split) {
    section("What teacher forcing hides");
    const std::string sentence = "elle ne voit pas le chat noir";
    fmt::print("{}\n", sentence);
    for (const char* beginning : {"she", "the", "she does not", "she does see"}) {
        fmt::print("  after \"{}\":  {}\n", beginning, go_on_after(model, sentence, beginning));
    }
    const std::vector<SentencePair> pairs(split.held_out.begin(), split.held_out.begin() + 64);
    const ForcedAccuracy accuracy = forced_accuracy(model, pairs, 4);
    fmt::print("next word right, reading the right words          {:3.0f} %\n",
               100.0 * accuracy.right_words_read);
    fmt::print("next word right, every fourth word replaced       {:3.0f} %\n",
               100.0 * accuracy.wrong_words_read);
}

void show_lesson(const CommandLine& line, const std::string& folder) {
    print_documents_example(folder);
    const CorpusSplit split = grammar_corpus();
    print_corpus(split);
    const TranslationModel model = model_for(line.model);
    print_translations(model, split);
    print_search(model);
    print_maps(model, folder);
    print_exposure(model, split);
}

}  // namespace

int main(int argc, char** argv) {
    CommandLine line;
    return run_chapter(
        argc, argv, "Chapter 9: an encoder and a decoder that learn to translate.", line.options(),
        [&](const ChapterOptions& options) {
            require_one_task(line);
            if (!line.train.empty()) {
                train_task(line, options.out);
            } else if (!line.translate.empty()) {
                translate_task(line, options.out);
            } else if (!line.check_loss.empty()) {
                fmt::print("{}", check_losses(line.check_loss,
                                              line.curve.empty() ? "translation" : line.curve));
            } else {
                show_lesson(line, options.out);
            }
        });
}
