#include <charconv>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/utf8.hpp"
#include "common/text/lenient_utf8.hpp"
#include "common/text/unicode.hpp"
#include "common/text/unicode_exceptions.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

namespace {

// A line of data/golden/ch12_code_points.txt: code points that are alike.
struct Range {
    char32_t first;
    char32_t last;
    std::uint8_t properties;
    int combining;
    std::string lower;          // difference, or code points with + between
    std::string decomposition;  // "-", "hangul" or code points with + between
};

std::u32string points_of(std::string_view text) {
    std::u32string points;
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find('+'));
        text.remove_prefix(std::min(text.size(), one.size() + 1));
        std::uint32_t value = 0;
        std::from_chars(one.data(), one.data() + one.size(), value, 16);
        points += static_cast<char32_t>(value);
    }
    return points;
}

std::vector<Range> golden_ranges() {
    std::ifstream file{std::string{BERT_SOURCE_DIR} + "/data/golden/ch12_code_points.txt"};
    std::vector<Range> ranges;
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream fields{line};
        std::string first, last, letters, combining, lower, decomposition;
        fields >> first >> last >> letters >> combining >> lower >> decomposition;
        unsigned properties = 0;
        for (const char letter : letters) {
            if (letter == 'r') properties |= CodePoint::control;
            if (letter == 's') properties |= CodePoint::whitespace;
            if (letter == 'c') properties |= CodePoint::chinese;
            if (letter == 'p') properties |= CodePoint::punctuation;
            if (letter == 'm') properties |= CodePoint::nonspacing_mark;
        }
        ranges.push_back({points_of(first)[0], points_of(last)[0],
                          static_cast<std::uint8_t>(properties), std::stoi(combining), lower,
                          decomposition});
    }
    return ranges;
}

std::u32string decomposition_of(char32_t c) {
    std::u32string text;
    append_decomposition(text, c);
    return text;
}

// Unicode's formula: 19 initial consonants, 21 vowels, 27 final consonants or none.
std::u32string hangul(char32_t c) {
    const char32_t i = c - 0xAC00;
    std::u32string parts = {0x1100 + i / 588, 0x1161 + i % 588 / 28};
    if (i % 28 != 0) parts += 0x11A7 + i % 28;
    return parts;
}

// What the golden says of a code point, as text; empty where all agrees.
std::string difference(const Range& range, char32_t c) {
    constexpr unsigned compared = CodePoint::whitespace | CodePoint::control | CodePoint::chinese |
                                  CodePoint::punctuation | CodePoint::nonspacing_mark;
    const bool whole = range.decomposition == "-";
    const std::u32string expected = whole ? std::u32string{c}
                                    : range.decomposition == "hangul"
                                        ? hangul(c)
                                        : points_of(range.decomposition);
    // Only U+0130 has two.
    const char32_t lower =
        c == 0x130 ? U'i' : static_cast<char32_t>(static_cast<long>(c) + std::stol(range.lower));
    // A mark that decomposes goes with its parts.
    const unsigned properties = code_point_properties(c) & compared &
                                (whole ? 0xFFU : ~unsigned{CodePoint::nonspacing_mark});
    if (properties != range.properties) return "properties";
    if (decomposition_of(c) != expected) return "decomposition";
    if (whole && combining_class(c) != range.combining) return "combining class";
    return lower_case_of(c) == lower ? "" : "lower case";
}

}  // namespace

TEST_CASE("code_point_properties: every code point is what Hugging Face takes it for", "[common]") {
    std::size_t count = 0;
    char32_t next = 0;
    for (const Range& range : golden_ranges()) {
        // Only surrogates are left out.
        if (range.first != next) CHECK((next <= 0xD800 && range.first == 0xE000));
        for (char32_t c = range.first; c <= range.last; ++c, ++count) {
            const std::string what = difference(range, c);
            if (!what.empty()) FAIL_CHECK(what << " of U+" << std::hex << std::uint32_t{c});
        }
        next = range.last + 1;
    }
    CHECK(count == 1'112'064);
}

TEST_CASE("code_point_properties: nothing beyond Unicode", "[common]") {
    CHECK(code_point_properties(0xD800) == 0);
    CHECK(code_point_properties(0xDFFF) == 0);
    CHECK(code_point_properties(0x110000) == 0);
    CHECK(code_point_properties(0xFFFFFFFF) == 0);
    CHECK(combining_class(0x110000) == 0);
    CHECK(lower_case_of(0x110000) == 0x110000);
    CHECK(decomposition_of(0x110000) == std::u32string{0x110000});
}

TEST_CASE("append_decomposition: in full", "[common]") {
    CHECK(decomposition_of(U'a') == U"a");
    CHECK(decomposition_of(0x1DC) == U"u\u0308\u0300");  // in two steps
    CHECK(decomposition_of(0xFB01) == U"\uFB01");        // a ligature is no accent
    CHECK(decomposition_of(0xAC01) == U"\u1100\u1161\u11A8");
}

// The largest subparts: The Unicode Standard, section 3.9, table 3-8.
TEST_CASE("first_character: a bad part is as long as it could become a character", "[common]") {
    const auto parts = [](std::string_view text) {
        std::vector<std::size_t> lengths;
        for (; !text.empty(); text.remove_prefix(lengths.back())) {
            const Utf8Character next = first_character(text);
            CHECK(next.bad);
            CHECK(next.character == replacement_character);
            lengths.push_back(next.bytes);
        }
        return lengths;
    };
    using Lengths = std::vector<std::size_t>;
    CHECK(parts("\x80") == Lengths{1});
    CHECK(parts("\xFE\xFF") == Lengths{1, 1});
    CHECK(parts("\xC0\xAF") == Lengths{1, 1});
    CHECK(parts("\xE0\x80\x80") == Lengths{1, 1, 1});
    CHECK(parts("\xED\xA0\x80") == Lengths{1, 1, 1});
    CHECK(parts("\xF0\x80\x80\x80") == Lengths{1, 1, 1, 1});
    CHECK(parts("\xF4\x90\x80\x80") == Lengths{1, 1, 1, 1});
    CHECK(parts("\xF0\x9F") == Lengths{2});
    CHECK(parts("\xF0\x9F\x98\xF0\x9F") == Lengths{3, 2});
    CHECK(parts("\xE2\x82\xC3") == Lengths{2, 1});
    CHECK(count_bad_utf8("a\xE2\x82") == 1);
    CHECK(count_bad_utf8("é\xFF\xFE字") == 2);
    CHECK(count_bad_utf8("") == 0);
}

TEST_CASE("first_character: every code point comes back", "[common]") {
    std::string text;
    for (char32_t c = 0; c < 0x110000; ++c)
        append_utf8(text, c);
    std::string_view rest = text;
    std::size_t wrong = 0;
    for (char32_t c = 0; c < 0x110000; ++c) {
        if (c == 0xD800) c = 0xE000;
        const Utf8Character next = first_character(rest);
        if (next.bad || next.character != c) ++wrong;
        rest.remove_prefix(next.bytes);
    }
    CHECK(wrong == 0);
    CHECK(rest.empty());
    CHECK(count_bad_utf8(text) == 0);
}

// Whether text is UTF-8 is said twice in the project, by rules written apart.
TEST_CASE("count_bad_utf8: is 0 where utf8_to_code_points accepts", "[common]") {
    std::size_t wrong = 0;
    for (unsigned n = 0; n < 0x1000000; n += n < 0xC00000 ? 251 : 17) {
        std::string text;
        for (const unsigned shift : {16U, 8U, 0U})
            text += static_cast<char>(n >> shift & 0xFF);
        if ((count_bad_utf8(text) == 0) != utf8_to_code_points(text).has_value()) ++wrong;
    }
    CHECK(wrong == 0);
}

TEST_CASE("unicode_exceptions: ranges are in order", "[common]") {
    const UnicodeExceptions& all = unicode_exceptions();
    for (const auto ranges : {all.plain, all.not_marks, all.marks, all.punctuation}) {
        REQUIRE_FALSE(ranges.empty());
        for (std::size_t i = 0; i < ranges.size(); ++i) {
            CHECK(ranges[i].first <= ranges[i].last);
            if (i > 0) CHECK(ranges[i - 1].last < ranges[i].first);
        }
    }
    for (std::size_t i = 1; i < all.lower.size(); ++i)
        CHECK(all.lower[i - 1].from < all.lower[i].from);
}
