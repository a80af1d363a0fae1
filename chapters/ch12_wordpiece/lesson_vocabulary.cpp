#include "ch12_wordpiece/lesson_vocabulary.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/io/data_file.hpp"
#include "common/io/file_error.hpp"
#include "common/io/input_file.hpp"

namespace bert {

namespace {

constexpr std::size_t published_size = 30522;

}  // namespace

WordPieceVocabulary mini_vocabulary() {
    return WordPieceVocabulary::read(data_file("vocab/mini.txt"));
}

WordPieceVocabulary published_excerpt() {
    const std::string path = data_file("vocab/published_excerpt.tsv");
    const std::string text = read_file(path, std::uint64_t{1} << 20);
    std::vector<std::string> tokens(published_size);
    for (std::size_t id = 0; id < tokens.size(); ++id)
        tokens[id] = "[other " + std::to_string(id) + "]";
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        const std::size_t tab = line.find('\t');
        std::size_t id = published_size;
        std::from_chars(line.data(), line.data() + std::min(tab, line.size()), id);
        if (tab == line.npos || id >= published_size)
            throw FileError{path, "tokens", "no id before the token",
                            std::string{line.substr(0, 40)},
                            "an id below 30522, a tab and a token"};
        tokens[id] = line.substr(tab + 1);
    }
    return WordPieceVocabulary{std::move(tokens)};
}

}  // namespace bert
