#include "ch12_wordpiece/tokenizer.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include "common/cli/program.hpp"
#include "common/io/file_error.hpp"

namespace bert {

namespace {

// A longer token is longer than any word.
constexpr std::size_t most_piece_bytes = most_word_characters * 4 + continuation_mark.size();

// The first special token that the vocabulary lacks.
std::optional<std::string> missing_token(const WordPieceVocabulary& vocabulary,
                                         const WordCutter& cutter) {
    for (const std::string& token : cutter.special_tokens()) {
        if (!vocabulary.find(token)) return '"' + printable(token) + '"';
    }
    return std::nullopt;
}

}  // namespace

Tokenizer::Tokenizer(WordPieceVocabulary vocabulary, TokenizerOptions options)
    : vocabulary_(std::move(vocabulary)), cutter_(std::move(options)) {
    if (const auto token = missing_token(vocabulary_, cutter_))
        throw std::invalid_argument{"the vocabulary has no token " + *token};
    for (const std::string& token : cutter_.special_tokens())
        special_ids_.push_back(*vocabulary_.find(token));
    special_ = {special_ids_[0], special_ids_[1], special_ids_[2], special_ids_[3],
                special_ids_[4]};
    for (std::size_t i = 0; i < vocabulary_.size(); ++i) {
        const std::string& token = vocabulary_.tokens()[i];
        if (token.size() <= most_piece_bytes) pieces_.insert(token, static_cast<TokenId>(i));
    }
    continuation_ = pieces_.node_of(continuation_mark);
}

Tokenizer Tokenizer::from_files(const std::string& vocabulary_path, const std::string& config_path,
                                const std::string& special_tokens_path) {
    const TokenizerOptions options = read_tokenizer_config(config_path, special_tokens_path);
    WordPieceVocabulary vocabulary = WordPieceVocabulary::read(vocabulary_path);
    if (const auto token = missing_token(vocabulary, WordCutter{options})) {
        throw FileError{vocabulary_path, "tokens", "a special token is missing",
                        std::to_string(vocabulary.size()) + " others", *token};
    }
    return Tokenizer{std::move(vocabulary), options};
}

Tokenizer Tokenizer::from_folder(const std::string& folder) {
    namespace fs = std::filesystem;
    const fs::path vocabulary = fs::path{folder} / "vocab.txt";
    std::error_code ignored;
    const auto if_there = [&](const char* name) {
        const fs::path path = fs::path{folder} / name;
        return fs::exists(path, ignored) ? path.string() : "";
    };
    if (!fs::exists(vocabulary, ignored) && !if_there("tokenizer.json").empty()) {
        throw FileError{folder, "vocab.txt", "no vocabulary", "only tokenizer.json",
                        "one token a line, as transformers writes with "
                        "AutoTokenizer.from_pretrained(DIR)._tokenizer.model.save(DIR)"};
    }
    return from_files(vocabulary.string(), if_there("tokenizer_config.json"),
                      if_there("special_tokens_map.json"));
}

bool Tokenizer::is_special(TokenId id) const {
    return std::find(special_ids_.begin(), special_ids_.end(), id) != special_ids_.end();
}

std::vector<Piece> Tokenizer::operator()(std::string_view utf8) const {
    std::vector<Piece> pieces;
    pieces.reserve(utf8.size() / 4 + 1);
    std::int32_t number = 0;
    cutter_.for_each_word(utf8, [&](const CutWord& word) { add_word(pieces, word, number++); });
    return pieces;
}

void Tokenizer::add_word(std::vector<Piece>& pieces, const CutWord& word,
                         std::int32_t number) const {
    const std::size_t before = pieces.size();
    const std::string_view letters = word.letters;
    for (std::size_t at = 0; at < letters.size() && word.special < 0 && !word.too_long;) {
        PieceTrie::Match match{-1, 0};
        if (at == 0)
            match = pieces_.longest(letters);
        else if (continuation_ != PieceTrie::root)
            match = pieces_.longest(letters.substr(at), continuation_);
        if (match.length == 0) {  // one gap, and the whole word is unknown
            pieces.resize(before);
            break;
        }
        const std::uint32_t last = word.place_of(at + match.length - 1);
        pieces.push_back({match.value, word.place_of(at), last + 1, number});
        at += match.length;
    }
    if (pieces.size() > before) return;
    const TokenId id =
        word.special >= 0 ? special_ids_[static_cast<std::size_t>(word.special)] : special_.unknown;
    pieces.push_back({id, word.begin, word.end, number});
}

}  // namespace bert
