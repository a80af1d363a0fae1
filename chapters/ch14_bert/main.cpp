// Prints every number of chapter 14.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "ch06_learning/cross_entropy.hpp"
#include "ch14_bert/bert.hpp"
#include "ch14_bert/mistakes.hpp"
#include "ch14_bert/sizes.hpp"
#include "common/cli/program.hpp"
#include "common/cli/section.hpp"
#include "common/io/data_file.hpp"
#include "common/io/npz.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/print.hpp"
#include "common/tensor/reduce.hpp"

namespace {

using namespace bert;

BertConfig small_config() {
    return {.vocab_size = 47,
            .hidden_size = 24,
            .num_hidden_layers = 2,
            .num_attention_heads = 3,
            .intermediate_size = 96,
            .max_position_embeddings = 16};
}

// Two sentences and one; the second example has two places of padding.
BertInput small_input() {
    return {.batch = 2,
            .length = 7,
            .input_ids = {2, 11, 12, 3, 21, 22, 3, 2, 31, 32, 33, 3, 0, 0},
            .token_type_ids = {0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0},
            .attention_mask = {{1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 0, 0}}};
}

void print_sizes() {
    section("Six sizes");
    fmt::print("          L     D   H     F  with pooler   with heads\n");
    for (const char* name : {"tiny", "mini", "small", "medium", "base", "large"}) {
        const BertConfig c = bert_size(name);
        const std::size_t model =
            parameter_count(c, {.pooler = true, .predictions = false, .seq_relationship = false});
        fmt::print("{:<8} {:>2} {:>5} {:>3} {:>5} {:>12} {:>12}\n", name, c.num_hidden_layers,
                   c.hidden_size, c.num_attention_heads, c.intermediate_size, model,
                   parameter_count(c, {}));
    }
}

void print_parts() {
    section("Where the parameters of base are");
    const BertConfig base = bert_size("base");
    const std::size_t all = parameter_count(base, {});
    for (const PartSize& part : sizes_of_parts(base)) {
        const double share =
            100.0 * static_cast<double>(part.parameters) / static_cast<double>(all);
        fmt::print("{:<27} {:>9}  {:>4.1f} %\n", part.part, part.parameters, share);
    }
    fmt::print("{:<27} {:>9}\n", "together", all);
    fmt::print("{:<27} {:>9}\n", "by the short formula", count_without_biases(base));
}

void print_shapes() {
    section("From numbers to numbers");
    Random random{14};
    const Bert bert = random_bert(random, small_config());
    const BertInput input = small_input();
    const BertOutput output = bert.model(input, {.hidden_states = true, .attentions = true});
    const auto line = [](const char* what, const Tensor& x, const char* letters) {
        fmt::print("{:<22} {}\n", what, with_letters(x.shape(), letters));
    };
    fmt::print("input_ids              (B=2, T=7), and token_type_ids, and attention_mask\n");
    line("embeddings", output.hidden_states.front(), "BTD");
    line("attention weights", output.attentions.front(), "BHTS");
    line("after every layer", output.hidden_states.back(), "BTD");
    line("pooler", *output.pooler_output, "BD");
    line("masked language model", bert.prediction_logits(output.last_hidden_state), "BTV");
    line("next sentence", bert.seq_relationship_logits(*output.pooler_output), "BC");
}

void print_names() {
    section("Names in a checkpoint");
    BertConfig config = bert_size("base");
    config.num_hidden_layers = 1;
    const Bert outline = bert_outline(config, {});
    for_each_parameter(outline, [&](const std::string& name, const Tensor&) {
        if (name.ends_with("bias") && name != "cls.predictions.bias") return;
        fmt::print("{:<58} {}\n", name, to_string(parameter_shape(config, name)));
    });
}

std::vector<std::int64_t> whole_numbers(const Tensor& x) {
    return {x.values().begin(), x.values().end()};
}

// A checkpoint that transformers wrote, and what it gave there.
void print_checkpoint() {
    section("A checkpoint from somewhere else");
    const std::string folder = data_file("golden/bert/m_old_names");
    CheckpointNotes notes;
    const Bert bert = load_bert(folder, &notes);
    const PretrainedBert model{bert};
    const auto arrays = read_tensors(folder + "/output.npz");
    const BertOutput output = model({.batch = arrays.at("input_ids").dim(0),
                                     .length = arrays.at("input_ids").dim(1),
                                     .input_ids = whole_numbers(arrays.at("input_ids")),
                                     .token_type_ids = whole_numbers(arrays.at("token_type_ids")),
                                     .attention_mask = arrays.at("attention_mask")});
    const double largest =
        largest_difference(output.last_hidden_state, arrays.at("last_hidden_state"));
    fmt::print("parameters             {}\n", parameter_count(bert));
    fmt::print("under an old name      {}, such as {}\n", notes.renamed.size(),
               notes.renamed.front());
    fmt::print("largest difference     {}\n", largest < 1e-5 ? "below 0.00001" : "too large");
}

void print_start() {
    section("Before training");
    Random random{14};
    const BertConfig config = bert_size("tiny");
    const Bert bert = random_bert(random, config);
    const BertInput input = input_of_ids({101, 2051, 10029, 2066, 2019, 8612, 102});
    const BertOutput output = bert.model(input);
    const Tensor logits = bert.prediction_logits(output.last_hidden_state);
    const Tensor loss = cross_entropy(reshape(logits, {7, config.vocab_size}), input.input_ids);
    fmt::print("masked language model  {}   ln V {}\n",
               to_text(static_cast<double>(*loss.data()), 2),
               to_text(std::log(static_cast<double>(config.vocab_size)), 2));
    const Tensor next = bert.seq_relationship_logits(*output.pooler_output);
    fmt::print("next sentence          {}   ln 2 {}\n",
               to_text(static_cast<double>(*cross_entropy(next, {0}).data()), 2),
               to_text(std::log(2.0), 2));
}

void print_mistakes() {
    section("What goes wrong here");
    const Bert bert = load_bert(data_file("golden/bert/a_usual"));
    for (const MistakeEffect& effect : effects_of_mistakes(bert, small_input()))
        fmt::print("{:<26} {:>7}\n", effect.mistake, to_text(effect.change, 4));
}

}  // namespace

int main(int argc, char** argv) {
    return run_chapter(argc, argv, "BERT: the model, its heads, its checkpoints", {},
                       [](const ChapterOptions&) {
                           print_shapes();
                           print_sizes();
                           print_parts();
                           print_names();
                           print_checkpoint();
                           print_start();
                           print_mistakes();
                       });
}
