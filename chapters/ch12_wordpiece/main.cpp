// Prints every number of chapter 12.
#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ch12_wordpiece/clean_text.hpp"
#include "ch12_wordpiece/lesson_vocabulary.hpp"
#include "ch12_wordpiece/lower_case.hpp"
#include "ch12_wordpiece/plain_trainer.hpp"
#include "ch12_wordpiece/split_words.hpp"
#include "ch12_wordpiece/tokenizer.hpp"
#include "ch12_wordpiece/training_tables.hpp"
#include "common/cli/program.hpp"
#include "common/cli/section.hpp"
#include "common/io/utf8.hpp"
#include "common/text/lenient_utf8.hpp"
#include "common/text/unicode.hpp"

namespace {

using namespace bert;

constexpr std::string_view sentence = "Strawberries,\u00A0naïve café\u200B 東京!";

// Text with what cannot be seen, or would change the line, as <U+00A0>.
std::string visible(std::string_view utf8) {
    std::string text;
    while (!utf8.empty()) {
        const Utf8Character next = first_character(utf8);
        utf8.remove_prefix(next.bytes);
        const char32_t c = next.character;
        const int hidden = CodePoint::control | CodePoint::nonspacing_mark |
                           (c == U' ' ? 0 : CodePoint::whitespace);
        if ((code_point_properties(c) & hidden) != 0)
            text += fmt::format("<U+{:04X}>", static_cast<std::uint32_t>(c));
        else
            append_utf8(text, c);
    }
    return text;
}

std::string visible(const SourceText& text) {
    return visible(to_utf8(text));
}

std::string tokens_of(const Tokenizer& tokenizer, std::string_view text) {
    std::string line;
    for (const Piece& piece : tokenizer(text))
        line += (line.empty() ? "" : " ") + tokenizer.vocabulary().token(piece.id);
    return line;
}

void print_steps() {
    section("A sentence on its way");
    SourceText text = source_text(sentence);
    fmt::print("as it came              {}\n", visible(text));
    clean_text(text);
    fmt::print("cleaned                 {}\n", visible(text));
    space_chinese(text);
    fmt::print("Chinese apart           {}\n", visible(text));
    SourceText decomposed = text;
    decompose(decomposed);
    fmt::print("letters and marks       {}\n", visible(decomposed));
    strip_accents(text);
    fmt::print("marks stripped          {}\n", visible(text));
    lower_case(text);
    fmt::print("lower case              {}\n", visible(text));
    std::string words;
    for (const auto& [begin, end] : split_words(text)) {
        words += "[" +
                 to_utf8({text.begin() + static_cast<std::ptrdiff_t>(begin),
                          text.begin() + static_cast<std::ptrdiff_t>(end)}) +
                 "] ";
    }
    words.pop_back();
    fmt::print("words                   {}\n", words);
}

// The code points [begin, end) of a text.
std::string part_of(std::string_view text, std::size_t begin, std::size_t end) {
    const SourceText all = source_text(text);
    return visible(SourceText{all.begin() + static_cast<std::ptrdiff_t>(begin),
                              all.begin() + static_cast<std::ptrdiff_t>(end)});
}

void print_pieces(const Tokenizer& tokenizer, std::string_view text) {
    fmt::print("   id  word  from  to  piece\n");
    for (const Piece& piece : tokenizer(text)) {
        fmt::print("{:>5} {:>5} {:>5} {:>3}  {} from \"{}\"\n", piece.id, piece.word, piece.begin,
                   piece.end, visible(tokenizer.vocabulary().token(piece.id)),
                   part_of(text, piece.begin, piece.end));
    }
}

void print_longest_match() {
    section("Longest match first");
    const Tokenizer tokenizer{published_excerpt()};
    fmt::print("{} tokens\n", tokenizer.vocabulary().size());
    for (const std::string_view word : {"strawberries", "embeddings", "embedding", "unaffable"})
        fmt::print("{:<14}{}\n", word, tokens_of(tokenizer, word));
    section("Pieces and where they come from");
    print_pieces(tokenizer, sentence);
}

void print_special() {
    section("Unknown words and special tokens");
    const Tokenizer tokenizer{mini_vocabulary()};
    const Tokenizer cased{mini_vocabulary(), {.lower_case = false}};
    const auto show = [&tokenizer](const char* text) {
        fmt::print("{:<18}{}\n", text, tokens_of(tokenizer, text));
    };
    show("unaffable");
    show("unaffþble");  // no piece begins with thorn: the whole word is unknown
    show("😊😊 cat");
    show("the[MASK]sat");
    show("the [mask] sat");
    fmt::print("{:<18}{}\n", "Hello, cased", tokens_of(cased, "Hello"));
    fmt::print("{:<18}{}\n", "Hello, uncased", tokens_of(tokenizer, "Hello"));
}

void print_decoded() {
    section("And back");
    const Tokenizer tokenizer{published_excerpt()};
    std::vector<TokenId> ids;
    for (const Piece& piece : tokenizer(sentence))
        ids.push_back(piece.id);
    fmt::print("as it came      {}\n", visible(sentence));
    fmt::print("pieces joined   {}\n", tokenizer.decode(ids, false, CleanUp::none));
    fmt::print("cleaned up      {}\n", tokenizer.decode(ids));
}

void print_training() {
    section("The merges of a tiny corpus");
    fmt::print("{}", merges_table(plain_merges(tiny_corpus(), 6)));
    section("Three ways to choose");
    fmt::print("{}", three_trainers_table(tiny_corpus(), 12));
    section("Words never seen");
    fmt::print("{}", two_encodings_table(tiny_corpus(), 8, {"lowest", "slow", "lower", "newer"}));
}

}  // namespace

int main(int argc, char** argv) {
    std::string text, vocabulary;
    return run_chapter(
        argc, argv, "WordPiece: text as pieces of words",
        {{"--text", "TEXT", "Print only the pieces of this text", &text},
         {"--vocab", "FILE", "The vocab.txt for --text (default: 228 tokens of the lesson)",
          &vocabulary}},
        [&](const ChapterOptions&) {
            if (!text.empty() || !vocabulary.empty()) {
                return print_pieces(vocabulary.empty() ? Tokenizer{mini_vocabulary()}
                                                       : Tokenizer::from_files(vocabulary),
                                    text);
            }
            print_steps();
            print_longest_match();
            print_special();
            print_decoded();
            print_training();
        });
}
