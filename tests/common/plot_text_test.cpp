#include <string>

#include "common/plot/ticks.hpp"
#include "common/plot/visible_text.hpp"
#include "tests/support/catch.hpp"

using bert::visible_text;

namespace {

std::string labels(const std::vector<bert::Tick>& ticks) {
    std::string text;
    for (const bert::Tick& tick : ticks)
        text += (text.empty() ? "" : " ") + tick.label;
    return text;
}

}  // namespace

TEST_CASE("visible_text: controls and direction marks are written out", "[plot]") {
    CHECK(visible_text("a\x1b[31m\n") == "a\\x1B[31m\\x0A");
    CHECK(visible_text(std::string(1, '\0')) == "\\x00");
    CHECK(visible_text("\u0085\u009b") == "\\x85\\x9B");
    CHECK(visible_text("x\u202ey\u2066\u200b") == "x\\u202Ey\\u2066\\u200B");
    CHECK(visible_text("\uffff\ufeff") == "\\uFFFF\\uFEFF");
    CHECK(visible_text("##ing 猫 é 😀") == "##ing 猫 é 😀");
}

TEST_CASE("visible_text: bytes that are not UTF-8 become question marks", "[plot]") {
    CHECK(visible_text("a\xff"
                       "b") == "a?b");
    CHECK(visible_text("\xe7\x8c") == "??");            // cut short
    CHECK(visible_text("\xc0\xaf") == "??");            // overlong
    CHECK(visible_text("\xed\xa0\x80") == "???");       // a surrogate
    CHECK(visible_text("\xf4\x90\x80\x80") == "????");  // above U+10FFFF
}

TEST_CASE("visible_ascii: every other character is one question mark", "[plot]") {
    CHECK(bert::visible_ascii("猫x\xff\x07") == "?x?\\x07");
}

TEST_CASE("display_width: wide characters take two columns and marks none", "[plot]") {
    CHECK(bert::display_width("abc") == 3);
    CHECK(bert::display_width("猫") == 2);
    CHECK(bert::display_width("e\u0301") == 1);
    CHECK(bert::letters_of("e\u0301猫").size() == 2);
}

TEST_CASE("shortened: text is cut to fit with its mark", "[plot]") {
    CHECK(bert::shortened("attention", 9, "...") == "attention");
    CHECK(bert::shortened("attention", 8, "...") == "atten...");
    CHECK(bert::shortened("猫猫猫", 5, "…") == "猫猫…");
    CHECK(bert::shortened("猫猫猫", 4, "…") == "猫…");
    CHECK(bert::shortened("abc", 2, "...").empty());
}

TEST_CASE("linear_ticks: steps are 1 or 2 or 5 times a power of ten", "[plot]") {
    CHECK(labels(bert::linear_ticks(0.0, 1.0, 5)) == "0.0 0.2 0.4 0.6 0.8 1.0");
    CHECK(labels(bert::linear_ticks(-1.0, 1.0, 4)) == "-1.0 -0.5 0.0 0.5 1.0");
    CHECK(labels(bert::linear_ticks(0.03, 0.18, 4)) == "0.05 0.10 0.15");
    CHECK(labels(bert::linear_ticks(0.0, 9980.0, 5)) == "0 2000 4000 6000 8000");
    CHECK(labels(bert::linear_ticks(0.0, 4e-8, 4)) == "0 1e-08 2e-08 3e-08 4e-08");
    CHECK(labels(bert::linear_ticks(0.0, 2e7, 2)) == "0 1e+07 2e+07");
}

TEST_CASE("linear_ticks: an axis without a width has none", "[plot]") {
    CHECK(bert::linear_ticks(1.0, 1.0, 5).empty());
    CHECK(bert::linear_ticks(2.0, 1.0, 5).empty());
    CHECK(bert::linear_ticks(-1e308, 1e308, 5).empty());
    CHECK(bert::linear_ticks(1e20, 1e20 + 65536.0, 5).empty());
    CHECK(bert::linear_ticks(0.0, 5e-324, 5).size() <= 10);
}

TEST_CASE("log_ticks: powers of ten or finer where they are few", "[plot]") {
    CHECK(labels(bert::log_ticks(0.01, 10.0, 6)) == "0.01 0.1 1 10");
    CHECK(labels(bert::log_ticks(0.05, 5.0, 6)) == "0.05 0.1 0.2 0.5 1 2 5");
    CHECK(labels(bert::log_ticks(1e-12, 1.0, 4)) == "1e-12 1e-09 1e-06 0.001 1");
    CHECK(bert::log_ticks(0.0, 1.0, 4).empty());
}

TEST_CASE("number_label: fixed decimals up to a million", "[plot]") {
    CHECK(bert::number_label(0.125, 2) == "0.12");
    CHECK(bert::number_label(-0.0001, 2) == "0.00");
    CHECK(bert::number_label(1e300, 2) == "1.00e+300");
    CHECK(bert::number_label(1.0, 1000) == "1.000000000");
    CHECK(bert::number_label(1.0, -5) == "1");
}
