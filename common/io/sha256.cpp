#include "common/io/sha256.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "common/io/input_file.hpp"

namespace bert {

namespace {

void add_blocks(Sha256State& state, const unsigned char* bytes, std::size_t blocks) {
    if (!add_sha256_blocks_fast(state, bytes, blocks)) add_sha256_blocks(state, bytes, blocks);
}

}  // namespace

void Sha256::add(std::string_view bytes) {
    const std::size_t held = total_ % sha256_block_bytes;
    total_ += bytes.size();
    if (held > 0) {
        const std::size_t count = std::min(sha256_block_bytes - held, bytes.size());
        std::copy_n(bytes.begin(), count, waiting_.begin() + static_cast<std::ptrdiff_t>(held));
        bytes.remove_prefix(count);
        if (held + count < sha256_block_bytes) return;
        add_blocks(state_, waiting_.data(), 1);
    }
    const std::size_t blocks = bytes.size() / sha256_block_bytes;
    add_blocks(state_, reinterpret_cast<const unsigned char*>(bytes.data()), blocks);
    bytes.remove_prefix(blocks * sha256_block_bytes);
    std::copy(bytes.begin(), bytes.end(), waiting_.begin());
}

std::string Sha256::digits() {
    const std::uint64_t bits = total_ * 8;
    add("\x80");
    constexpr std::size_t before_length = sha256_block_bytes - 8;
    const std::size_t held = total_ % sha256_block_bytes;
    add(std::string((sha256_block_bytes + before_length - held) % sha256_block_bytes, '\0'));
    std::string length;
    for (int shift = 56; shift >= 0; shift -= 8)
        length += static_cast<char>(static_cast<unsigned char>(bits >> shift & 0xFFU));
    add(length);
    std::string text;
    for (const std::uint32_t word : state_)
        text += fmt::format("{:08x}", word);
    return text;
}

std::string sha256(std::string_view bytes) {
    Sha256 sum;
    sum.add(bytes);
    return sum.digits();
}

std::string sha256_of_file(const std::string& path) {
    constexpr std::uint64_t part = std::uint64_t{1} << 20;
    const InputFile file{path};
    Sha256 sum;
    for (std::uint64_t at = 0; at < file.size(); at += part)
        sum.add(file.read(at, std::min(part, file.size() - at)));
    return sum.digits();
}

}  // namespace bert
