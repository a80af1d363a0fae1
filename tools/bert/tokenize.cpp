// bert tokenize: texts to word pieces.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ch12_wordpiece/tokenizer.hpp"
#include "ch13_bert_input/batch.hpp"
#include "ch13_bert_input/encoding.hpp"
#include "common/cli/program.hpp"
#include "common/io/json_file.hpp"
#include "common/tensor/first_error.hpp"
#include "tools/bert/commands.hpp"
#include "tools/bert/model.hpp"
#include "tools/bert/results.hpp"
#include "tools/bert/texts.hpp"

namespace bert {

namespace {

struct Options {
    TextOptions texts;
    LengthOptions lengths;
    std::optional<std::string> ids;
    std::optional<std::string> no_special_tokens;
    std::optional<std::string> padding;
};

enum class Form { tokens, ids, json };

constexpr std::size_t lines_at_once = 4096;
constexpr std::size_t tokens_at_once = std::size_t{1} << 20;      // of lines filled up
constexpr std::size_t most_padded_tokens = std::size_t{1} << 26;  // of --padding longest, in all

Padding parse_padding(const std::optional<std::string>& text) {
    if (!text || *text == "none") return Padding::none;
    if (*text == "longest") return Padding::longest;
    if (*text == "max_length") return Padding::max_length;
    throw UsageError{"--padding: unknown word (found " + *text +
                     ", expected none, longest or max_length)"};
}

template <typename Number, typename Append>
void append_items(std::string& line, const char* key, const std::vector<Number>& numbers,
                  const Append& append) {
    line += key;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i > 0) line += ',';
        append(numbers[i]);
    }
    line += ']';
}

class LineWriter {
  public:
    LineWriter(const WordPieceVocabulary& vocabulary, Form form) : form_(form) {
        // A token may hold what a terminal takes for a command.
        const bool escape = isatty(STDOUT_FILENO) == 1;
        for (const std::string& token : vocabulary.tokens()) {
            names_.push_back(form == Form::json ? json_string(token)
                             : escape           ? printable(token)
                                                : token);
        }
    }

    Form form() const { return form_; }

    std::string operator()(const Encoding& encoding) const {
        if (form_ == Form::json) return json(encoding);
        std::string line;
        for (const std::int64_t id : encoding.input_ids)
            append(line, id);
        return line + '\n';
    }

    void append(std::string& line, std::int64_t id) const {
        if (!line.empty()) line += ' ';
        if (form_ == Form::ids)
            line += fmt::format_int(id).c_str();
        else
            line += name(id);
    }

  private:
    const std::string& name(std::int64_t id) const { return names_[static_cast<std::size_t>(id)]; }

    std::string json(const Encoding& encoding) const {
        std::string line;
        const auto number = [&line](std::int64_t x) { line += fmt::format_int(x).c_str(); };
        append_items(line, "{\"input_ids\":[", encoding.input_ids, number);
        append_items(line, ",\"tokens\":[", encoding.input_ids,
                     [&](std::int64_t id) { line += name(id); });
        append_items(line, ",\"token_type_ids\":[", encoding.token_type_ids, number);
        append_items(line, ",\"attention_mask\":[", encoding.attention_mask, number);
        append_items(line, ",\"special_tokens_mask\":[", encoding.special_tokens_mask, number);
        append_items(line, ",\"offsets\":[", encoding.offsets, [&](const auto& range) {
            line += '[';
            number(range.first);
            line += ',';
            number(range.second);
            line += ']';
        });
        append_items(line, ",\"word_ids\":[", encoding.word_ids, [&](std::int32_t word) {
            if (word < 0)
                line += "null";
            else
                number(word);
        });
        return line + "}\n";
    }

    Form form_;
    std::vector<std::string> names_;
};

// One padding for all: every example has to be known first.
void tokenize_padded(const Tokenizer& tokenizer, Examples& examples,
                     const EncodingOptions& encoding_options, const LineWriter& writer) {
    std::vector<Encoding> encodings;
    std::size_t longest = 0;
    for (;;) {
        const std::vector<Example> some = examples.next(lines_at_once);
        if (some.empty()) break;
        for (const Example& example : some) {
            encodings.push_back(encode_example(tokenizer, example, encoding_options,
                                               examples.place(example.number)));
            longest = std::max(longest, encodings.back().length());
            if (longest * encodings.size() > most_padded_tokens) {
                throw std::length_error{
                    fmt::format("--padding longest: too many tokens (found {} lines of {}, "
                                "expected at most {} in all)",
                                encodings.size(), longest, most_padded_tokens)};
            }
        }
    }
    for (Encoding& encoding : encodings) {
        pad(encoding, longest, tokenizer.special().pad);
        write_result(writer(encoding));
    }
}

// The line of an example that is neither cut nor filled up, without an Encoding: four times as much
// memory as its pieces.
std::string plain_line(const Tokenizer& tokenizer, const Example& example, const LineWriter& writer,
                       bool special_tokens) {
    std::string line;
    const auto special = [&](TokenId id) {
        if (special_tokens) writer.append(line, id);
    };
    special(tokenizer.special().cls);
    for (const Piece& piece : tokenizer(example.text.first))
        writer.append(line, piece.id);
    special(tokenizer.special().sep);
    if (example.text.second) {
        for (const Piece& piece : tokenizer(*example.text.second))
            writer.append(line, piece.id);
        special(tokenizer.special().sep);
    }
    return line + '\n';
}

void tokenize_lines(const Tokenizer& tokenizer, Examples& examples,
                    const EncodingOptions& encoding_options, const LineWriter& writer) {
    const bool plain = writer.form() != Form::json &&
                       encoding_options.truncation == Truncation::none &&
                       encoding_options.padding == Padding::none;
    const std::size_t longest_padding = encoding_options.padding == Padding::max_length
                                            ? encoding_options.max_length.value_or(1)
                                            : 1;
    const std::size_t count_at_once =
        std::clamp<std::size_t>(tokens_at_once / longest_padding, 1, lines_at_once);
    for (;;) {
        const std::vector<Example> some = examples.next(count_at_once);
        if (some.empty()) break;
        std::vector<std::string> lines(some.size());
        FirstError error;
        const auto count = static_cast<std::int64_t>(some.size());
#pragma omp parallel for schedule(dynamic, 16) if (count > 16)
        for (std::int64_t i = 0; i < count; ++i) {
            error.guard([&, i] {
                const Example& example = some[static_cast<std::size_t>(i)];
                lines[static_cast<std::size_t>(i)] =
                    plain ? plain_line(tokenizer, example, writer,
                                       encoding_options.add_special_tokens)
                          : writer(encode_example(tokenizer, example, encoding_options,
                                                  examples.place(example.number)));
            });
        }
        error.rethrow();
        for (const std::string& line : lines)
            write_result(line);
    }
}

void run(const Options& options, const Invocation& invocation) {
    if (options.ids && invocation.json) throw UsageError{"--ids and --json: only one of them"};
    EncodingOptions encoding_options = options.lengths.encoding(parse_padding(options.padding));
    encoding_options.add_special_tokens = !options.no_special_tokens;
    const Tokenizer tokenizer = load_tokenizer(invocation);
    Examples examples{options.texts, invocation};
    const LineWriter writer{tokenizer.vocabulary(), invocation.json ? Form::json
                                                    : options.ids   ? Form::ids
                                                                    : Form::tokens};
    const auto work =
        encoding_options.padding == Padding::longest ? tokenize_padded : tokenize_lines;
    work(tokenizer, examples, encoding_options, writer);
    examples.warn_of_bad_utf8();
}

}  // namespace

Command tokenize_command() {
    const auto options = std::make_shared<Options>();
    Command command{.name = "tokenize",
                    .summary = "Texts to word pieces",
                    .examples =
                        "  bert tokenize --model DIR \"time flies like an arrow\"\n"
                        "  bert tokenize --model DIR --ids --no-special-tokens < sentences.txt\n"
                        "  bert tokenize --model DIR --json --max-length 8 \"a question\" --pair "
                        "\"its answer\"\n",
                    .run = [options](const Invocation& invocation) { run(*options, invocation); }};
    options->texts.add_to(command);
    command.options.push_back({"--ids", "", "Numbers instead of tokens", &options->ids});
    command.options.push_back(
        {"--no-special-tokens", "", "Neither [CLS] nor [SEP]", &options->no_special_tokens});
    options->lengths.add_to(command);
    command.options.push_back({"--padding", "HOW",
                               "Fill up with [PAD]: none, longest (of all texts), max_length",
                               &options->padding});
    return command;
}

}  // namespace bert
