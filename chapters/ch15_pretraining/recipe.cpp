#include "ch15_pretraining/recipe.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "ch12_wordpiece/vocabulary_trainer.hpp"
#include "ch12_wordpiece/word_counts.hpp"
#include "ch14_bert/checkpoint.hpp"
#include "ch15_pretraining/corpus.hpp"
#include "ch15_pretraining/example_maker.hpp"
#include "ch15_pretraining/pretraining_data.hpp"
#include "ch15_pretraining/pretraining_run.hpp"
#include "ch15_pretraining/sentences.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/data_file.hpp"
#include "common/io/input_file.hpp"
#include "common/io/sha256.hpp"

namespace bert {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largest_novel = std::uint64_t{1} << 24;
constexpr std::size_t one_of = 20;  // chapters
constexpr std::size_t validation_chapter = 7;
constexpr std::array<const char*, 5> novels = {"emma", "mansfield_park", "northanger_abbey",
                                               "pride_prejudice", "sense_sensibility"};

Documents chapters_of(const std::string& novel) {
    return split_prose(read_file(data_file("corpora/austen/" + novel + ".txt"), largest_novel));
}

void write_data(const std::string& corpus, const std::string& vocabulary, PretrainingFacts facts,
                const std::string& out) {
    const Tokenizer tokenizer = Tokenizer::from_files(vocabulary);
    const CorpusText text = read_corpus({corpus}, tokenizer, fs::path{out}.parent_path().string());
    facts.vocabulary_sha256 = sha256_of_file(vocabulary);
    facts.vocab_size = tokenizer.vocabulary().size();
    note_corpus(facts, text);
    PretrainingDataWriter writer{out};
    make_examples(text.corpus, tokenizer, facts, [&writer](PretrainingExample&& example) {
        writer.add(example);
        return true;
    });
    writer.commit(facts);
}

}  // namespace

RecipeCorpus recipe_corpus() {
    RecipeCorpus corpus;
    std::size_t number = 0;
    for (const char* novel : novels) {
        for (auto& chapter : chapters_of(novel)) {
            const bool looked_at = number++ % one_of == validation_chapter;
            (looked_at ? corpus.validation : corpus.train).push_back(std::move(chapter));
        }
    }
    return corpus;
}

Documents held_out_documents() {
    return chapters_of("persuasion");
}

BertConfig recipe_config() {
    BertConfig config;
    config.vocab_size = 6000;
    config.hidden_size = 256;
    config.num_hidden_layers = 4;
    config.num_attention_heads = 4;
    config.intermediate_size = 1024;
    config.max_position_embeddings = 128;
    return config;
}

PretrainingOptions recipe_options() {
    return {.steps = 2500, .batch_size = 32, .learning_rate = 1e-3, .warmup = 250, .seed = 15};
}

void run_recipe(const std::string& folder) {
    fs::create_directories(folder);
    const auto in = [&folder](const char* name) { return (fs::path{folder} / name).string(); };
    const RecipeCorpus corpus = recipe_corpus();
    write_file(in("train.txt"), corpus_text(corpus.train));
    write_file(in("validation.txt"), corpus_text(corpus.validation));
    const BertConfig config = recipe_config();
    const WordCounts words = count_words({in("train.txt"), in("validation.txt")}, {}).words;
    WordPieceVocabulary{train_wordpiece(words, {.size = config.vocab_size}).tokens}.write(
        in("vocab.txt"));
    write_bert_config(in("config.json"), config);
    // [recipe]
    write_data(in("train.txt"), in("vocab.txt"), {.duplicates = 20, .dynamic_masking = true},
               in("train.data"));
    write_data(in("validation.txt"), in("vocab.txt"), {.duplicates = 2}, in("validation.data"));
    run_pretraining({.paths = {.config = in("config.json"),
                               .vocabulary = in("vocab.txt"),
                               .data = in("train.data"),
                               .validation = in("validation.data")},
                     .training = recipe_options(),
                     .folder = in("model"),
                     .resume = true});
    convert_checkpoint(in("model"), in("halves"), SafetensorsType::F16);
    // [recipe]
}

}  // namespace bert
