#include "ch12_wordpiece/wordpiece_vocabulary.hpp"

#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "common/cli/program.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/file_error.hpp"
#include "common/io/input_file.hpp"
#include "common/text/lenient_utf8.hpp"

namespace bert {

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{32} << 20;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

struct Problem {
    std::string what;
    std::string found;
    std::string expected;
};

std::string quoted(std::string_view token) {
    return '"' + printable(token.substr(0, 60)) + '"';
}

std::optional<Problem> problem_of(std::string_view token) {
    const auto problem = [&](const char* what, const char* expected) {
        return Problem{what, quoted(token), expected};
    };
    if (token.empty()) return Problem{"no token", "an empty line", "a token"};
    if (token.size() > most_token_bytes) {
        return Problem{"the token is too long", std::to_string(token.size()) + " bytes",
                       "at most " + std::to_string(most_token_bytes)};
    }
    if (token == continuation_mark) return problem("a piece without letters", "letters after ##");
    if (token.find('\0') != token.npos) return problem("the token has a zero byte", "text");
    if (token.find('\n') != token.npos || token.back() == '\r')
        return problem("the token has the end of a line in it", "one line");
    if (count_bad_utf8(token) > 0) return problem("the token is not UTF-8", "UTF-8");
    return std::nullopt;
}

// Tokens of a vocabulary and where each stands.
using Ids = std::unordered_map<std::string_view, std::size_t>;

// The first fault of the tokens: its index and what it is.
std::optional<std::pair<std::size_t, Problem>> first_problem(
    const std::vector<std::string>& tokens, WordPieceVocabulary::Duplicates duplicates) {
    if (tokens.size() > most_tokens) {
        return {{most_tokens,
                 {"too many tokens", std::to_string(tokens.size()), std::to_string(most_tokens)}}};
    }
    Ids seen;
    seen.reserve(tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (auto problem = problem_of(tokens[i])) return {{i, std::move(*problem)}};
        const auto [place, is_new] = seen.emplace(tokens[i], i);
        if (is_new || duplicates == WordPieceVocabulary::Duplicates::last_wins) continue;
        return {{i,
                 {"a token twice",
                  quoted(tokens[i]) + " as on line " + std::to_string(place->second + 1),
                  "each token once"}}};
    }
    return std::nullopt;
}

std::vector<std::string> lines_of(const std::string& path, std::string_view bytes) {
    std::vector<std::string> lines;
    while (!bytes.empty()) {
        if (lines.size() == most_tokens) {
            throw FileError{path, "line " + std::to_string(most_tokens + 1), "too many tokens",
                            "another line", "at most " + std::to_string(most_tokens) + " lines"};
        }
        const std::size_t end = bytes.find('\n');
        std::string_view line = bytes.substr(0, end);
        bytes.remove_prefix(end == bytes.npos ? bytes.size() : end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.emplace_back(line);
    }
    return lines;
}

}  // namespace

WordPieceVocabulary::WordPieceVocabulary(std::vector<std::string> tokens, Duplicates duplicates)
    : tokens_(std::move(tokens)) {
    if (const auto problem = first_problem(tokens_, duplicates)) {
        const auto& [index, fault] = *problem;
        throw std::invalid_argument{"vocabulary: token " + std::to_string(index) + ": " +
                                    fault.what + " (found " + fault.found + ", expected " +
                                    fault.expected + ")"};
    }
    id_of_.reserve(tokens_.size());
    for (std::size_t i = 0; i < tokens_.size(); ++i)
        id_of_.insert_or_assign(tokens_[i], static_cast<TokenId>(i));
}

WordPieceVocabulary WordPieceVocabulary::read(const std::string& path, Duplicates duplicates) {
    return parse(path, read_file(path, most_bytes), duplicates);
}

WordPieceVocabulary WordPieceVocabulary::parse(const std::string& path, std::string_view bytes,
                                               Duplicates duplicates) {
    if (bytes.empty()) throw FileError{path, "line 1", "no tokens", "an empty file", "a token"};
    if (bytes.starts_with(byte_order_mark)) {
        throw FileError{path, "line 1", "a byte order mark", "bytes EF BB BF", "the first token"};
    }
    std::vector<std::string> tokens = lines_of(path, bytes);
    if (const auto problem = first_problem(tokens, duplicates)) {
        const auto& [index, fault] = *problem;
        throw FileError{path, "line " + std::to_string(index + 1), fault.what, fault.found,
                        fault.expected};
    }
    return WordPieceVocabulary{std::move(tokens), duplicates};
}

const std::string& WordPieceVocabulary::token(TokenId id) const {
    if (id < 0 || static_cast<std::size_t>(id) >= tokens_.size()) {
        throw std::invalid_argument{"token id " + std::to_string(id) + " out of range [0, " +
                                    std::to_string(tokens_.size()) + ")"};
    }
    return tokens_[static_cast<std::size_t>(id)];
}

std::optional<TokenId> WordPieceVocabulary::find(std::string_view token) const {
    const auto found = id_of_.find(token);
    if (found == id_of_.end()) return std::nullopt;
    return found->second;
}

void WordPieceVocabulary::write(const std::string& path) const {
    std::string text;
    for (const std::string& token : tokens_)
        text.append(token).push_back('\n');
    write_file(path, text);
}

}  // namespace bert
