#include "ch12_wordpiece/training_words.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ch12_wordpiece/word_cutter.hpp"
#include "common/cli/program.hpp"

namespace bert {

namespace {

struct CountedWord {
    std::vector<std::string> characters;
    std::uint64_t count;
};

void require_word(const std::string& word) {
    if (!word.empty() && !word.starts_with(continuation_mark)) return;
    throw std::invalid_argument{
        "training_words: a word that the tokenizer does not make (found \"" + printable(word) +
        "\", expected text that does not start with ##)"};
}

std::vector<CountedWord> cut_words(const WordCounts& words, TrainingWords& result) {
    std::vector<CountedWord> cut;
    for (const auto& [word, count] : words) {
        require_word(word);
        CountedWord next{characters_of(word), count};
        const std::size_t length = next.characters.size();
        if (length > most_word_characters) {
            ++result.too_long;
        } else if (count > 0) {
            if (count > (most_places - result.places) / length) {
                throw std::invalid_argument{"training_words: more than 2^40 characters"};
            }
            result.places += count * length;
            cut.push_back(std::move(next));
        }
    }
    return cut;
}

// A set, so that the alphabet is sorted.
std::set<std::string> frequent_characters(const std::vector<CountedWord>& words, std::size_t most,
                                          TrainingWords& result) {
    std::map<std::string, std::uint64_t> counts;
    for (const CountedWord& word : words) {
        for (const std::string& character : word.characters)
            counts[character] += word.count;
    }
    std::vector<std::pair<std::string, std::uint64_t>> order(counts.begin(), counts.end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::set<std::string> kept;
    for (std::size_t i = 0; i < std::min(order.size(), most); ++i)
        kept.insert(order[i].first);
    result.rare_characters = order.size() - kept.size();
    return kept;
}

std::vector<std::string> alphabet_of(const std::vector<CountedWord>& words,
                                     const std::set<std::string>& kept) {
    std::set<std::string> continuing;
    for (const CountedWord& word : words) {
        if (word.characters.size() == 1) continue;
        for (const std::string& character : word.characters) {
            if (kept.contains(character)) continuing.insert(character);
        }
    }
    std::vector<std::string> alphabet(kept.begin(), kept.end());
    for (const std::string& character : continuing)
        alphabet.push_back(std::string{continuation_mark} + character);
    return alphabet;
}

}  // namespace

TrainingWords training_words(const WordCounts& words, std::size_t most_characters) {
    TrainingWords result;
    const std::vector<CountedWord> cut = cut_words(words, result);
    const std::set<std::string> kept = frequent_characters(cut, most_characters, result);
    result.alphabet = alphabet_of(cut, kept);
    std::unordered_map<std::string, PieceNumber> number;
    for (const std::string& piece : result.alphabet)
        number.emplace(piece, static_cast<PieceNumber>(number.size()));
    for (const CountedWord& word : cut) {
        std::vector<PieceNumber> pieces;
        for (const std::string& character : word.characters) {
            const std::string mark{pieces.empty() ? "" : continuation_mark};
            const auto found = number.find(mark + character);
            if (found == number.end()) break;
            pieces.push_back(found->second);
        }
        if (pieces.size() < word.characters.size()) continue;  // holds a rare character
        result.words.push_back(std::move(pieces));
        result.counts.push_back(word.count);
    }
    return result;
}

}  // namespace bert
