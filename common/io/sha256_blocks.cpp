#include "common/io/sha256_blocks.hpp"

#include <bit>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace bert {

namespace {

// The first 32 bits of the fractions of the cube roots of the first 64 primes.
alignas(16) constexpr std::array<std::uint32_t, 64> round_constants{
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2};

std::uint32_t big_endian(const unsigned char* bytes) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4; ++i)
        word = word << 8 | bytes[i];
    return word;
}

void add_block(Sha256State& state, const unsigned char* block) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 16; ++i)
        w[i] = big_endian(block + 4 * i);
    for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t s0 =
            std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
        const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const std::uint32_t choice = (e & f) ^ (~e & g);
        const std::uint32_t first = h + s1 + choice + round_constants[i] + w[i];
        const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + s0 + majority;
    }
    const Sha256State added{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state.size(); ++i)
        state[i] += added[i];
}

#if defined(__x86_64__)

// Leaf 7 of CPUID: bit 29 of EBX are the SHA instructions. Leaf 1: bit 19 of ECX is SSE 4.1.
bool has_sha_instructions() {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (b >> 29 & 1U) == 0) return false;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c >> 19 & 1U) != 0;
}

__m128i vector_of(std::uint32_t x3, std::uint32_t x2, std::uint32_t x1, std::uint32_t x0) {
    return _mm_set_epi32(static_cast<int>(x3), static_cast<int>(x2), static_cast<int>(x1),
                         static_cast<int>(x0));
}

// The instructions keep a, b, e, f in one register and c, d, g, h in another, and do two rounds.
__attribute__((target("sha,sse4.1"))) void add_blocks_by_instructions(Sha256State& state,
                                                                      const unsigned char* bytes,
                                                                      std::size_t blocks) {
    const __m128i turn_bytes = _mm_set_epi64x(0x0C0D0E0F08090A0B, 0x0405060700010203);
    __m128i abef = vector_of(state[0], state[1], state[4], state[5]);
    __m128i cdgh = vector_of(state[2], state[3], state[6], state[7]);
    for (; blocks > 0; --blocks, bytes += sha256_block_bytes) {
        const __m128i abef_before = abef;
        const __m128i cdgh_before = cdgh;
        __m128i w[16];
        for (int i = 0; i < 16; ++i) {
            if (i < 4) {
                w[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes) + i);
                w[i] = _mm_shuffle_epi8(w[i], turn_bytes);
            } else {
                const __m128i back_seven = _mm_alignr_epi8(w[i - 1], w[i - 2], 4);
                w[i] = _mm_add_epi32(_mm_sha256msg1_epu32(w[i - 4], w[i - 3]), back_seven);
                w[i] = _mm_sha256msg2_epu32(w[i], w[i - 1]);
            }
            const __m128i constants =
                _mm_load_si128(reinterpret_cast<const __m128i*>(round_constants.data() + 4 * i));
            const __m128i sum = _mm_add_epi32(w[i], constants);
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    alignas(16) std::array<std::uint32_t, 4> first{};
    alignas(16) std::array<std::uint32_t, 4> second{};
    _mm_store_si128(reinterpret_cast<__m128i*>(first.data()), abef);
    _mm_store_si128(reinterpret_cast<__m128i*>(second.data()), cdgh);
    state = {first[3], first[2], second[3], second[2], first[1], first[0], second[1], second[0]};
}

#endif

}  // namespace

void add_sha256_blocks(Sha256State& state, const unsigned char* bytes, std::size_t blocks) {
    for (std::size_t i = 0; i < blocks; ++i)
        add_block(state, bytes + i * sha256_block_bytes);
}

bool add_sha256_blocks_fast(Sha256State& state, const unsigned char* bytes, std::size_t blocks) {
#if defined(__x86_64__)
    static const bool there = has_sha_instructions();
    if (there) add_blocks_by_instructions(state, bytes, blocks);
    return there;
#else
    static_cast<void>(state), static_cast<void>(bytes), static_cast<void>(blocks);
    return false;
#endif
}

}  // namespace bert
