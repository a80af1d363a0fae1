// Unsigned numbers as bytes, the lowest first, on every machine.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace bert {

/// The number in the first sizeof(T) bytes, which must be there.
template <std::unsigned_integral T>
constexpr T get_little_endian(std::string_view bytes) {
    T x = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        x = static_cast<T>(
            x | static_cast<T>(static_cast<T>(static_cast<unsigned char>(bytes[i])) << (8 * i)));
    }
    return x;
}

template <std::unsigned_integral T>
void append_little_endian(std::string& bytes, T x) {
    char parts[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        parts[i] = static_cast<char>(static_cast<unsigned char>(x >> (8 * i) & 0xFFU));
    }
    bytes.append(parts, sizeof(T));
}

}  // namespace bert
