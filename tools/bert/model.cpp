#include "tools/bert/model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <utility>

#include "ch13_bert_input/batch.hpp"
#include "common/cli/program.hpp"
#include "common/io/data_file.hpp"
#include "common/io/file_error.hpp"
#include "common/tensor/parameters.hpp"
#include "tools/bert/results.hpp"

namespace bert {

namespace {

void warn_of_names(const Invocation& invocation, const char* what,
                   const std::vector<std::string>& names) {
    if (names.empty()) return;
    std::string message = what;
    for (std::size_t i = 0; i < names.size() && i < 5; ++i)
        message += (i == 0 ? ": " : ", ") + names[i];
    if (names.size() > 5) message += fmt::format(" and {} more", names.size() - 5);
    invocation.warn(message);
}

Truncation parse_truncation(const std::string& text) {
    for (const Truncation known : {Truncation::none, Truncation::longest_first,
                                   Truncation::only_first, Truncation::only_second}) {
        if (text == to_string(known)) return known;
    }
    throw UsageError{"--truncation: unknown word (found " + text +
                     ", expected longest_first, only_first, only_second or none)"};
}

}  // namespace

std::string model_folder(const Invocation& invocation) {
    if (invocation.model) return *invocation.model;
    std::string shipped = data_file("models/bert");
    if (std::filesystem::exists(shipped)) return shipped;
    throw UsageError{
        "no model: --model DIR names a Hugging Face folder (config.json, model.safetensors, "
        "vocab.txt, tokenizer_config.json)"};
}

std::vector<std::string> model_files(const std::string& folder) {
    std::vector<std::string> files;
    std::error_code fault;
    for (const auto& entry : std::filesystem::directory_iterator{folder, fault}) {
        const std::filesystem::path kind = entry.path().extension();  // weights in parts too
        if (kind == ".safetensors" || kind == ".json" || kind == ".txt")
            files.push_back(entry.path().string());
    }
    return files;
}

Tokenizer load_tokenizer(const Invocation& invocation) {
    return Tokenizer::from_folder(model_folder(invocation));
}

PretrainedBert load_model(const Invocation& invocation) {
    CheckpointNotes notes;
    PretrainedBert model = PretrainedBert::load(model_folder(invocation), &notes);
    warn_of_names(invocation, "tensors without use", notes.unexpected);
    warn_of_names(invocation, "tied tensors with numbers of their own, not used", notes.untied);
    return model;
}

const Tokenizer& require_tokenizer(const PretrainedBert& model, const Invocation& invocation) {
    if (!model.has_tokenizer()) load_tokenizer(invocation);  // throws, saying what is missing
    return model.tokenizer();
}

void require_parts(const PretrainedBert& model, const BertParts& wanted, const std::string& what,
                   const Invocation& invocation) {
    const BertParts missing{
        .pooler = wanted.pooler && !model.bert().model.pooler,
        .predictions = wanted.predictions && !model.bert().predictions,
        .seq_relationship = wanted.seq_relationship && !model.bert().seq_relationship};
    std::string names;
    const Bert outline = bert_outline(model.config(), missing);
    for_each_parameter(outline, [&names](const std::string& name, const Tensor&) {
        if (!name.starts_with("cls.") && !name.starts_with("bert.pooler.")) return;
        names += (names.empty() ? "no " : ", ") + name;
    });
    if (names.empty()) return;
    throw FileError{model_folder(invocation), "tensors", what + " is missing", names,
                    "a checkpoint with it"};
}

void LengthOptions::add_to(Command& command) {
    command.options.push_back(
        {"--max-length", "N", "At most N tokens, special ones included", &max_length});
    command.options.push_back({"--truncation", "HOW",
                               "What loses tokens when there are too many: longest_first, "
                               "only_first, only_second, none",
                               &truncation});
}

EncodingOptions LengthOptions::encoding(Padding padding) const {
    EncodingOptions options;
    options.padding = padding;
    options.max_length = whole_number("--max-length", max_length, 1, most_padded_length);
    if (truncation) {
        options.truncation = parse_truncation(*truncation);
    } else if (max_length && padding == Padding::none) {
        options.truncation = Truncation::longest_first;
    }
    return options;
}

Encoding encode_example(const Tokenizer& tokenizer, const Example& example,
                        const EncodingOptions& options, const std::string& place) {
    std::optional<std::string_view> second;
    if (example.text.second) second = *example.text.second;
    try {
        return encode(tokenizer, example.text.first, second, options);
    } catch (const std::invalid_argument& e) {
        throw UsageError{place + ": " + e.what()};
    }
}

ModelInput::ModelInput(const PretrainedBert& model, const Tokenizer& tokenizer,
                       const LengthOptions& lengths)
    : tokenizer_(tokenizer),
      options_(lengths.encoding()),
      most_(model.config().max_position_embeddings),
      token_types_(model.config().type_vocab_size) {
    if (options_.max_length || options_.truncation == Truncation::none) return;
    options_.max_length = std::min(tokenizer.options().model_max_length.value_or(most_), most_);
}

Encoding ModelInput::with_offsets(const Example& example, const std::string& place) const {
    if (example.text.second && token_types_ < 2)
        throw UsageError{place + ": a pair (the model has one token type only, so it takes none)"};
    Encoding encoding = encode_example(tokenizer_, example, options_, place);
    if (encoding.length() > most_) {
        const std::string cure = options_.truncation == Truncation::none
                                     ? "--truncation longest_first"
                                     : fmt::format("--max-length {}", most_);
        throw UsageError{
            fmt::format("{}: too long for the model (found {} tokens, expected at "
                        "most its {} positions; {} cuts it)",
                        place, encoding.length(), most_, cure)};
    }
    return encoding;
}

Encoding ModelInput::operator()(const Example& example, const std::string& place) const {
    Encoding encoding = with_offsets(example, place);
    encoding.special_tokens_mask = {};
    encoding.offsets = {};
    encoding.word_ids = {};
    return encoding;
}

void for_each_batch(std::span<const Encoding> encodings, std::size_t rows,
                    const std::function<void(std::span<const std::size_t> places)>& run) {
    std::vector<std::size_t> places(encodings.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
        return encodings[a].length() < encodings[b].length();
    });
    for (std::size_t begin = 0; begin < places.size();) {
        std::size_t end = begin + 1;
        while (end < places.size() && (end + 1 - begin) * encodings[places[end]].length() <= rows)
            ++end;
        run(std::span{places}.subspan(begin, end - begin));
        begin = end;
    }
}

BertInput batch_of(std::span<const Encoding> encodings, std::span<const std::size_t> places,
                   TokenId pad_id) {
    std::vector<Encoding> batch;
    for (const std::size_t place : places)
        batch.push_back(encodings[place]);
    return make_batch(batch, pad_id);
}

void for_each_text(const PretrainedBert& model, const Tokenizer& tokenizer,
                   const TextOptions& texts, const LengthOptions& lengths,
                   const Invocation& invocation, const BatchWork& work, const ExampleCheck& check,
                   const std::function<void(std::string& line)>& adorn) {
    const ModelInput model_input{model, tokenizer, lengths};
    Examples examples{texts, invocation};
    for (;;) {
        const std::vector<Example> some = examples.next(examples_at_once);
        if (some.empty()) break;
        std::vector<Encoding> encodings;
        for (const Example& example : some) {
            const std::string place = examples.place(example.number);
            encodings.push_back(model_input(example, place));
            if (check) check(example, encodings.back(), place);
        }
        std::vector<std::string> lines(some.size());
        for_each_batch(encodings, rows_at_once, [&](std::span<const std::size_t> places) {
            try {
                work(encodings, places, lines);
            } catch (const NumericError& e) {
                const std::string others =
                    places.size() == 1 ? "" : fmt::format(" or {} more", places.size() - 1);
                throw NumericError{examples.place(some[places[0]].number) + others + ": " +
                                   e.what()};
            }
        });
        std::string text;
        for (std::string& line : lines) {
            if (adorn) adorn(line);
            text += line;
        }
        write_result(text);
    }
    examples.warn_of_bad_utf8();
}

}  // namespace bert
