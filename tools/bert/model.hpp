// The model and tokenizer that a command works with, and texts as the model reads them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ch12_wordpiece/tokenizer.hpp"
#include "ch13_bert_input/encoding.hpp"
#include "ch14_bert/bert.hpp"
#include "ch14_bert/pre_training_bert.hpp"
#include "tools/bert/command.hpp"
#include "tools/bert/texts.hpp"

namespace bert {

/// --model, or the folder of the shipped one. Throws UsageError when there is neither.
std::string model_folder(const Invocation& invocation);

/// Files in a model's folder that a command reads: no output may replace them.
std::vector<std::string> model_files(const std::string& folder);

Tokenizer load_tokenizer(const Invocation& invocation);

/// Loads the model and warns of what its checkpoint has too much.
PretrainedBert load_model(const Invocation& invocation);

/// The model's tokenizer. Throws IoError or FileError where the folder has no vocab.txt.
const Tokenizer& require_tokenizer(const PretrainedBert& model, const Invocation& invocation);

/// Throws FileError naming the tensors of the parts that are wanted and not there.
void require_parts(const PretrainedBert& model, const BertParts& wanted, const std::string& what,
                   const Invocation& invocation);

/// --max-length and --truncation.
struct LengthOptions {
    std::optional<std::string> max_length;
    std::optional<std::string> truncation;

    void add_to(Command& command);
    /// As Hugging Face takes them: a max_length alone means longest_first, unless it is for
    /// padding. Throws UsageError.
    EncodingOptions encoding(Padding padding = Padding::none) const;
};

/// encode(); errors name the place.
Encoding encode_example(const Tokenizer& tokenizer, const Example& example,
                        const EncodingOptions& options, const std::string& place);

/// encode_example() of each, for this model: without a max_length truncation goes by the number of
/// its positions. Throws UsageError naming both lengths for a text that is still too long, and for
/// a pair where the model has one token type.
class ModelInput {
  public:
    ModelInput(const PretrainedBert& model, const Tokenizer& tokenizer,
               const LengthOptions& lengths);
    /// Without what only the lines of tokenize show.
    Encoding operator()(const Example& example, const std::string& place) const;
    Encoding with_offsets(const Example& example, const std::string& place) const;

  private:
    const Tokenizer& tokenizer_;
    EncodingOptions options_;
    std::size_t most_;
    std::size_t token_types_;
};

/// Calls run(places) for groups of encodings of similar length, each of at most `rows` tokens with
/// its padding, or of one encoding.
void for_each_batch(std::span<const Encoding> encodings, std::size_t rows,
                    const std::function<void(std::span<const std::size_t> places)>& run);

/// Those encodings as a batch.
BertInput batch_of(std::span<const Encoding> encodings, std::span<const std::size_t> places,
                   TokenId pad_id);

/// What turns the encodings of some places into the text that is printed for each.
using BatchWork =
    std::function<void(std::span<const Encoding> encodings, std::span<const std::size_t> places,
                       std::vector<std::string>& lines)>;

/// Throws for an example that a command has no use for.
using ExampleCheck = std::function<void(const Example&, const Encoding&, const std::string& place)>;

/// Reads the texts, examples_at_once at a time, hands them to `work` in batches of similar length,
/// and prints the lines in the order of the texts, each after `adorn`.
void for_each_text(const PretrainedBert& model, const Tokenizer& tokenizer,
                   const TextOptions& texts, const LengthOptions& lengths,
                   const Invocation& invocation, const BatchWork& work,
                   const ExampleCheck& check = {},
                   const std::function<void(std::string& line)>& adorn = {});

/// How many examples are read before the model runs, and how many tokens it runs over at once.
constexpr std::size_t examples_at_once = 1024;
constexpr std::size_t rows_at_once = 4096;

}  // namespace bert
