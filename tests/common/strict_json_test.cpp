#include "common/io/strict_json.hpp"

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/io/file_error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace std::string_literals;
using bert::FileError;
using bert::JsonValue;
using bert::parse_json;

namespace {

std::string fault_of(const std::string& text) {
    try {
        parse_json("x.json", text);
    } catch (const FileError& e) {
        return e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("parse_json: a tree in the order of the text", "[common]") {
    const JsonValue value = parse_json(
        "x.json",
        R"( {"z": 768, "a": [1.5, -2, true, null, "\u00e9\n"], "o": {"p": {}, "q": []}} )");
    CHECK(value.keys() == std::vector<std::string>{"z", "a", "o"});
    CHECK(value.at("z").to_unsigned() == 768);
    CHECK(value.at("z").to_double() == 768);
    const std::vector<JsonValue>& items = value.at("a").items();
    REQUIRE(items.size() == 5);
    CHECK(items[0].to_double() == 1.5);
    CHECK(items[1].to_double() == -2);
    CHECK(items[2].to_bool());
    CHECK(items[3].is_null());
    CHECK(items[4].to_string() == "\xC3\xA9\n");
    CHECK(value.find("b") == nullptr);
    CHECK(value.at("o").at("p").keys().empty());
    CHECK(value.to_json() ==
          "{\"z\": 768, \"a\": [1.5, -2, true, null, \"\xC3\xA9\\n\"], \"o\": {\"p\": {}, \"q\": "
          "[]}}");
    CHECK(parse_json("x", "7").to_unsigned() == 7);
}

TEST_CASE("parse_json: numbers keep their text", "[common]") {
    const JsonValue value = parse_json("x",
                                       "[1e-12, 18446744073709551615, 18446744073709551616, -0, "
                                       "0.10, 7.68e2, -9223372036854775808]");
    CHECK(value.to_json() ==
          "[1e-12, 18446744073709551615, 18446744073709551616, -0, 0.10, 7.68e2, "
          "-9223372036854775808]");
    CHECK(value.items()[0].to_double() == 1e-12);
    CHECK(value.items()[1].to_unsigned() == std::numeric_limits<std::uint64_t>::max());
    for (const std::size_t i : {0U, 2U, 3U, 4U, 5U, 6U}) {
        CHECK_THROWS_AS(value.items()[i].to_unsigned(), FileError);
    }
}

TEST_CASE("parse_json: a value of another kind is named with its place", "[common]") {
    const JsonValue value =
        parse_json("x.json", R"({"n": {"a.b": [1, "two", 768.0]}, "t": true, "u": null, "e": {}})");
    const JsonValue& list = value.at("n").at("a.b");
    CHECK_THROWS_WITH(
        list.items()[1].to_unsigned(),
        "x.json: n.\"a.b\"[1]: not a whole number (found the string \"two\", expected "
        "digits only, below 2^64)");
    CHECK_THROWS_WITH(list.items()[2].to_unsigned(), ContainsSubstring("found 768.0, expected"));
    CHECK_THROWS_WITH(list.to_string(),
                      "x.json: n.\"a.b\": wrong kind of value (found a list, "
                      "expected a string)");
    CHECK_THROWS_WITH(value.at("t").to_double(),
                      ContainsSubstring("found true, expected a number"));
    CHECK_THROWS_WITH(value.at("u").to_bool(),
                      ContainsSubstring("u: wrong kind of value (found null"));
    CHECK_THROWS_WITH(value.at("t").items(), ContainsSubstring("expected a list or an object"));
    CHECK_THROWS_WITH(value.at("n").at("a.b").keys(), ContainsSubstring("expected an object"));
    CHECK_THROWS_WITH(value.at("n").at("c"),
                      "x.json: n: a key is missing (found none, expected the key \"c\")");
    CHECK_THROWS_WITH(value.at("d"), ContainsSubstring("x.json: top: a key is missing"));
    CHECK_THROWS_WITH(value.at("e").to_double(), ContainsSubstring("found an object"));
}

TEST_CASE("parse_json: what is not strict JSON is refused", "[common]") {
    for (const std::string text : {"",
                                   " ",
                                   "{",
                                   "[1,]",
                                   "{\"a\":1,}",
                                   "[1 2]",
                                   "01",
                                   "+1",
                                   ".5",
                                   "1.",
                                   "1e",
                                   "NaN",
                                   "Infinity",
                                   "-",
                                   "nul",
                                   "'a'",
                                   "{a:1}",
                                   "[1]//",
                                   "/**/1",
                                   "\"\t\"",
                                   "\"\\x\"",
                                   "\"\\u12\"",
                                   "\"\\ud800\"",
                                   "\"\\udc00\\ud800\"",
                                   "\"\\ud800\\u0041\"",
                                   "\"abc",
                                   "1 2",
                                   "{} []",
                                   "1e400",
                                   "-1e400",
                                   "\"\xC0\xAF\"",
                                   "\"\xED\xA0\x80\"",
                                   "\"\xF4\x90\x80\x80\"",
                                   "\"\xFF\"",
                                   "\xFF",
                                   "\"\xE2\x82\"",
                                   "\xEF\xBB\xBF{}",
                                   "[\"\xF0\x9F\"]",
                                   "\x0c[]",
                                   "\xC2\xA0[]"}) {
        INFO(text);
        CHECK_THAT(fault_of(text), ContainsSubstring("x.json: line 1, column "));
    }
    CHECK_THAT(fault_of("{}\0"s), ContainsSubstring("column 3: not JSON (found \\x00"));
    CHECK_THAT(fault_of("{\"a\0\": 1}"s), ContainsSubstring("column 4: not JSON"));
    CHECK_THAT(fault_of("{\n\"a\": 1,\n  x}"),
               ContainsSubstring("line 3, column 3: not JSON (found"));
    CHECK_THAT(fault_of("\"\x1b\""), !ContainsSubstring("\x1b"));
    CHECK(fault_of("\"" + std::string(100000, 'x')).size() < 500);
}

TEST_CASE("parse_json: a key twice in one object is refused at every depth", "[common]") {
    CHECK_THAT(fault_of(R"({"a": 1, "b": 2, "a": 3})"),
               ContainsSubstring("x.json: a: duplicate key (found another one, expected"));
    CHECK_THAT(fault_of(R"({"a": 1, "\u0061": 2})"), ContainsSubstring("a: duplicate key"));
    CHECK_THAT(fault_of(R"([0, {"x": [{"y z": 1, "y z": 2}]}])"),
               ContainsSubstring("[1].x[0].\"y z\": duplicate key"));
    CHECK(fault_of(R"([{"a": 1}, {"a": 1}, {"b": {"a": {"a": 1}}}])") == "");
}

TEST_CASE("parse_json: depth values and keys have limits", "[common]") {
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    CHECK(fault_of(nested(128)) == "");
    CHECK_THAT(fault_of(nested(129)), ContainsSubstring("nested too deep"));
    CHECK_THAT(fault_of(std::string(1000000, '[')), ContainsSubstring("nested too deep"));
    std::string objects;
    for (int i = 0; i < 200; ++i)
        objects += "{\"key\":";
    const std::string fault = fault_of(objects);
    CHECK_THAT(fault, ContainsSubstring("nested too deep"));
    CHECK(fault.size() < 500);
    std::string many = "[0";
    for (int i = 0; i < 499998; ++i)
        many += ",0";
    CHECK(fault_of(many + "]") == "");
    CHECK_THAT(fault_of(many + ",0]"), ContainsSubstring("too many values"));
}

TEST_CASE("walk_json: a million open keys and no more", "[common]") {
    std::string text = "{\"0\":0";
    for (int i = 1; i <= 1000000; ++i)
        text += ",\"" + std::to_string(i) + "\":0";
    std::size_t keys = 0;
    const auto count = [&keys](const bert::JsonEvent& event, const bert::JsonPlace&) {
        if (event.kind == bert::JsonEvent::Kind::key) ++keys;
    };
    CHECK_THROWS_WITH(bert::walk_json("x", text + "}", count), ContainsSubstring("too many keys"));
    CHECK(keys == 1000000);
    // Those of objects that are closed do not count.
    const std::string object = text.substr(0, text.find(",\"100000\"")) + "}";
    text = "[" + object;
    for (int i = 0; i < 10; ++i)
        text += "," + object;
    keys = 0;
    bert::walk_json("x", text + "]", count);
    CHECK(keys == 1100000);
}

TEST_CASE("read_json_file: a file above the limit is refused before it is read", "[common]") {
    const auto folder = bert::test::scratch_folder("strict_json");
    const std::string path = (folder / "a.json").string();
    std::ofstream{path} << "{\"a\": 1}";
    CHECK(bert::read_json_file(path).at("a").to_unsigned() == 1);
    CHECK(bert::read_json_file(path, 8).at("a").to_unsigned() == 1);
    CHECK_THROWS_WITH(bert::read_json_file(path, 7),
                      ContainsSubstring("is too large (found 8 bytes"));
    std::filesystem::resize_file(path, std::uint64_t{1} << 30);
    CHECK_THROWS_WITH(bert::read_json_file(path), ContainsSubstring("expected at most 1048576"));
    CHECK_THROWS_AS(bert::read_json_file((folder / "b.json").string()), bert::IoError);
}

TEST_CASE("shown: one line of visible text", "[common]") {
    CHECK(bert::shown("a\nb\x1b[") == "\"a\\x0Ab\\x1B[\"");
    CHECK(bert::shown("") == "\"\"");
    CHECK(bert::shown(std::string(1000, 'x')).size() == 62);
}
