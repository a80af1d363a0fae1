#include "ch09_translation/parallel_text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "ch09_translation/grammar_clause.hpp"
#include "common/io/file_error.hpp"
#include "common/io/input_file.hpp"
#include "common/io/utf8.hpp"

namespace bert {

namespace {

std::string sentence_of(const std::string& path, std::size_t number, std::string_view line) {
    const std::string where = "line " + std::to_string(number);
    if (!utf8_to_code_points(line)) {
        throw FileError{path, where, "cannot be read as text", "bytes that are not UTF-8", "UTF-8"};
    }
    const std::vector<std::string> words = words_of(std::string{line});
    for (const std::string& word : words) {
        const auto points = utf8_to_code_points(word);
        if (std::any_of(points->begin(), points->end(), is_control))
            throw FileError{path, where, "no line of text", "a control character", "words"};
    }
    if (words.empty()) {
        throw FileError{path, where, "a sentence of length zero", "no word", "at least one"};
    }
    return join(words);
}

std::string lines_in_words(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " line" : " lines");
}

}  // namespace

std::vector<std::string> words_of(const std::string& sentence) {
    constexpr std::string_view blanks = " \t\v\f\r\n";
    std::vector<std::string> words;
    std::size_t end = 0;
    for (;;) {
        const std::size_t begin = sentence.find_first_not_of(blanks, end);
        if (begin == std::string::npos) return words;
        end = std::min(sentence.find_first_of(blanks, begin), sentence.size());
        words.push_back(sentence.substr(begin, end - begin));
    }
}

std::vector<std::string> read_sentences(const std::string& path) {
    const std::string text = read_file(path, most_corpus_bytes);
    std::string_view rest = text;
    std::vector<std::string> sentences;
    while (!rest.empty()) {
        const std::size_t number = sentences.size() + 1;
        if (number > most_corpus_lines) {
            throw FileError{path, "line " + std::to_string(number), "the file is too long",
                            "more than " + lines_in_words(most_corpus_lines), "no more"};
        }
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        sentences.push_back(sentence_of(path, number, rest.substr(0, end)));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (sentences.empty()) {
        throw FileError{path, "file", "the corpus is empty", "0 lines", "at least 1"};
    }
    return sentences;
}

std::vector<SentencePair> read_parallel_text(const std::string& source_path,
                                             const std::string& target_path) {
    std::vector<std::string> sources = read_sentences(source_path);
    std::vector<std::string> targets = read_sentences(target_path);
    if (sources.size() != targets.size()) {
        throw FileError{target_path, "file", "is not a translation line by line of " + source_path,
                        lines_in_words(targets.size()), lines_in_words(sources.size())};
    }
    std::vector<SentencePair> pairs;
    for (std::size_t i = 0; i < sources.size(); ++i)
        pairs.push_back({std::move(sources[i]), std::move(targets[i])});
    return pairs;
}

}  // namespace bert
