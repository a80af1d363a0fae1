#include "ch13_bert_input/encoding.hpp"

#include <stdexcept>

namespace bert {

namespace {

void add(Encoding& encoding, const Piece& piece, std::int64_t token_type, bool ours) {
    encoding.input_ids.push_back(piece.id);
    encoding.token_type_ids.push_back(token_type);
    encoding.attention_mask.push_back(1);
    encoding.special_tokens_mask.push_back(ours ? 1 : 0);
    encoding.offsets.emplace_back(piece.begin, piece.end);
    encoding.word_ids.push_back(piece.word);
}

void add_special(Encoding& encoding, TokenId id, std::int64_t token_type) {
    add(encoding, {id, 0, 0, -1}, token_type, true);
}

void add_pieces(Encoding& encoding, const std::vector<Piece>& pieces, std::int64_t token_type) {
    for (const Piece& piece : pieces)
        add(encoding, piece, token_type, false);
}

// The length that truncation and padding go by.
std::size_t length_limit(const Tokenizer& tokenizer, const EncodingOptions& options) {
    const auto limit =
        options.max_length ? options.max_length : tokenizer.options().model_max_length;
    if (limit) return *limit;
    throw std::invalid_argument{
        "encode: truncation and padding to max_length need one (found none, neither here nor as "
        "model_max_length of the tokenizer)"};
}

// The tokens of the texts that fit between the special ones.
std::size_t room_for_texts(std::size_t limit, bool pair, bool add_special_tokens) {
    const std::size_t special = !add_special_tokens ? 0 : pair ? 3 : 2;
    if (limit >= special) return limit - special;
    throw std::invalid_argument{"encode: max_length (found " + std::to_string(limit) +
                                ", expected at least " + std::to_string(special) +
                                (pair ? ": [CLS] and two [SEP])" : ": [CLS] and [SEP])")};
}

void shorten(std::vector<Piece>& first, std::optional<std::vector<Piece>>& second,
             const Tokenizer& tokenizer, const EncodingOptions& options) {
    const std::size_t room = room_for_texts(length_limit(tokenizer, options), second.has_value(),
                                            options.add_special_tokens);
    TextLengths lengths{first.size(), {}};
    if (second) lengths.second = second->size();
    const TextLengths left = truncated(lengths, room, options.truncation);
    first.resize(left.first);
    if (second) second->resize(*left.second);
}

}  // namespace

// [build]
Encoding build_input(const std::vector<Piece>& first,
                     const std::optional<std::vector<Piece>>& second, const SpecialIds& special,
                     bool add_special_tokens) {
    Encoding encoding;
    // EXERCISE BEGIN 13-build-input
    // STEP first    [CLS] A [SEP], of type 0
    if (add_special_tokens) add_special(encoding, special.cls, 0);
    add_pieces(encoding, first, 0);
    if (add_special_tokens) add_special(encoding, special.sep, 0);
    // STEP second   B [SEP], of type 1, if there is a second text
    if (second) add_pieces(encoding, *second, 1);
    if (second && add_special_tokens) add_special(encoding, special.sep, 1);
    // STUB: add_pieces(encoding, first, add_special_tokens && second ? special.sep : 0);
    // EXERCISE END
    return encoding;
}
// [build]

// [pad]
void pad(Encoding& encoding, std::size_t length, TokenId pad_id) {
    if (length > most_padded_length)
        throw std::invalid_argument{"pad: length (found " + std::to_string(length) +
                                    ", expected at most " + std::to_string(most_padded_length) +
                                    ")"};
    // EXERCISE BEGIN 13-pad
    // STEP pad   special tokens of type 0 that nobody attends to
    while (encoding.length() < length) {
        add_special(encoding, pad_id, 0);
        encoding.attention_mask.back() = 0;
    }
    // STUB: static_cast<void>(encoding); static_cast<void>(pad_id);
    // EXERCISE END
}
// [pad]

// [encode]
Encoding encode(const Tokenizer& tokenizer, std::string_view first,
                std::optional<std::string_view> second, const EncodingOptions& options) {
    std::vector<Piece> a = tokenizer(first);
    std::optional<std::vector<Piece>> b;
    if (second) b = tokenizer(*second);
    if (options.truncation != Truncation::none) shorten(a, b, tokenizer, options);
    Encoding encoding = build_input(a, b, tokenizer.special(), options.add_special_tokens);
    if (options.padding == Padding::max_length)
        pad(encoding, length_limit(tokenizer, options), tokenizer.special().pad);
    return encoding;
}
// [encode]

std::vector<std::string> tokens_of(const Encoding& encoding,
                                   const WordPieceVocabulary& vocabulary) {
    std::vector<std::string> tokens;
    for (const std::int64_t id : encoding.input_ids) {
        if (static_cast<std::uint64_t>(id) >= vocabulary.size())  // below 0: huge
            throw std::invalid_argument{"tokens_of: token id (found " + std::to_string(id) +
                                        ", expected one of [0, " +
                                        std::to_string(vocabulary.size()) + "))"};
        tokens.push_back(vocabulary.token(static_cast<TokenId>(id)));
    }
    return tokens;
}

}  // namespace bert
