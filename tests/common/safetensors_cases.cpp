#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/common/safetensors_files.hpp"

using namespace std::string_literals;

namespace bert::test {

namespace {

using Cases = std::vector<SafetensorsCase>;

const std::string data16(16, '\0');

// One tensor "a" of 16 bytes, described like this.
std::string one(const std::string& offsets, const std::string& type = "F32",
                const std::string& shape = "[2,2]", const std::string& more = "",
                const std::string& data = data16) {
    return safetensors_of("{" + tensor_entry("a", offsets, type, shape, more) + "}", data);
}

std::string header(const std::string& text, const std::string& data = data16) {
    return safetensors_of(text, data);
}

std::string with_length(std::uint64_t length, const std::string& rest = "{}") {
    std::string bytes;
    append_little_endian(bytes, length);
    return bytes + rest;
}

std::string times(std::size_t count, const std::string& part) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
        text += part;
    return text;
}

const std::string a = tensor_entry("a");
constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

void add_lengths(Cases& cases) {
    cases.insert(
        cases.end(),
        {{"good", header("{" + a + "}"), ""},
         {"empty file", "",
          "header length: too small for the 8 bytes of the header's length "
          "(found 0 bytes, expected 8 or more)"},
         {"seven bytes", times(7, "\x01"), "found 7 bytes, expected 8 or more"},
         {"length zero", with_length(0, ""), "header: line 1, column 1: not JSON (found the end"},
         {"length at its largest", with_length(largest),
          "found 18446744073709551615, expected at most 2 in a file of 10 bytes"},
         {"length that wraps with 8", with_length(largest - 7),
          "the header is longer than is allowed (found 18446744073709551608"},
         {"length behind the file", with_length(100), "found 100, expected at most 2"},
         {"length above the limit", with_length(100000001), "found 100000001, expected at most 2"},
         {"big-endian length", "\0\0\0\0\0\0\0\x3b"s + "{" + a + "}" + data16,
          "the header's length looks big-endian"},
         {"Git LFS pointer",
          "version https://git-lfs.github.com/spec/v1\noid sha256:" + times(64, "a") +
              "\nsize 440449768\n",
          "not a safetensors file but a Git LFS pointer: 'git lfs pull' fetches the file"},
         {"HTML page", "<!DOCTYPE html><html><body>404</body></html>",
          "not a safetensors file but an HTML page"},
         {"zip archive", "PK\x03\x04" + std::string(200, '\0'),
          "not a safetensors file but a zip archive"},
         {"pickle", "\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.",
          "not a safetensors file but a Python pickle"}});
}

void add_json(Cases& cases) {
    const std::string bad_name = "{\"\xff\":" + a.substr(4) + "}";
    const std::string overlong = "{\"\xc0\xaf\":" + a.substr(4) + "}";
    cases.insert(
        cases.end(),
        {{"blank in front", header(" {" + a + "}"), ""},
         {"blanks behind", header("{" + a + "}\n\t "), ""},
         {"byte order mark", header("\xef\xbb\xbf{" + a + "}"),
          "header: line 1, column 1: not JSON (found a byte order mark"},
         {"NUL bytes behind", header("{" + a + "}\0\0"s), "column 58: not JSON (found \\x00"},
         {"a list", header("[]", ""), "header: top: the header is no object (found a list"},
         {"null", header("null", ""), "top: the header is no object (found null"},
         {"a number", header("7", ""), "top: the header is no object (found 7"},
         {"no tensors", header("{}", ""), ""},
         {"trailing comma", header("{" + a + ",}"), "line 1, column 58: not JSON (found "},
         {"NaN", one("[0,16]", "F32", "[2,2]", ",\"x\":NaN"), "not JSON"},
         {"two values", header("{" + a + "}{}"), "line 1, column 58: not JSON"},
         {"comment", header("{" + a + "/*c*/}"), "line 1, column 57: not JSON"},
         {"leading zero", one("[00,16]"), "not JSON"},
         {"bytes that are not UTF-8", header(bad_name),
          "line 1, column 3: not JSON: not UTF-8 (found"},
         {"overlong UTF-8", header(overlong), "line 1, column 3: not JSON: not UTF-8"},
         {"UTF-8 cut short", header("{\"\xc3\":" + a.substr(4) + "}"), "not UTF-8"},
         {"half a surrogate pair", header("{\"\\ud800\":" + a.substr(4) + "}"), "not JSON"},
         {"second half of a pair", header("{\"\\udc00\":" + a.substr(4) + "}"), "not JSON"},
         {"raw control character", header("{\"a\x01\":" + a.substr(4) + "}"), "not JSON"},
         {"depth 200", one("[0,16]", "F32", "[2,2]", ",\"x\":" + times(200, "[") + times(200, "]")),
          "nested too deep (found another level, expected a depth of at most 128"},
         {"depth 102", one("[0,16]", "F32", "[2,2]", ",\"x\":" + times(100, "[") + times(100, "]")),
          ""},
         {"depth 128", one("[0,16]", "F32", "[2,2]", ",\"x\":" + times(126, "[") + times(126, "]")),
          ""},
         {"depth 129", one("[0,16]", "F32", "[2,2]", ",\"x\":" + times(127, "[") + times(127, "]")),
          "nested too deep"},
         {"depth of a million", one("[0,16]", "F32", "[2,2]", ",\"x\":" + times(1000000, "[")),
          "nested too deep"}});
}

void add_keys(Cases& cases) {
    const std::string second = tensor_entry("a", "[16,32]");
    const std::string escaped = tensor_entry("\\u0061");
    const std::string more = ",\"dtype\":\"I32\"";
    cases.insert(
        cases.end(),
        {{"a name twice", header("{" + a + "," + a + "}"), "header: a: duplicate key"},
         {"a name twice elsewhere", header("{" + a + "," + second + "}", data16 + data16),
          "header: a: duplicate key (found another one, expected each key once in an object"},
         {"a name twice by escape", header("{" + a + "," + escaped + "}"), "a: duplicate key"},
         {"a field twice", one("[0,16]", "F32", "[2,2]", more), "a.dtype: duplicate key"},
         {"a key twice deep down", one("[0,16]", "F32", "[2,2]", ",\"x\":[{\"y\":1,\"y\":1}]"),
          "a.x[0].y: duplicate key"},
         {"metadata twice", header("{\"__metadata__\":{},\"__metadata__\":{}," + a + "}"),
          "__metadata__: duplicate key"},
         {"a key of the metadata twice",
          header("{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}," + a + "}"),
          "__metadata__.k: duplicate key"},
         {"metadata with a number", header("{\"__metadata__\":{\"k\":1}," + a + "}"),
          "__metadata__.k: a value of the metadata is no string (found 1, expected a string"},
         {"metadata in metadata", header("{\"__metadata__\":{\"k\":{\"x\":\"y\"}}," + a + "}"),
          "__metadata__.k: a value of the metadata is no string (found an object"},
         {"metadata that is null", header("{\"__metadata__\":null," + a + "}"), ""},
         {"metadata of strings", header("{\"__metadata__\":{\"k\":\"v\"}," + a + "}"), ""},
         {"metadata that is a list", header("{\"__metadata__\":[]," + a + "}"),
          "__metadata__: the metadata is no object (found a list"},
         {"metadata that is a tensor", header("{" + tensor_entry("__metadata__") + "}"),
          "__metadata__.shape: a value of the metadata is no string (found a list"},
         {"field that is not known", one("[0,16]", "F32", "[2,2]", ",\"stride\":[1]"), ""},
         {"tensor that is a list", header("{\"a\":[]}", ""), "a: no tensor (found a list"},
         {"tensor that is null", header("{\"a\":null}", ""), "a: no tensor (found null"},
         {"no dtype", header(R"({"a":{"shape":[2,2],"data_offsets":[0,16]}})"),
          "header: a: a field is missing (found none, expected dtype)"},
         {"no dtype in the second",
          header("{" + a + ",\"b\":{\"shape\":[0],\"data_offsets\":[16,16]}}"),
          "header: b: a field is missing (found none, expected dtype)"},
         {"no shape", header(R"({"a":{"dtype":"F32","data_offsets":[0,16]}})"),
          "a: a field is missing (found none, expected shape)"},
         {"no offsets", header(R"({"a":{"dtype":"F32","shape":[2,2]}})"),
          "a: a field is missing (found none, expected data_offsets)"}});
}

void add_numbers(Cases& cases) {
    cases.insert(
        cases.end(),
        {{"one offset", one("[0]"), "a.data_offsets: wrong number of offsets (found fewer"},
         {"three offsets", one("[0,16,32]"),
          "a.data_offsets[2]: wrong number of offsets (found a third, expected two"},
         {"negative offset", one("[-16,0]"),
          "a.data_offsets[0]: not a whole number (found -16, expected digits only, below 2^64)"},
         {"minus zero", one("[-0,16]"), "a.data_offsets[0]: not a whole number (found -0"},
         {"offsets with a point", one("[0.0,16.0]"),
          "a.data_offsets[0]: not a whole number (found "
          "0.0"},
         {"offset with an exponent", one("[0,1.6e1]"), "a.data_offsets[1]: not a whole number"},
         {"offsets in quotes", one(R"(["0","16"])"),
          "a.data_offsets[0]: not a whole number (found the string \"0\""},
         {"offsets in an object", one(R"({"begin":0})"), "a.data_offsets: wrong kind of value"},
         {"offsets the wrong way round", one("[16,0]"),
          "a: offsets the wrong way round (found 16 to 0"},
         {"offset of 2^64", one("[0,18446744073709551616]"),
          "a.data_offsets[1]: not a whole number (found 18446744073709551616"},
         {"negative size", one("[0,16]", "F32", "[-1,4]"), "a.shape[0]: not a whole number"},
         {"size with a point", one("[0,16]", "F32", "[2.0,2]"), "a.shape[0]: not a whole number"},
         {"shape that is null", one("[0,16]", "F32", "null"),
          "a.shape: wrong kind of value (found "
          "null"},
         {"shape of shapes", one("[0,16]", "F32", "[[2,2]]"), "a.shape[0]: not a whole number"},
         {"type in lower case", one("[0,16]", "f32"),
          "a.dtype: unknown dtype (found the string \"f32\", expected one of BOOL F4 "},
         {"type that does not exist", one("[0,16]", "F128"), "unknown dtype"},
         {"offsets that wrap with the header",
          header("{" + tensor_entry("a", "[0,2305843009213693951]", "U8", "[2305843009213693951]") +
                     "," +
                     tensor_entry("b", "[2305843009213693951,18446744073709551624]", "U8",
                                  "[16140901064495857673]") +
                     "}",
                 ""),
          "b.data_offsets[1]: not a whole number"}});
}

void add_shapes(Cases& cases) {
    const auto empty = [](const std::string& shape) { return one("[0,0]", "F32", shape, "", ""); };
    const auto four = [](const std::string& type, const std::string& shape,
                         const std::string& offsets = "[0,4]", std::size_t bytes = 4) {
        return one(offsets, type, shape, "", std::string(bytes, '\0'));
    };
    cases.insert(
        cases.end(),
        {{"2^32 times 2^32", empty("[4294967296,4294967296]"),
          "a: the shape is too large (found (4294967296, 4294967296) of F32"},
         {"zero and then huge", empty("[0,18446744073709551615]"), "a: the shape is too large"},
         {"huge and then zero", empty("[18446744073709551615,2,0]"), "a: the shape is too large"},
         {"no elements", empty("[2,0]"), ""},
         {"no elements in 16 bytes", one("[0,16]", "F32", "[0]"),
          "a: shape and offsets do not fit (found 16 bytes, expected 0 bytes for (0) of F32)"},
         {"a single number", four("F32", "[]"), ""},
         {"rank 8", four("F32", "[1,1,1,1,1,1,1,1]"), ""},
         {"rank 9", four("F32", "[1,1,1,1,1,1,1,1,1]"),
          "a.shape[8]: too many dimensions (found a ninth, expected a rank of at most 8)"},
         {"rank 64", four("F32", "[1" + times(63, ",1") + "]"), "too many dimensions"},
         {"rank 100000", four("F32", "[1" + times(99999, ",1") + "]"), "too many dimensions"},
         {"bytes above 2^64", four("F32", "[4611686018427387905]"), "a: the shape is too large"},
         {"span too short", four("F32", "[2,2]", "[0,12]", 12),
          "a: shape and offsets do not fit (found 12 bytes, expected 16 bytes for (2, 2) of F32)"},
         {"half a byte", four("F4", "[3]", "[0,2]", 2),
          "a: not a whole number of bytes (found (3) of F4"},
         {"four elements of six bits", four("F6_E2M3", "[4]", "[0,3]", 3), ""}});
}

void add_places(Cases& cases) {
    const auto two = [](const std::string& first, const std::string& second, std::size_t bytes) {
        return header("{" + first + "," + second + "}", std::string(bytes, '\0'));
    };
    cases.insert(
        cases.end(),
        {{"gap in front", one("[16,32]", "F32", "[2,2]", "", data16 + data16),
          "tensor \"a\": a gap behind the header (found begin 16, expected 0)"},
         {"gap in between", two(a, tensor_entry("b", "[20,36]"), 36),
          "tensor \"b\": a gap behind tensor \"a\" (found begin 20, expected 16)"},
         {"overlap", two(a, tensor_entry("b", "[8,24]"), 24),
          "tensor \"b\": overlaps tensor \"a\" (found begin 8, expected 16)"},
         {"one place twice", two(a, tensor_entry("b"), 16), "tensor \"b\": overlaps tensor \"a\""},
         {"bytes behind", one("[0,16]", "F32", "[2,2]", "", data16 + "PK\x03\x04"),
          "end of the file: bytes behind the last tensor (found 20 bytes of tensors, expected 16)"},
         {"bytes behind none", header("{}", "x"), "bytes behind the last tensor (found 1 bytes"},
         {"a byte short", one("[0,16]", "F32", "[2,2]", "", data16.substr(1)),
          "end of the file: the file is cut short (found 15 bytes of tensors, expected 16)"},
         {"names in another order", two(tensor_entry("b", "[16,32]"), a, 32), ""},
         {"empty tensor at a seam", two(a, tensor_entry("b", "[16,16]", "F32", "[0]"), 16), ""},
         {"empty tensor inside another", two(a, tensor_entry("b", "[8,8]", "F32", "[0]"), 16),
          "tensor \"b\": overlaps tensor \"a\""},
         {"not aligned",
          two(tensor_entry("a", "[0,1]", "U8", "[1]"), tensor_entry("b", "[1,5]", "F32", "[1]"), 5),
          ""}});
}

void add_names(Cases& cases) {
    const auto named = [](const std::string& name) {
        return header("{" + tensor_entry(name) + "}");
    };
    std::string many = "{";
    for (int i = 0; i <= 100000; ++i) {
        many += (i > 0 ? "," : "") + tensor_entry(std::to_string(i), "[0,0]", "U8", "[0]");
    }
    const std::size_t last = many.rfind(",\"100000\"");
    cases.insert(cases.end(), {{"NUL in a name", named("a\\u0000b"),
                                "header: \"a\\x00b\": a control character in a tensor's name"},
                               {"escape in a name", named("a\\u001b]b"), "a control character"},
                               {"DEL in a name", named("a\x7f"), "a control character"},
                               {"empty name", named(""), ""},
                               {"path as a name", named("../../x"), ""},
                               {"name of a million bytes", named(times(1000000, "n")), ""},
                               {"100000 tensors", header(many.substr(0, last) + "}", ""), ""},
                               {"100001 tensors", header(many + "}", ""),
                                "too many tensors (found more, expected at most 100000)"}});
}

}  // namespace

std::vector<SafetensorsCase> safetensors_cases() {
    Cases cases;
    add_lengths(cases);
    add_json(cases);
    add_keys(cases);
    add_numbers(cases);
    add_shapes(cases);
    add_places(cases);
    add_names(cases);
    return cases;
}

}  // namespace bert::test
