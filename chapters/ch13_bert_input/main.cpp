// Prints every number of chapter 13.
#include <fmt/core.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ch13_bert_input/batch.hpp"
#include "ch13_bert_input/embeddings.hpp"
#include "ch13_bert_input/encoding.hpp"
#include "ch13_bert_input/encoding_tables.hpp"
#include "ch13_bert_input/input_picture.hpp"
#include "ch13_bert_input/lesson.hpp"
#include "ch13_bert_input/mistakes.hpp"
#include "common/cli/output_folder.hpp"
#include "common/cli/program.hpp"
#include "common/cli/section.hpp"
#include "common/plot/picture.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/print.hpp"

namespace {

using namespace bert;

const Tokenizer& tokenizer() {
    static const Tokenizer made = lesson_tokenizer();
    return made;
}

std::vector<std::string> names(const Encoding& encoding) {
    return tokens_of(encoding, tokenizer().vocabulary());
}

std::string words(const Encoding& encoding) {
    return token_line(encoding, tokenizer().vocabulary());
}

BertInput batch_of(const std::vector<Encoding>& encodings) {
    return make_batch(encodings, tokenizer().special().pad);
}

void print_lists(const Encoding& encoding) {
    fmt::print("{}", list_table(encoding, tokenizer().vocabulary()));
}

void print_rows() {
    section("Two texts in one row");
    print_lists(encode(tokenizer(), "I like dogs", "I like cats"));
    section("One text");
    print_lists(encode(tokenizer(), "I like dogs and cats"));
    section("Where a token comes from");
    fmt::print("{}", origin_table(encode(tokenizer(), "He likes  playing", "My [MASK] is cute"),
                                  tokenizer().vocabulary()));
}

void print_by_hand(const BertEmbeddings& layer) {
    section("Three embeddings by hand");
    const Encoding encoding = encode(tokenizer(), "I like dogs", "I like cats");
    const BertInput input = batch_of({encoding});
    const InputParts parts = input_parts(layer, input, names(encoding));
    const Tensor x = layer(input);  // (1, 9, 4)
    for (const std::size_t t : {2U, 6U}) {
        const auto line = [t](const char* name, const Tensor& rows) {
            const Tensor row = slice(rows, 0, t, t + 1);
            fmt::print("{:<22}{}", name, to_table(row.reshaped({4})));
        };
        fmt::print("\"{}\", position {}, type {}\n", parts.tokens[t], t, parts.token_type_ids[t]);
        line("  token", parts.word);
        line("+ type", parts.type);
        line("+ position", parts.position);
        line("= sum", parts.sum);
        line("after LayerNorm", x.reshaped({9, 4}));
    }
}

InputParts famous_pair(const BertEmbeddings& layer) {
    const Encoding encoding = encode(tokenizer(), "my dog is cute", "he likes playing");
    return input_parts(layer, batch_of({encoding}), names(encoding));
}

void print_batch(const BertEmbeddings& layer) {
    section("A batch");
    const std::vector<TextPair> texts{{"I like dogs", "I like cats"}, {"He likes cats"}, {""}};
    const std::vector<Encoding> encodings =
        encode_all(tokenizer(), texts, {.padding = Padding::longest});
    for (const Encoding& encoding : encodings) {
        print_lists(encoding);
        fmt::print("\n");
    }
    const BertInput input = batch_of(encodings);
    fmt::print("embedded: {}\n", with_letters(layer(input).shape(), "BTD"));
}

void print_truncation() {
    section("Too long");
    const auto line = [](Truncation truncation, std::size_t most) {
        fmt::print("{:>3}  {:<15}", most, to_string(truncation));
        try {
            const EncodingOptions options{.max_length = most, .truncation = truncation};
            fmt::print("{}\n", words(encode(tokenizer(), "my dog likes cats and dogs", "he is cute",
                                            options)));
        } catch (const std::invalid_argument& e) {
            fmt::print("error: {}\n", e.what());
        }
    };
    for (const auto truncation : {Truncation::none, Truncation::longest_first,
                                  Truncation::only_first, Truncation::only_second})
        line(truncation, 10);
    for (const std::size_t most : {9U, 8U, 7U, 3U, 2U})
        line(Truncation::longest_first, most);
    line(Truncation::only_second, 8);
}

void print_looks(const char* name, const Tensor& x, const BertInput& input) {
    const Tensor weights = who_looks_at_whom(x, input);  // (1, T, T)
    const Tensor row = slice(reshape(weights, {x.dim(1), x.dim(1)}), 0, 1, 2);
    fmt::print("{:<20}{}", name, to_table(row.reshaped({x.dim(1)}), {.decimals = 2}));
}

void print_mistakes(const BertEmbeddings& layer) {
    section("What goes wrong here");
    Encoding encoding = encode(tokenizer(), "dogs like cats", "cats like dogs");
    fmt::print("cut off at 8        {}\n", words(cut_off(encoding, 8)));
    pad(encoding, 11, tokenizer().special().pad);
    const BertInput input = batch_of({encoding});
    fmt::print("\n{}\n\"dogs\" looks at\n", words(encoding));
    const Tensor x = layer(input);
    print_looks("right", x, input);
    print_looks("padding visible", x, all_visible(input));
    const BertInput mixed_up = types_as_mask(input);
    print_looks("types as mask", layer(mixed_up), mixed_up);
    fmt::print("\n");
    try {
        const std::string_view long_text =
            "i like cats and dogs and cats and dogs and cats and dogs and i";
        layer(batch_of({encode(tokenizer(), long_text)}));
    } catch (const ShapeError& e) {
        fmt::print("error: {}\n", e.what());
    }
    try {
        layer(input_of_ids({2, 30522, 3}));
    } catch (const std::invalid_argument& e) {
        fmt::print("error: {}\n", e.what());
    }
}

void print_size() {
    section("What the tables cost");
    const auto line = [](const char* name, std::size_t rows) {
        fmt::print("{:<14}{:>6} x 768 = {:>10}\n", name, rows, rows * 768);
    };
    line("tokens", 30522);
    line("positions", 512);
    line("token types", 2);
    line("LayerNorm", 2);
    line("together", 30522 + 512 + 2 + 2);
}

// A text of the reader's, alone.
void print_own(const std::string& text, const std::string& second, const OutputFolder& out) {
    const BertEmbeddings layer = lesson_embeddings();
    const Encoding encoding = encode(
        tokenizer(), text, second.empty() ? std::nullopt : std::optional<std::string_view>{second});
    const InputParts parts = input_parts(layer, batch_of({encoding}), names(encoding));
    section("Your text");
    fmt::print("{}", input_table(parts));
    out.write("input.svg", to_svg(input_picture(parts)));
}

}  // namespace

int main(int argc, char** argv) {
    std::string text, second;
    const auto print_chapter = [&](const ChapterOptions& options) {
        const OutputFolder out{options.out};
        if (text.empty() && !second.empty()) throw UsageError{"--second: needs --text"};
        if (!text.empty()) return print_own(text, second, out);
        const BertEmbeddings layer = lesson_embeddings();
        print_rows();
        print_by_hand(layer);
        section("Three numbers a token");
        fmt::print("{}", input_table(famous_pair(layer)));
        print_batch(layer);
        print_truncation();
        print_mistakes(layer);
        print_size();
        if (options.out.empty()) return;
        section("Pictures");
        out.write("input.svg", to_svg(input_picture(famous_pair(layer))));
    };
    return run_chapter(argc, argv,
                       "Chapter 13: what BERT reads, from texts to the sum of three embeddings",
                       {{"--text", "TEXT",
                         "Only this text, of at most 14 tokens of the lesson's vocabulary", &text},
                        {"--second", "TEXT", "With --text: the second text of a pair", &second}},
                       print_chapter);
}
