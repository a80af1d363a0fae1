#include "ch15_pretraining/pretraining_data.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "ch15_pretraining/pretraining_data_format.hpp"
#include "common/io/file_error.hpp"
#include "common/io/file_kind.hpp"
#include "common/io/little_endian.hpp"

namespace bert {

namespace {

using namespace data_file;

std::uint32_t number_at(std::string_view bytes, std::size_t begin, std::size_t i = 0) {
    return get_little_endian<std::uint32_t>(bytes.substr(begin + number_bytes * i, number_bytes));
}

std::uint64_t long_number_at(std::string_view bytes, std::size_t begin) {
    return get_little_endian<std::uint64_t>(bytes.substr(begin, sizeof(std::uint64_t)));
}

void require_magic(const std::string& path, std::string_view bytes) {
    if (!bytes.starts_with(magic)) {
        const std::string kind = file_kind(bytes);
        throw FileError{path, "byte 0", "not a file of pre-training examples",
                        kind.empty() ? "another beginning" : kind,
                        fmt::format("{}, as bert make-data writes it", magic)};
    }
    if (bytes.size() < head_bytes + end_bytes) {
        throw FileError{path, "file", "too short for examples",
                        fmt::format("{} bytes", bytes.size()),
                        fmt::format("at least {}", head_bytes + end_bytes)};
    }
    const auto found = number_at(bytes, magic.size());
    if (found != version) {
        throw FileError{path, fmt::format("byte {}", magic.size()), "unknown version",
                        fmt::format("{}", found), fmt::format("{}", version)};
    }
}

// The sum of bytes, which give their memory back.
void add_bytes(Sha256& sum, std::string_view bytes) {
    constexpr std::size_t part = std::size_t{1} << 22;
    for (std::size_t at = 0; at < bytes.size(); at += part) {
        const std::string_view some = bytes.substr(at, part);
        sum.add(some);
        release_mapped_pages(some.data(), some.size());
    }
}

std::string hexadecimal(std::string_view bytes) {
    std::string digits;
    for (const char byte : bytes)
        digits += fmt::format("{:02x}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    return digits;
}

}  // namespace

PretrainingData::PretrainingData(const std::string& path)
    : file_(std::make_shared<const MappedFile>(path)) {
    require_magic(path, file_->bytes());
    check_sum();
    read_end();
    check_index();
    file_->require_intact();
}

void PretrainingData::check_sum() {
    const std::string_view bytes = file_->bytes();
    const std::string_view stored = bytes.substr(bytes.size() - sum_bytes);
    Sha256 sum;
    add_bytes(sum, bytes.substr(0, bytes.size() - sum_bytes));
    Sha256 whole = sum;
    const std::string found = sum.digits();
    if (found != hexadecimal(stored)) {
        throw FileError{path(), "SHA-256", "the file is damaged or was cut short", found,
                        hexadecimal(stored)};
    }
    whole.add(stored);
    sha256_ = whole.digits();
}

void PretrainingData::read_end() {
    const std::string_view bytes = file_->bytes();
    const std::size_t end = bytes.size() - end_bytes;
    const std::uint64_t index = long_number_at(bytes, end);
    const std::uint64_t facts = long_number_at(bytes, end + sizeof(std::uint64_t));
    if (index < head_bytes || index > facts || facts > end || (facts - index) % 8 != 0) {
        throw FileError{path(), fmt::format("byte {}", end), "index and facts do not fit the file",
                        fmt::format("{} and {}", index, facts),
                        fmt::format("places in {} to {}, a multiple of 8 apart", head_bytes, end)};
    }
    index_begin_ = index;
    facts_begin_ = facts;
    if (size() == 0) throw FileError{path(), "index", "no example", "0", "at least 1"};
    facts_ = parse_facts(path(), bytes.substr(facts_begin_, end - facts_begin_));
}

// Each example ends where the next one begins: length() and example() stay inside the file.
void PretrainingData::check_index() const {
    const std::string_view bytes = file_->bytes();
    std::uint64_t at = head_bytes;
    for (std::size_t i = 0; i < size(); ++i) {
        const std::uint64_t begin = begin_of(i);
        std::uint64_t end = std::numeric_limits<std::uint64_t>::max();
        if (begin == at && index_begin_ - at >= number_bytes * example_head_numbers) {
            const std::uint64_t tokens = number_at(bytes, begin);
            const std::uint64_t chosen = number_at(bytes, begin, 3);
            end = begin + number_bytes * (example_head_numbers + tokens + 2 * chosen);
        }
        if (end > index_begin_) {
            throw FileError{path(), fmt::format("index[{}]", i), "no example is there",
                            fmt::format("byte {}", begin),
                            fmt::format("byte {}, and its end by {}", at, index_begin_)};
        }
        at = end;
    }
    if (at == index_begin_) return;
    throw FileError{path(), fmt::format("byte {}", at), "bytes of no example",
                    fmt::format("{}", index_begin_ - at), "0"};
}

std::size_t PretrainingData::size() const {
    return (facts_begin_ - index_begin_) / sizeof(std::uint64_t);
}

std::uint64_t PretrainingData::begin_of(std::size_t i) const {
    if (i >= size()) {
        throw std::invalid_argument{
            fmt::format("PretrainingData: example (found {}, expected below {})", i, size())};
    }
    return long_number_at(file_->bytes(), index_begin_ + i * sizeof(std::uint64_t));
}

std::size_t PretrainingData::length(std::size_t i) const {
    return number_at(file_->bytes(), begin_of(i));
}

}  // namespace bert
