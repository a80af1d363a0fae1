#include "ch09_translation/vocabulary.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "ch09_translation/parallel_text.hpp"
#include "common/cli/nearest.hpp"
#include "common/cli/program.hpp"
#include "common/io/file_error.hpp"
#include "common/io/utf8.hpp"

namespace bert {

namespace {

constexpr std::array<std::string_view, 3> special_tokens = {"<pad>", "<start>", "<end>"};

constexpr const char* special_in_text = " is a special token and cannot be a word of a text";

bool is_special(std::string_view word) {
    return std::find(special_tokens.begin(), special_tokens.end(), word) != special_tokens.end();
}

std::string quoted(std::string_view word) {
    return '"' + printable(word) + '"';
}

void require_word(const std::string& word) {
    if (word.size() > most_word_bytes) {
        throw UsageError{"vocabulary: a word of " + std::to_string(word.size()) +
                         " bytes (expected at most " + std::to_string(most_word_bytes) + ")"};
    }
    const std::vector<std::string> parts = words_of(word);
    const auto points = utf8_to_code_points(word);
    if (parts.size() != 1 || parts.front() != word || !points ||
        std::any_of(points->begin(), points->end(), is_control)) {
        throw UsageError{"vocabulary: " + quoted(word) + " is not a word"};
    }
}

}  // namespace

Vocabulary::Vocabulary(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {
    if (tokens_.size() < special_tokens.size() ||
        !std::equal(special_tokens.begin(), special_tokens.end(), tokens_.begin())) {
        throw std::invalid_argument{"vocabulary: does not start with <pad>, <start> and <end>"};
    }
    if (tokens_.size() > special_tokens.size() + most_words) {
        throw UsageError{"vocabulary: " + std::to_string(tokens_.size() - special_tokens.size()) +
                         " different words (expected at most " + std::to_string(most_words) + ")"};
    }
    for (const std::string& token : tokens_) {
        require_word(token);
        if (!id_of_.emplace(token, static_cast<std::int64_t>(id_of_.size())).second) {
            throw std::invalid_argument{"vocabulary: " + quoted(token) + " is there twice"};
        }
    }
}

Vocabulary Vocabulary::of_sentences(const std::vector<std::string>& sentences) {
    std::map<std::string, std::size_t> count;
    for (const std::string& sentence : sentences) {
        for (const std::string& word : words_of(sentence))
            ++count[word];
    }
    if (count.empty()) throw std::invalid_argument{"vocabulary: no words to make it of"};
    std::vector<std::pair<std::string, std::size_t>> words(count.begin(), count.end());
    std::stable_sort(words.begin(), words.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> tokens(special_tokens.begin(), special_tokens.end());
    for (const auto& [word, times] : words) {
        if (is_special(word)) {
            throw UsageError{quoted(word) + special_in_text};
        }
        tokens.push_back(word);
    }
    return Vocabulary{std::move(tokens)};
}

// A known word in quotes, or how many there are.
std::string Vocabulary::nearest_to(const std::string& word) const {
    const auto first_word = tokens_.begin() + static_cast<std::ptrdiff_t>(special_tokens.size());
    const std::vector<std::string> known(first_word, tokens_.end());
    const std::string nearest = nearest_word(word, known);
    return nearest.empty() ? "one of the " + std::to_string(known.size()) +
                                 " words in it, none of which is similar"
                           : "for example " + quoted(nearest);
}

std::vector<std::int64_t> Vocabulary::ids(const std::vector<std::string>& words) const {
    std::vector<std::int64_t> result;
    for (const std::string& word : words) {
        if (is_special(word)) throw UsageError{quoted(word) + special_in_text};
        const auto found = id_of_.find(word);
        if (found == id_of_.end()) {
            throw UsageError{"the word " + quoted(word) +
                             " is unknown to the vocabulary (expected " + nearest_to(word) + ")"};
        }
        result.push_back(found->second);
    }
    return result;
}

std::vector<std::string> Vocabulary::words(const std::vector<std::int64_t>& ids) const {
    std::vector<std::string> result;
    for (const std::int64_t id : ids) {
        if (id < 0 || static_cast<std::size_t>(id) >= tokens_.size()) {
            throw std::invalid_argument{"vocabulary: no word has the number " + std::to_string(id) +
                                        " (expected 0 to " + std::to_string(tokens_.size() - 1) +
                                        ")"};
        }
        result.push_back(tokens_[static_cast<std::size_t>(id)]);
    }
    return result;
}

std::vector<std::vector<std::int64_t>> Vocabulary::ids_of_file(
    const std::string& path, const std::vector<std::string>& sentences) const {
    std::vector<std::vector<std::int64_t>> result;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        const std::vector<std::string> words = words_of(sentences[i]);
        for (const std::string& word : words) {
            if (id_of_.contains(word) && !is_special(word)) continue;
            throw FileError{path, "line " + std::to_string(i + 1),
                            "a word that is unknown to the vocabulary", quoted(word),
                            nearest_to(word)};
        }
        result.push_back(ids(words));
    }
    return result;
}

}  // namespace bert
