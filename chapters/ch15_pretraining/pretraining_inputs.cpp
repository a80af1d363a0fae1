#include "ch15_pretraining/pretraining_inputs.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "ch14_bert/checkpoint.hpp"
#include "common/io/file_error.hpp"
#include "common/io/sha256.hpp"
#include "common/random/random.hpp"

namespace bert {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t new_parts_stream = 3;  // after those of pretraining_step.cpp

using Files = std::map<std::string, std::string>;

constexpr const char* vocabulary_name = "vocab.txt";
constexpr std::array beside_vocabulary = {"tokenizer_config.json", "special_tokens_map.json"};

// The vocabulary, which may have another name, and what is there of the files beside it.
Files tokenizer_files_of(const std::string& vocabulary) {
    Files files{{vocabulary_name, vocabulary}};
    std::error_code ignored;
    for (const char* name : beside_vocabulary) {
        const fs::path path = fs::path{vocabulary}.parent_path() / name;
        if (fs::exists(path, ignored)) files[name] = path.string();
    }
    return files;
}

Tokenizer tokenizer_of(Files files) {
    return Tokenizer::from_files(files[vocabulary_name], files[beside_vocabulary[0]],
                                 files[beside_vocabulary[1]]);
}

Tensor copy_of(const Tensor& x) {
    Tensor copy = Tensor::for_overwrite(x.shape());
    std::copy_n(x.data(), x.size(), copy.mutable_data());
    return copy;
}

std::string sum_of(const Bert& bert) {
    Sha256 sum;
    for_each_parameter(bert, [&sum](const std::string& name, const Tensor& x) {
        const auto* const bytes = static_cast<const char*>(static_cast<const void*>(x.data()));
        sum.add(name);
        sum.add({bytes, x.size() * sizeof(Real)});
    });
    return sum.digits();
}

// What the layers are made of: the rest may be another for a training that goes on.
Settings sizes_of(BertConfig config) {
    const BertConfig defaults;
    config.other.clear();
    config.architectures.clear();
    config.hidden_dropout_prob = defaults.hidden_dropout_prob;
    config.attention_probs_dropout_prob = defaults.attention_probs_dropout_prob;
    config.initializer_range = defaults.initializer_range;
    config.pad_token_id = defaults.pad_token_id;
    return settings_of(config);
}

void require_same_sizes(const std::string& path, const BertConfig& config, const BertConfig& init) {
    const Settings found = sizes_of(config);
    const Settings expected = sizes_of(init);
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i] == expected[i]) continue;
        throw FileError{path, found[i].first, "another than that of the model to start from",
                        found[i].second, expected[i].second};
    }
}

// Weights, their gradients and two moments.
void require_memory_to_train(const BertConfig& config) {
    const double needed = 4.0 * static_cast<double>(weight_bytes(config));
    const auto limit = static_cast<double>(memory_limit());
    if (needed > limit) throw std::length_error{too_large("training needs", needed, limit)};
}

BertConfig config_of(const PretrainingPaths& paths, const std::optional<Bert>& init) {
    BertConfig config =
        paths.config.empty() && init ? init->config : read_bert_config(paths.config);
    if (init) require_same_sizes(paths.config, config, init->config);
    config.architectures = {"BertForPreTraining"};
    require_memory_to_train(config);
    return config;
}

}  // namespace

Bert load_to_train(const std::string& folder, const PretrainingOptions& options,
                   const Teller& tell) {
    Bert bert = load_bert(folder);
    for_each_parameter(bert, [](const std::string&, Tensor& x) { x = copy_of(x); });
    BertConfig without_layers = bert.config;
    without_layers.num_hidden_layers = 0;
    Random random{options.seed, new_parts_stream};
    Bert parts = random_bert(random, without_layers);
    const auto complete = [&](auto& part, auto& anew, const char* what) {
        if (part) return;
        part = std::move(anew);
        tell(folder + ": has no " + what + ": it begins with random weights");
    };
    complete(bert.model.pooler, parts.model.pooler, "pooler");
    complete(bert.predictions, parts.predictions, "masked language model head");
    complete(bert.seq_relationship, parts.seq_relationship, "next sentence head");
    return bert;
}

PretrainingInputs open_inputs(const PretrainingPaths& paths, const PretrainingOptions& options,
                              const Teller& tell) {
    std::optional<Bert> init;
    if (!paths.init.empty()) init = load_to_train(paths.init, options, tell);
    BertConfig config = config_of(paths, init);
    const std::string vocabulary =
        paths.vocabulary.empty() ? paths.init + "/vocab.txt" : paths.vocabulary;
    const auto files = tokenizer_files_of(vocabulary);
    const Tokenizer tokenizer = tokenizer_of(files);
    require_fitting_vocabulary(vocabulary, tokenizer.vocabulary(), config);
    const std::string vocabulary_sum = sha256_of_file(vocabulary);
    const auto open = [&](const std::string& path) {
        PretrainingData data{path};
        require_fitting_data(data, vocabulary_sum, config);
        return ExampleReader{std::move(data), tokenizer, options.seed};
    };
    ExampleReader examples = open(paths.data);
    std::optional<ExampleReader> validation;
    if (!paths.validation.empty()) validation = open(paths.validation);
    Settings settings = settings_of(config);
    settings.emplace_back("data", examples.data().sha256());
    settings.emplace_back("validation data", validation ? validation->data().sha256() : "none");
    settings.emplace_back("vocabulary", vocabulary_sum);
    settings.emplace_back("init", init ? sum_of(*init) : "none");
    if (init) init->config = config;
    return {std::move(config),     files,           std::move(examples),
            std::move(validation), std::move(init), std::move(settings)};
}

}  // namespace bert
