#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ch15_pretraining/sentences.hpp"

namespace bert {

namespace {

using Document = std::vector<std::string>;

std::string_view trimmed(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return {};
    return line.substr(begin, line.find_last_not_of(" \t\r\n") + 1 - begin);
}

// The lines between blank lines, together.
std::vector<std::string_view> paragraphs_of(std::string_view text) {
    std::vector<std::string_view> paragraphs;
    std::size_t begin = std::string_view::npos;  // of the open paragraph
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const bool blank = trimmed(text.substr(at, end - at)).empty();
        if (!blank && begin == std::string_view::npos) begin = at;
        if (blank && begin != std::string_view::npos) {
            paragraphs.push_back(text.substr(begin, at - begin));
            begin = std::string_view::npos;
        }
        at = end + 1;
    }
    if (begin != std::string_view::npos) paragraphs.push_back(text.substr(begin));
    return paragraphs;
}

bool is_one_line(std::string_view paragraph) {
    return trimmed(paragraph).find('\n') == std::string_view::npos;
}

bool has_letter(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               static_cast<unsigned char>(c) >= 128;
    });
}

bool starts_with_word(std::string_view line, std::string_view word) {
    if (line.size() < word.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i)
        if ((line[i] | 0x20) != word[i]) return false;
    return line.size() == word.size() || line[word.size()] == ' ' || line[word.size()] == '.';
}

bool is_chapter(std::string_view paragraph) {
    const std::string_view line = trimmed(paragraph);
    constexpr std::size_t longest = 40;  // longer ones are sentences that begin so
    if (!is_one_line(paragraph) || line.size() > longest) return false;
    constexpr std::array<std::string_view, 4> words = {"chapter", "volume", "book", "part"};
    const bool named = std::any_of(words.begin(), words.end(), [line](std::string_view word) {
        return starts_with_word(line, word) && line.size() > word.size() + 1;
    });
    const bool number = line.find_first_not_of("IVXLC0123456789.") == std::string_view::npos;
    return number || (named && line.find_first_of("!?,;\"") == std::string_view::npos);
}

// "A NOTE ON THE TEXT", but no signature and nothing with a stop at its end.
bool is_title(std::string_view paragraph) {
    const std::string_view line = trimmed(paragraph);
    return is_one_line(paragraph) && has_letter(line) &&
           line.find_first_of("abcdefghijklmnopqrstuvwxyz\".!?") == std::string_view::npos &&
           line.back() != ',';
}

bool is_finis(std::string_view paragraph) {
    return starts_with_word(trimmed(paragraph), "finis") ||
           starts_with_word(trimmed(paragraph), "the end");
}

}  // namespace

std::vector<std::vector<std::string>> split_prose(std::string_view text) {
    const std::vector<std::string_view> paragraphs = paragraphs_of(text);
    const auto first_chapter = std::find_if(paragraphs.begin(), paragraphs.end(), is_chapter);
    const bool has_chapters = first_chapter != paragraphs.end();
    std::vector<Document> documents(1);
    for (auto p = has_chapters ? first_chapter : paragraphs.begin(); p != paragraphs.end(); ++p) {
        const bool is_finis_alone = is_one_line(*p) && trimmed(*p).size() < 10 && is_finis(*p);
        if (is_chapter(*p) || is_title(*p) || is_finis_alone) {
            documents.emplace_back();
        } else if (has_letter(*p)) {
            for (std::string& sentence : split_sentences(*p))
                if (has_letter(sentence)) documents.back().push_back(std::move(sentence));
        }
    }
    std::erase_if(documents, [](const Document& document) { return document.empty(); });
    return documents;
}

std::string corpus_text(const std::vector<std::vector<std::string>>& documents) {
    std::string text;
    for (const Document& document : documents) {
        if (!text.empty()) text += '\n';
        for (const std::string& sentence : document)
            text += sentence + '\n';
    }
    return text;
}

}  // namespace bert
