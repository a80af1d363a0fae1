#include <fmt/core.h>

#include "ch15_pretraining/pretraining_data.hpp"
#include "ch15_pretraining/pretraining_data_format.hpp"
#include "common/io/file_error.hpp"
#include "common/io/little_endian.hpp"

namespace bert {

namespace {

/// The numbers of an example, in their order.
class Numbers {
  public:
    explicit Numbers(std::string_view bytes) : bytes_(bytes) {}

    std::uint32_t next() {
        constexpr std::size_t width = data_file::number_bytes;
        if (bytes_.size() < width) return 0;  // cut short: require_intact() tells
        const auto x = get_little_endian<std::uint32_t>(bytes_.substr(0, width));
        bytes_.remove_prefix(width);
        return x;
    }

    bool hold(std::size_t count) const { return bytes_.size() / data_file::number_bytes >= count; }

  private:
    std::string_view bytes_;
};

std::string fault_of_ids(const std::vector<TokenId>& ids, std::size_t vocab_size) {
    for (const TokenId id : ids)
        if (id < 0 || static_cast<std::size_t>(id) >= vocab_size)
            return fmt::format("token (found {}, expected 0 to {})", id, vocab_size - 1);
    return "";
}

std::string fault_of_positions(const PretrainingExample& example) {
    std::uint64_t lowest = 0;
    for (const std::uint32_t position : example.positions) {
        if (position < lowest || position >= example.tokens.size()) {
            return fmt::format("position (found {}, expected {} to {})", position, lowest,
                               example.tokens.size() - 1);
        }
        lowest = std::uint64_t{position} + 1;
    }
    return "";
}

// Empty: as it should be.
std::string fault_of(const PretrainingExample& example, std::uint32_t kind,
                     const PretrainingFacts& facts) {
    const std::size_t length = example.tokens.size();
    if (length < least_example_length || length > facts.max_length)
        return fmt::format("tokens (found {}, expected {} to {})", length, least_example_length,
                           facts.max_length);
    if (example.first_length < 3 || example.first_length + 2 > length)
        return fmt::format("tokens of [CLS] A [SEP] (found {}, expected 3 to {})",
                           example.first_length, length - 2);
    if (kind > 1) return fmt::format("random next (found {}, expected 0 or 1)", kind);
    const std::size_t most = facts.dynamic_masking ? 0 : facts.masking.max_predictions;
    if (example.positions.size() > most)
        return fmt::format("chosen tokens (found {}, expected at most {})",
                           example.positions.size(), most);
    std::string fault = fault_of_ids(example.tokens, facts.vocab_size);
    if (fault.empty()) fault = fault_of_ids(example.replacements, facts.vocab_size);
    return fault.empty() ? fault_of_positions(example) : fault;
}

}  // namespace

PretrainingExample PretrainingData::example(std::size_t i) const {
    const std::size_t begin = begin_of(i);
    file_->require_intact();
    Numbers numbers{file_->bytes().substr(begin, index_begin_ - begin)};
    PretrainingExample example;
    const std::size_t length = numbers.next();
    example.first_length = numbers.next();
    const std::uint32_t kind = numbers.next();
    example.is_random_next = kind == 1;
    const std::size_t chosen = numbers.next();
    if (!numbers.hold(length + 2 * chosen)) {
        throw FileError{path(), fmt::format("example {}", i), "changed while it was read",
                        fmt::format("{} tokens", length), "as many as before"};
    }
    example.tokens.resize(length);
    for (TokenId& token : example.tokens)
        token = static_cast<TokenId>(numbers.next());
    example.positions.resize(chosen);
    for (std::uint32_t& position : example.positions)
        position = numbers.next();
    example.replacements.resize(chosen);
    for (TokenId& token : example.replacements)
        token = static_cast<TokenId>(numbers.next());
    file_->require_intact();
    const std::string fault = fault_of(example, kind, facts_);
    if (!fault.empty()) throw FileError{fmt::format("{}: example {}: {}", path(), i, fault)};
    return example;
}

}  // namespace bert
