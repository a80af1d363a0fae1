#include <string>

#include "ch12_wordpiece/wordpiece_vocabulary.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace bert::test {

namespace {

void read_as(std::string_view bytes, WordPieceVocabulary::Duplicates duplicates) {
    try {
        const WordPieceVocabulary vocabulary = WordPieceVocabulary::parse("x", bytes, duplicates);
        promise(vocabulary.size() > 0, "a vocabulary is not empty");
        std::string again;
        for (std::size_t i = 0; i < vocabulary.size(); ++i) {
            const std::string& token = vocabulary.token(static_cast<TokenId>(i));
            again += token + "\n";
            const auto id = vocabulary.find(token);
            promise(id && vocabulary.token(*id) == token, "a token is found");
            if (duplicates == WordPieceVocabulary::Duplicates::refuse) {
                promise(*id == static_cast<TokenId>(i), "ids are the numbers of the lines");
            }
        }
        promise(WordPieceVocabulary::parse("x", again, duplicates).tokens() == vocabulary.tokens(),
                "a vocabulary survives being written");
    } catch (const FileError& e) {
        check_message(e, "x");
    }
}

}  // namespace

void fuzz_vocabulary(std::string_view bytes) {
    read_as(bytes, WordPieceVocabulary::Duplicates::refuse);
    read_as(bytes, WordPieceVocabulary::Duplicates::last_wins);
}

}  // namespace bert::test
