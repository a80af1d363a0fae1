#include "ch14_bert/bert.hpp"

#include <filesystem>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "common/autograd/tape.hpp"
#include "common/io/file_error.hpp"
#include "common/io/mapped_file.hpp"
#include "common/tensor/matmul.hpp"

namespace bert {

namespace {

// Rows of padding to 0, as the packed encoder leaves them, in (B, T, D) or (B, H, T, T).
void clear_padding(Tensor& x, const Tensor& attention_mask) {
    const std::size_t length = attention_mask.dim(1);
    const std::size_t rows = x.rank() == 4 ? x.dim(1) * length : length;  // of an example
    for (std::size_t r = 0; r < x.num_rows(); ++r) {
        if (attention_mask.data()[r / rows * length + r % length] != Real{0}) continue;
        for (Real& number : x.mutable_row(r))
            number = 0;
    }
}

BertOutput run_plainly(const BertModel& model, const BertInput& input,
                       const EncoderWishes& wishes) {
    BertOutput output =
        model(input, {.hidden_states = wishes.hidden_states, .attentions = wishes.attentions});
    if (!wishes.padding) {
        clear_padding(output.last_hidden_state, input.attention_mask);
        for (Tensor& hidden : output.hidden_states)
            clear_padding(hidden, input.attention_mask);
        for (Tensor& map : output.attentions)
            clear_padding(map, input.attention_mask);
        if (model.pooler) output.pooler_output = pool(*model.pooler, output.last_hidden_state);
    }
    return output;
}

BertOutput run_packed(const BertModel& model, const PackedEncoder& encoder, const BertInput& input,
                      const EncoderWishes& wishes) {
    BertOutput output;
    const Tensor embedded = model.embeddings(input);
    EncoderRun run = encoder(embedded, input.attention_mask, wishes);
    output.last_hidden_state = std::move(run.hidden);
    if (model.pooler) output.pooler_output = pool(*model.pooler, output.last_hidden_state);
    output.attentions = std::move(run.attentions);
    if (!wishes.hidden_states) return output;
    output.hidden_states = std::move(run.hidden_states);
    output.hidden_states.insert(output.hidden_states.begin(), embedded);
    if (!wishes.padding) clear_padding(output.hidden_states.front(), input.attention_mask);
    return output;
}

bool is_packed() {
    return std::is_same_v<Real, float> && matmul_method() == MatmulMethod::library;
}

void require_vocabulary(const std::string& folder, std::size_t tokens, const BertConfig& config) {
    if (tokens == config.vocab_size) return;
    throw FileError{folder, "vocab.txt", "another number of tokens than config.json gives",
                    std::to_string(tokens), "vocab_size " + std::to_string(config.vocab_size)};
}

}  // namespace

PretrainedBert::PretrainedBert(Bert bert, std::optional<Tokenizer> tokenizer)
    : tokenizer_(std::move(tokenizer)) {
    if (is_packed()) packed_.emplace(std::exchange(bert.model.encoder, {}));
    require_mapped_files_intact();
    bert_ = std::make_shared<const Bert>(std::move(bert));
}

PretrainedBert PretrainedBert::load(const std::string& folder, CheckpointNotes* notes) {
    Bert bert = load_bert(folder, notes);
    std::optional<Tokenizer> tokenizer;
    std::error_code ignored;
    if (std::filesystem::exists(folder + "/vocab.txt", ignored)) {
        tokenizer = Tokenizer::from_folder(folder);
        require_vocabulary(folder, tokenizer->vocabulary().size(), bert.config);
    }
    return PretrainedBert{std::move(bert), std::move(tokenizer)};
}

PretrainedBert PretrainedBert::random(Random& random, const BertConfig& config) {
    BertConfig without_layers = config;
    without_layers.num_hidden_layers = 0;
    Bert bert = random_bert(random, without_layers,
                            {.pooler = true, .predictions = false, .seq_relationship = false});
    bert.config = config;
    const auto make_layer = [&](std::size_t) { return random_encoder_layer(random, config); };
    PretrainedBert model;
    if (is_packed()) {
        model.packed_.emplace(config.num_hidden_layers, make_layer);
    } else {
        for (std::size_t l = 0; l < config.num_hidden_layers; ++l)
            bert.model.encoder.layers.push_back(make_layer(l));
    }
    model.bert_ = std::make_shared<const Bert>(std::move(bert));
    return model;
}

const Tokenizer& PretrainedBert::tokenizer() const {
    if (!tokenizer_) throw std::logic_error{"PretrainedBert: its folder has no vocab.txt"};
    return *tokenizer_;
}

BertInput PretrainedBert::encode(std::string_view text) const {
    const Encoding encoding = bert::encode(tokenizer(), text);
    return make_batch({&encoding, 1}, tokenizer().special().pad);
}

BertInput PretrainedBert::encode_batch(std::span<const TextPair> texts,
                                       const EncodingOptions& options) const {
    return make_batch(encode_all(tokenizer(), texts, options), tokenizer().special().pad);
}

BertOutput PretrainedBert::operator()(const BertInput& input, const EncoderWishes& wishes) const {
    require_input(input);
    const NoGradient no_gradient;
    BertOutput output = packed_ ? run_packed(bert_->model, *packed_, input, wishes)
                                : run_plainly(bert_->model, input, wishes);
    require_mapped_files_intact();  // the embeddings still lie in the file
    return output;
}

}  // namespace bert
