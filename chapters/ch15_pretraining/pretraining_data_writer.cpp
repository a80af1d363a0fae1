#include <stdexcept>

#include "ch15_pretraining/pretraining_data.hpp"
#include "ch15_pretraining/pretraining_data_format.hpp"
#include "common/io/little_endian.hpp"

namespace bert {

namespace {

constexpr std::size_t bytes_at_once = std::size_t{1} << 18;

void append_u32(std::string& bytes, std::size_t x) {
    append_little_endian(bytes, static_cast<std::uint32_t>(x));
}

void append_example(std::string& bytes, const PretrainingExample& example) {
    append_u32(bytes, example.tokens.size());
    append_u32(bytes, example.first_length);
    append_u32(bytes, example.is_random_next ? 1 : 0);
    append_u32(bytes, example.positions.size());
    for (const TokenId token : example.tokens)
        append_u32(bytes, static_cast<std::size_t>(token));
    for (const std::uint32_t position : example.positions)
        append_u32(bytes, position);
    for (const TokenId token : example.replacements)
        append_u32(bytes, static_cast<std::size_t>(token));
}

std::string digits_to_bytes(const std::string& digits) {
    std::string bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2)
        bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    return bytes;
}

}  // namespace

PretrainingDataWriter::PretrainingDataWriter(const std::string& path)
    : file_(path), begins_(scratch_folder_beside(path)) {
    std::string head{data_file::magic};
    append_little_endian(head, data_file::version);
    write(head);
}

void PretrainingDataWriter::write(std::string_view bytes) {
    waiting_ += bytes;
    written_ += bytes.size();
    if (waiting_.size() < bytes_at_once) return;
    sum_.add(waiting_);
    file_.write(waiting_);
    waiting_.clear();
}

void PretrainingDataWriter::add(const PretrainingExample& example) {
    const bool fits =
        example.positions.size() == example.replacements.size() &&
        example.first_length <= example.tokens.size() &&
        (example.positions.empty() || example.positions.back() < example.tokens.size());
    if (!fits)
        throw std::invalid_argument{"PretrainingDataWriter: positions that do not fit the example"};
    begins_.add(written_);
    std::string bytes;
    append_example(bytes, example);
    write(bytes);
}

void PretrainingDataWriter::commit(const PretrainingFacts& facts) {
    require_facts(facts);
    const std::uint64_t index_begin = written_;
    for (const std::uint64_t begin : begins_.map()) {
        std::string bytes;
        append_little_endian(bytes, begin);
        write(bytes);
    }
    const std::uint64_t facts_begin = written_;
    std::string end = facts_json(facts);
    append_little_endian(end, index_begin);
    append_little_endian(end, facts_begin);
    write(end);
    sum_.add(waiting_);
    file_.write(waiting_);
    file_.write(digits_to_bytes(sum_.digits()));
    file_.commit();
}

}  // namespace bert
