// Text to word pieces: ids, places in the text, and back.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ch12_wordpiece/piece_trie.hpp"
#include "ch12_wordpiece/plain_tokenize.hpp"
#include "ch12_wordpiece/tokenizer_config.hpp"
#include "ch12_wordpiece/word_cutter.hpp"
#include "ch12_wordpiece/wordpiece_vocabulary.hpp"

namespace bert {

struct SpecialIds {
    TokenId unknown, cls, sep, mask, pad;
};

/// Which blanks decode() takes out.
enum class CleanUp {
    none,        // "it ' s ( 1 . 5 )": a blank between all words
    each_token,  // before . , ! ? and 's 'm 're 've n't where these are tokens: Hugging Face's
                 // default
    whole_text,  // then in the whole text, ' between words too: clean_up_tokenization_spaces=True
};

class Tokenizer {
  public:
    /// Throws std::invalid_argument naming a special token that the vocabulary lacks.
    explicit Tokenizer(WordPieceVocabulary vocabulary, TokenizerOptions options = {});

    /// From vocab.txt, tokenizer_config.json and special_tokens_map.json; an empty path means the
    /// defaults. Throws as the readers do, and FileError for a special token that the vocabulary
    /// lacks.
    static Tokenizer from_files(const std::string& vocabulary_path,
                                const std::string& config_path = "",
                                const std::string& special_tokens_path = "");
    /// From vocab.txt of a Hugging Face folder, and the two others if they are there. Throws as
    /// from_files(); FileError that tells how to make vocab.txt where there is only a
    /// tokenizer.json.
    static Tokenizer from_folder(const std::string& folder);

    const WordPieceVocabulary& vocabulary() const { return vocabulary_; }
    const TokenizerOptions& options() const { return cutter_.options(); }
    const SpecialIds& special() const { return special_; }
    /// Whether an id is that of a special token, additional ones too.
    bool is_special(TokenId id) const;

    /// The pieces of a text, as Hugging Face's BertTokenizerFast gives them with
    /// add_special_tokens=False. A special token that stands in the text as it is spelled is a
    /// piece, and a part that is not UTF-8 counts as one U+FFFD. Takes time and memory linear in
    /// the text. Safe to call from several threads at once. Throws std::invalid_argument for a text
    /// of 2 GiB or more.
    std::vector<Piece> operator()(std::string_view utf8) const;

    /// The text of these ids: words with a blank between, pieces that continue one glued to it. It
    /// is not the original: case, accents, and blanks are gone. Throws std::invalid_argument for an
    /// id that the vocabulary does not have.
    std::string decode(std::span<const TokenId> ids, bool skip_special_tokens = false,
                       CleanUp clean_up = CleanUp::each_token) const;

  private:
    void add_word(std::vector<Piece>& pieces, const CutWord& word, std::int32_t number) const;

    WordPieceVocabulary vocabulary_;
    WordCutter cutter_;
    std::vector<TokenId> special_ids_;  // of the cutter's special tokens
    SpecialIds special_{};
    PieceTrie pieces_;
    PieceTrie::Node continuation_ = PieceTrie::root;  // ##; root: no piece continues a word
};

}  // namespace bert
