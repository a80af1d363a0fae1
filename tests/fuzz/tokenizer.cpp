#include "ch12_wordpiece/tokenizer.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace bert::test {

namespace {

Tokenizer tokenizer_with(unsigned choice) {
    std::vector<std::string> tokens{"[PAD]",
                                    "[UNK]",
                                    "[CLS]",
                                    "[SEP]",
                                    "[MASK]",
                                    "the",
                                    "straw",
                                    "##berries",

                                    "\xE4\xB8\xAD",
                                    "\xC3\xA9t\xC3\xA9",
                                    "##\xCC\x81",
                                    ".",
                                    "'",
                                    "-"};
    for (char c = 'a'; c <= 'z'; ++c) {
        tokens.emplace_back(1, c);
        tokens.push_back("##" + std::string(1, c));
    }
    TokenizerOptions options;
    options.lower_case = (choice & 1U) != 0;
    if ((choice & 2U) != 0) options.strip_accents = (choice & 4U) != 0;
    options.space_chinese = (choice & 8U) != 0;
    return Tokenizer{WordPieceVocabulary{tokens}, options};
}

}  // namespace

// The first byte chooses the options, the others are the text.
void fuzz_tokenizer(std::string_view bytes) {
    static const std::vector<Tokenizer> tokenizers = [] {
        std::vector<Tokenizer> all;
        for (unsigned choice = 0; choice < 16; ++choice)
            all.push_back(tokenizer_with(choice));
        return all;
    }();
    if (bytes.empty()) return;
    const Tokenizer& tokenizer = tokenizers.at(static_cast<unsigned char>(bytes.front()) % 16U);
    const std::string_view text = bytes.substr(1);
    std::vector<TokenId> ids;
    std::int64_t word = 0;
    std::uint32_t begin = 0;
    for (const Piece& piece : tokenizer(text)) {
        promise(piece.id >= 0 && static_cast<std::size_t>(piece.id) < tokenizer.vocabulary().size(),
                "an id is in the vocabulary");
        // A code point takes a byte or more.
        promise(piece.begin <= piece.end && piece.end <= text.size(), "a piece is in the text");
        promise(piece.begin >= begin, "pieces are in the order of the text");
        promise(piece.word >= word, "words are in the order of the text");
        begin = piece.begin;
        word = piece.word;
        ids.push_back(piece.id);
    }
    promise(tokenizer.decode(ids).size() <= 20 * (text.size() + 1), "text is not much longer");
    promise(tokenizer(text).size() == ids.size(), "the same text gives the same pieces");
}

}  // namespace bert::test
