#include "ch15_pretraining/sentences.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "common/text/lenient_utf8.hpp"
#include "common/text/unicode.hpp"

namespace bert {

namespace {

constexpr std::array<std::string_view, 31> abbreviations = {
    "mr",  "mrs",   "ms",  "messrs", "dr",   "st",   "rev", "hon", "capt", "col",  "gen",
    "lt",  "lieut", "maj", "sgt",    "prof", "esq",  "sr",  "jr",  "mme",  "mlle", "viz",
    "e.g", "i.e",   "cf",  "vs",     "vol",  "vols", "ch",  "pp",  "fig"};

constexpr std::array<std::string_view, 9> closing = {"\"", "'", ")", "]", "”", "’", "»", "*", "}"};

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_stop(char c) {
    return c == '.' || c == '!' || c == '?';
}

std::string lower(std::string_view word) {
    std::string result{word};
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

// The letters, and stops between them, right before `end`: "e.g", "Mr".
std::string_view word_before(std::string_view text, std::size_t end) {
    std::size_t begin = end;
    while (begin > 0 && (is_letter(text[begin - 1]) ||
                         (text[begin - 1] == '.' && begin < end && is_letter(text[begin]))))
        --begin;
    return text.substr(begin, end - begin);
}

bool is_initial(std::string_view word) {
    return word.size() == 1 && word[0] >= 'A' && word[0] <= 'Z' && word[0] != 'I';
}

// Whether a . after this word stands inside a sentence whatever follows.
bool is_abbreviation(std::string_view word, char next) {
    if (is_initial(word.substr(word.rfind('.') + 1))) return true;  // rfind: npos + 1 is 0
    const std::string small = lower(word);
    if (small == "no" || small == "nos") return next >= '0' && next <= '9';
    return std::find(abbreviations.begin(), abbreviations.end(), small) != abbreviations.end();
}

bool begins_sentence(std::string_view rest) {
    const char32_t c = first_character(rest).character;
    if (c < 128)
        return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '"' || c == '\'' ||
               c == '(' || c == '[';
    return (code_point_properties(c) &
            (CodePoint::upper_case | CodePoint::punctuation | CodePoint::chinese)) != 0;
}

std::size_t skip_closing(std::string_view text, std::size_t at) {
    for (bool found = true; found && at < text.size();) {
        const auto mark = std::find_if(closing.begin(), closing.end(), [&](std::string_view m) {
            return text.substr(at).starts_with(m);
        });
        found = mark != closing.end();
        if (found) at += mark->size();
    }
    return at;
}

std::size_t skip_dash(std::string_view text, std::size_t at) {
    if (text.substr(at).starts_with("—")) return at + std::string_view{"—"}.size();
    std::size_t end = at;
    while (end < text.size() && text[end] == '-')
        ++end;
    return end >= at + 2 ? end : at;  // one alone is a hyphen
}

// Where the sentence ends whose stop is at `stop`; 0: it goes on.
std::size_t end_of_sentence(std::string_view text, std::size_t stop) {
    std::size_t end = stop;
    while (end < text.size() && is_stop(text[end]))
        ++end;
    const bool one_point = end == stop + 1 && text[stop] == '.';
    end = skip_closing(text, end);
    const std::size_t dash = skip_dash(text, end);
    const std::size_t next = text.find_first_not_of(' ', dash);
    if (next == std::string_view::npos) return text.size();
    if (next == end || !begins_sentence(text.substr(next))) return 0;
    if (one_point && is_abbreviation(word_before(text, stop), text[next])) return 0;
    return dash;
}

// Runs of white space to one blank, none at the ends, and no marks of italics.
std::string tidy(std::string_view paragraph) {
    std::string text;
    for (const char c : paragraph) {
        const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
        if (c == '_' || (blank && (text.empty() || text.back() == ' '))) continue;
        text += blank ? ' ' : c;
    }
    if (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
}

}  // namespace

std::vector<std::string> split_sentences(std::string_view paragraph) {
    const std::string text = tidy(paragraph);
    std::vector<std::string> sentences;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size();) {
        if (!is_stop(text[i])) {
            ++i;
            continue;
        }
        const std::size_t end = end_of_sentence(text, i);
        while (i < text.size() && is_stop(text[i]))
            ++i;
        if (end == 0) continue;
        sentences.push_back(text.substr(begin, end - begin));
        begin = std::min(text.find_first_not_of(' ', end), text.size());
        i = begin;
    }
    if (begin < text.size()) sentences.push_back(text.substr(begin));
    return sentences;
}

}  // namespace bert
