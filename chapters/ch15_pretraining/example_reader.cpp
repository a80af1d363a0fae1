#include "ch15_pretraining/example_reader.hpp"

#include <string>
#include <utility>

#include "common/io/file_error.hpp"

namespace bert {

namespace {

// Streams of the seed: far from those of weights, dropout and order.
constexpr std::uint64_t first_masking_stream = std::uint64_t{1} << 63;

}  // namespace

ExampleReader::ExampleReader(PretrainingData data, const Tokenizer& tokenizer, std::uint64_t seed)
    : data_(std::move(data)), vocabulary_(masking_vocabulary(tokenizer)), seed_(seed) {}

PretrainingExample ExampleReader::example(std::size_t i, std::uint64_t epoch) const {
    PretrainingExample example = data_.example(i);
    if (!data_.facts().dynamic_masking) return example;
    Random random{seed_, first_masking_stream + epoch * size() + i};
    choose_predictions(example, vocabulary_, data_.facts().masking, random);
    return example;
}

void require_fitting_data(const PretrainingData& data, const std::string& vocabulary_sha256,
                          const BertConfig& config) {
    const PretrainingFacts& facts = data.facts();
    if (facts.vocab_size != config.vocab_size) {
        throw FileError{data.path(), "vocab_size", "made with a vocabulary of another size",
                        std::to_string(facts.vocab_size), std::to_string(config.vocab_size)};
    }
    if (facts.vocabulary_sha256 != vocabulary_sha256) {
        throw FileError{data.path(), "vocabulary_sha256", "made with another vocabulary",
                        facts.vocabulary_sha256.substr(0, 12) + "...",
                        vocabulary_sha256.substr(0, 12) + "... of vocab.txt"};
    }
    if (facts.max_length > config.max_position_embeddings) {
        throw FileError{
            data.path(), "max_length", "examples longer than the model takes",
            std::to_string(facts.max_length),
            "at most max_position_embeddings " + std::to_string(config.max_position_embeddings)};
    }
}

void require_fitting_vocabulary(const std::string& path, const WordPieceVocabulary& vocabulary,
                                const BertConfig& config) {
    if (vocabulary.size() != config.vocab_size) {
        throw FileError{path, "tokens", "another number of tokens than config.json gives",
                        std::to_string(vocabulary.size()),
                        "vocab_size " + std::to_string(config.vocab_size)};
    }
    if (config.type_vocab_size < 2) {
        throw FileError{path, "type_vocab_size of config.json",
                        "next sentences need two token types", "1", "2"};
    }
}

}  // namespace bert
