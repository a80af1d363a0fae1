#include "ch12_wordpiece/word_counts.hpp"

#include <omp.h>

#include <exception>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "ch12_wordpiece/text_blocks.hpp"
#include "ch12_wordpiece/word_cutter.hpp"
#include "common/io/file_error.hpp"

namespace bert {

namespace {

constexpr std::size_t blocks_at_once = 16;

struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
        return std::hash<std::string_view>{}(text);
    }
};

// What one thread has counted.
struct Share {
    std::unordered_map<std::string, std::uint64_t, TextHash, std::equal_to<>> words;
    std::uint64_t too_long = 0;
};

void add_words(Share& share, std::string_view block, const WordCutter& cutter) {
    cutter.for_each_word(block, [&share](const CutWord& word) {
        if (word.special >= 0) return;
        if (word.too_long) {
            ++share.too_long;
            return;
        }
        const auto found = share.words.find(word.letters);
        if (found != share.words.end()) {
            ++found->second;
        } else {
            share.words.emplace(word.letters, 1);
        }
    });
}

void count_blocks(std::vector<Share>& shares, const std::vector<std::string>& blocks,
                  const WordCutter& cutter) {
    std::exception_ptr error;
#pragma omp parallel for schedule(dynamic) if (blocks.size() > 1)
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        try {
            add_words(shares[static_cast<std::size_t>(omp_get_thread_num())], blocks[i], cutter);
        } catch (...) {
#pragma omp critical(bert_count_blocks)
            error = std::current_exception();
        }
    }
    if (error) std::rethrow_exception(error);
}

std::vector<std::string> next_blocks(TextBlocks& file) {
    std::vector<std::string> blocks;
    while (blocks.size() < blocks_at_once) {
        std::optional<std::string> block = file.next();
        if (!block) break;
        blocks.push_back(*std::move(block));
    }
    return blocks;
}

CorpusWords sum(const std::vector<Share>& shares) {
    CorpusWords result;
    for (const Share& share : shares) {
        for (const auto& [word, count] : share.words)
            result.words[word] += count;
        result.too_long += share.too_long;
    }
    return result;
}

std::uint64_t total_size(const std::vector<std::string>& paths) {
    std::uint64_t total = 0;
    for (const std::string& path : paths)
        total += InputFile{path}.size();
    return total;
}

void require_words(const CorpusWords& corpus, const std::vector<std::string>& paths) {
    if (!corpus.words.empty()) return;
    const std::size_t more = paths.size() - 1;
    throw FileError{paths.front() + (more > 0 ? " and " + std::to_string(more) + " more" : ""),
                    "file", "the corpus has no words", "0 usable words", "at least 1"};
}

}  // namespace

CorpusWords count_words(const std::vector<std::string>& paths, const TokenizerOptions& options,
                        const CountingProgress& progress) {
    if (paths.empty()) throw std::invalid_argument{"count_words: no files (expected at least 1)"};
    const std::uint64_t total = total_size(paths);
    const WordCutter cutter{options};
    std::vector<Share> shares(static_cast<std::size_t>(omp_get_max_threads()));
    std::uint64_t done = 0;
    std::uint64_t bad_utf8 = 0;
    for (const std::string& path : paths) {
        TextBlocks file{path};
        for (;;) {
            const std::vector<std::string> blocks = next_blocks(file);
            if (blocks.empty()) break;
            count_blocks(shares, blocks, cutter);
            for (const std::string& block : blocks)
                done += block.size();
            if (progress) progress(done, total, path);
        }
        bad_utf8 += file.bad_utf8();
    }
    CorpusWords corpus = sum(shares);
    require_words(corpus, paths);
    corpus.bytes = done;
    corpus.bad_utf8 = bad_utf8;
    return corpus;
}

}  // namespace bert
