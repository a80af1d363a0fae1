#include "ch13_bert_input/encoding_tables.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <vector>

namespace bert {

namespace {

template <typename Values>
std::string line_of(const char* name, const Values& values,
                    const std::vector<std::string>& tokens) {
    std::string line;
    for (std::size_t t = 0; t < tokens.size(); ++t)
        line += fmt::format(" {:>{}}", values[t], tokens[t].size());
    return fmt::format("{:<16}{}\n", name, line);
}

}  // namespace

std::string token_line(const Encoding& encoding, const WordPieceVocabulary& vocabulary) {
    std::string line;
    for (const std::string& token : tokens_of(encoding, vocabulary))
        line += (line.empty() ? "" : " ") + token;
    return line;
}

std::string list_table(const Encoding& encoding, const WordPieceVocabulary& vocabulary) {
    const std::vector<std::string> tokens = tokens_of(encoding, vocabulary);
    return line_of("tokens", tokens, tokens) + line_of("input_ids", encoding.input_ids, tokens) +
           line_of("token_type_ids", encoding.token_type_ids, tokens) +
           line_of("attention_mask", encoding.attention_mask, tokens);
}

std::string origin_table(const Encoding& encoding, const WordPieceVocabulary& vocabulary) {
    const std::vector<std::string> tokens = tokens_of(encoding, vocabulary);
    std::string table =
        fmt::format("{:<8}{:>5}{:>9}{:>7}{:>6}\n", "token", "type", "letters", "added", "word");
    for (std::size_t t = 0; t < tokens.size(); ++t) {
        const auto [begin, end] = encoding.offsets[t];
        table += fmt::format("{:<8}{:>5}{:>9}{:>7}{:>6}\n", tokens[t], encoding.token_type_ids[t],
                             fmt::format("{}-{}", begin, end), encoding.special_tokens_mask[t],
                             encoding.word_ids[t]);
    }
    return table;
}

}  // namespace bert
