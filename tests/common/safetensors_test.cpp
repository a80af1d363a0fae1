#include "common/io/safetensors.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "common/io/file_error.hpp"
#include "common/io/half.hpp"
#include "common/io/input_file.hpp"
#include "tests/common/safetensors_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using bert::FileError;
using bert::Real;
using bert::SafetensorsEntry;
using bert::SafetensorsFile;
using bert::SafetensorsType;
using bert::SafetensorsWriter;
using bert::Shape;
using bert::ShapeError;
using bert::Tensor;
using bert::test::safetensors_of;
using bert::test::tensor_entry;

namespace fs = std::filesystem;

namespace {

std::string scratch(const std::string& name) {
    static const auto folder = bert::test::scratch_folder("safetensors");
    return (folder / name).string();
}

std::string put(const std::string& name, const std::string& bytes) {
    const std::string path = scratch(name);
    fs::remove(path);
    std::ofstream{path, std::ios::binary} << bytes;
    return path;
}

std::string message_of(const std::string& bytes) {
    try {
        bert::parse_safetensors_header("x.safetensors", bytes);
    } catch (const FileError& e) {
        return e.what();
    }
    return "";
}

Tensor tensor_of(const SafetensorsFile& file, const std::string& name) {
    const SafetensorsEntry* const entry = file.find(name);
    REQUIRE(entry != nullptr);
    return file.tensor(*entry);
}

// A file with one tensor "a" of these 16-bit numbers: every pattern once.
std::string all_patterns(const std::string& type) {
    std::string data;
    for (unsigned bits = 0; bits < 65536; ++bits) {
        bert::append_little_endian(data, static_cast<std::uint16_t>(bits));
    }
    return safetensors_of("{" + tensor_entry("a", "[0,131072]", type, "[65536]") + "}", data);
}

}  // namespace

TEST_CASE("parse_safetensors_header: each rule and attack has its verdict", "[common]") {
    for (const auto& [name, bytes, fault] : bert::test::safetensors_cases()) {
        INFO(name);
        const std::string message = message_of(bytes);
        if (fault.empty()) {
            CHECK(message == "");
        } else {
            CHECK_THAT(message, ContainsSubstring(fault));
            CHECK(message.substr(0, 15) == "x.safetensors: ");
            CHECK_THAT(message, ContainsSubstring("(found ") && ContainsSubstring(", expected "));
            CHECK(message.size() < 600);
        }
    }
}

TEST_CASE("parse_safetensors_header: a file cut short anywhere or longer is refused", "[common]") {
    const std::vector<std::string> files{
        safetensors_of("{" + tensor_entry("a") + "}", std::string(16, 'x')),
        safetensors_of("{" + tensor_entry("b", "[0,4]", "F32", "[]") + "," +
                           tensor_entry("a", "[4,20]") + "} ",
                       std::string(20, 'x')),
        safetensors_of("{\"__metadata__\":{\"format\":\"pt\"}}")};
    for (const std::string& file : files) {
        CHECK(message_of(file).empty());
        for (std::size_t size = 0; size < file.size(); ++size) {
            REQUIRE(!message_of(file.substr(0, size)).empty());
        }
        REQUIRE(!message_of(file + "x").empty());
    }
}

TEST_CASE("parse_safetensors_header: a changed byte of the header is refused or renames",
          "[common]") {
    const std::string file = safetensors_of("{" + tensor_entry("a") + "}", std::string(16, 'x'));
    int accepted = 0;
    for (std::size_t i = 8; i + 16 < file.size(); ++i) {
        for (const char c : {'\0', ' ', '"', '1', 'z', '{', '\xFF'}) {
            std::string changed = file;
            if (changed[i] == c) continue;
            changed[i] = c;
            if (!message_of(changed).empty()) continue;
            ++accepted;
            CHECK(bert::parse_safetensors_header("x", changed).entries.size() == 1);
        }
    }
    CHECK(accepted == 4);  // the name "a" as " ", "1", "z", "{"
}

TEST_CASE("SafetensorsFile: a header above 100 MB is refused before it is looked at", "[common]") {
    for (const std::uint64_t size : {100'000'000U, 100'000'001U}) {
        std::string length;
        bert::append_little_endian(length, size);
        const std::string path = put("large_header.safetensors", length);
        fs::resize_file(path, 8 + size);  // a hole: no byte of it is on the disk
        CHECK_THROWS_WITH(
            SafetensorsFile{path},
            ContainsSubstring(size == 100'000'000 ? "header: line 1, column 1: not JSON"
                                                  : "is longer than is allowed (found 100000001, "
                                                    "expected at most 100000000 in a file of"));
    }
}

TEST_CASE("SafetensorsFile: names types shapes and metadata are those of the header", "[common]") {
    const std::string header = "{\"__metadata__\":{\"format\":\"pt\"}," +
                               tensor_entry("../b", "[16,18]", "I16", "[1]") + "," +
                               tensor_entry("a") + "}";
    const SafetensorsFile file{
        put("two.safetensors", safetensors_of(header, std::string(18, 'x')))};
    REQUIRE(file.entries().size() == 2);
    CHECK(file.entries()[0].name == "a");
    CHECK(file.entries()[0].shape == Shape{2, 2});
    CHECK(file.entries()[0].type == SafetensorsType::F32);
    CHECK(file.entries()[1].name == "../b");
    CHECK(file.metadata().at("format") == "pt");
    CHECK(file.find("../b") == &file.entries()[1]);
    CHECK(file.find("") == nullptr);
    CHECK(file.find("c") == nullptr);
    CHECK(file.bytes(file.entries()[1]) == "xx");
    CHECK_THROWS_WITH(file.tensor(file.entries()[1]),
                      ContainsSubstring("two.safetensors: tensor \"../b\": not floating-point "
                                        "numbers (found I16, expected F32"));
    CHECK_THROWS_AS(SafetensorsFile{scratch("")}, FileError);  // a folder
    CHECK_THROWS_AS(SafetensorsFile{scratch("none.safetensors")}, bert::IoError);
}

TEST_CASE("SafetensorsFile: F32 numbers stay in the file until written to", "[common]") {
    SafetensorsWriter writer;
    writer.add("a", Tensor{{1.5, -2.0}, {0.25, 4.0}});
    const std::string path = scratch("view.safetensors");
    writer.write(path);
    Tensor x;
    {
        const SafetensorsFile file{path};
        x = tensor_of(file, "a");
        if (sizeof(Real) == sizeof(float)) {
            const void* const there = file.bytes(file.entries()[0]).data();
            CHECK(static_cast<const void*>(x.data()) == there);
        }
    }
    const Tensor copy = x;
    CHECK(copy == Tensor{{1.5, -2.0}, {0.25, 4.0}});
    x(0, 1) = 7;
    CHECK(x == Tensor{{1.5, 7.0}, {0.25, 4.0}});
    CHECK(copy == Tensor{{1.5, -2.0}, {0.25, 4.0}});
    const SafetensorsFile again{path};
    CHECK(tensor_of(again, "a") == copy);
}

TEST_CASE("SafetensorsFile: a lone view is copied before it is written to", "[common]") {
    SafetensorsWriter writer;
    writer.add("a", Tensor{1.0, 2.0});
    writer.write(scratch("lone.safetensors"));
    Tensor x = tensor_of(SafetensorsFile{scratch("lone.safetensors")}, "a");
    Tensor y = x.reshaped({2, 1});
    x = Tensor{};
    y.mutable_data()[0] = 5;
    CHECK(y == Tensor{{5.0}, {2.0}});
}

TEST_CASE("SafetensorsFile: numbers that are not aligned are copied", "[common]") {
    std::string data = "x";
    for (const float value : {1.5F, -0.0F, 3e38F}) {
        bert::append_little_endian(data, std::bit_cast<std::uint32_t>(value));
    }
    std::string header = "{" + tensor_entry("u", "[0,1]", "U8", "[1]") + "," +
                         tensor_entry("f", "[1,13]", "F32", "[3]") + "}";
    header.append(4 - header.size() % 4,
                  ' ');  // so that "f" begins one byte behind a multiple of 4
    const SafetensorsFile file{put("odd.safetensors", safetensors_of(header, data))};
    const Tensor x = tensor_of(file, "f");
    CHECK(x == Tensor{Real{1.5F}, Real{-0.0F}, Real{3e38F}});
    CHECK(std::signbit(x(1)));
    CHECK(static_cast<const void*>(x.data()) != file.bytes(file.entries()[1]).data());
}

TEST_CASE("SafetensorsFile: every pattern of F16 and BF16 is converted exactly", "[common]") {
    const SafetensorsFile half_file{put("half.safetensors", all_patterns("F16"))};
    const SafetensorsFile bfloat_file{put("bfloat.safetensors", all_patterns("BF16"))};
    const Tensor half = tensor_of(half_file, "a");
    const Tensor bfloat = tensor_of(bfloat_file, "a");
    for (std::size_t bits = 0; bits < 65536; ++bits) {
        const bool negative = bits >= 32768;
        REQUIRE(std::signbit(half(bits)) == negative);
        REQUIRE(std::signbit(bfloat(bits)) == negative);
        // By the definition: (1 + fraction / 2^10) 2^(exponent - 15), below exponent 1 without 1.
        const int exponent = static_cast<int>(bits >> 10 & 31);
        const double fraction = static_cast<double>(bits & 1023) / 1024;
        const double size =
            exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
        if (exponent < 31) {
            REQUIRE(static_cast<double>(std::fabs(half(bits))) == size);
        } else {
            REQUIRE(std::isnan(half(bits)) == (fraction != 0));
            REQUIRE(std::isinf(half(bits)) == (fraction == 0));
        }
        const float upper = std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
        REQUIRE(std::isnan(bfloat(bits)) == std::isnan(upper));
        if (!std::isnan(upper)) REQUIRE(bfloat(bits) == static_cast<Real>(upper));
    }
}

TEST_CASE("bfloat16_bits: the nearest with ties to even", "[common]") {
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const auto pattern = static_cast<std::uint16_t>(bits);
        const float value = bert::bfloat16_value(pattern);
        if (std::isnan(value)) {
            REQUIRE(std::isnan(bert::bfloat16_value(bert::bfloat16_bits(value))));
        } else {
            REQUIRE(bert::bfloat16_bits(value) == pattern);
        }
    }
    CHECK(bert::bfloat16_bits(1 + std::ldexp(1.0, -8)) == 0x3F80);  // a tie: to 1, the even one
    CHECK(bert::bfloat16_bits(1 + 3 * std::ldexp(1.0, -8)) == 0x3F82);
    // Just above a tie, by less than a float can tell.
    CHECK(bert::bfloat16_bits(1 + std::ldexp(1.0, -8) + std::ldexp(1.0, -40)) == 0x3F81);
    CHECK(bert::bfloat16_bits(1 + 3 * std::ldexp(1.0, -8) - std::ldexp(1.0, -40)) == 0x3F81);
    CHECK(bert::bfloat16_bits(-1e300) == 0xFF80);
    CHECK(bert::bfloat16_bits(1e-300) == 0);
}

TEST_CASE("SafetensorsFile: F64 is rounded to Real and refused beyond it", "[common]") {
    SafetensorsWriter writer;
    writer.add("a", Tensor{0.1, -2.0, std::numeric_limits<Real>::infinity()}, SafetensorsType::F64);
    writer.write(scratch("f64.safetensors"));
    const SafetensorsFile file{scratch("f64.safetensors")};
    const Tensor a = tensor_of(file, "a");
    CHECK(a(0) == static_cast<Real>(0.1));
    CHECK(std::isinf(a(2)));
    std::string data;
    bert::append_little_endian(data, std::bit_cast<std::uint64_t>(1e300));
    const std::string header = "{" + tensor_entry("a", "[0,8]", "F64", "[1]") + "}";
    const SafetensorsFile large{put("large.safetensors", safetensors_of(header, data))};
    if (sizeof(Real) == sizeof(float)) {
        CHECK_THROWS_WITH(tensor_of(large, "a"),
                          ContainsSubstring("tensor \"a\": element 0 is out of range"));
    } else {
        CHECK(tensor_of(large, "a")(0) == static_cast<Real>(1e300));
    }
}

TEST_CASE("SafetensorsWriter: what is written is read back", "[common]") {
    const Tensor x{{1.5, -2.0, 0.25}, {65504.0, 0.0, -0.125}};
    SafetensorsWriter writer;
    writer.add("f32", x);
    writer.add("f16", x, SafetensorsType::F16);
    writer.add("bf16", Tensor{1.5, -256.0}, SafetensorsType::BF16);
    writer.add("f64", x, SafetensorsType::F64);
    writer.add("scalar", Tensor{Shape{}});
    writer.add("empty", Tensor{Shape{2, 0}});
    writer.add_bytes("ids", SafetensorsType::I16, {2}, "abcd");
    writer.add_bytes("name with \" and \xC3\xA9", SafetensorsType::BOOL, {1}, "\x01");
    writer.set_metadata("source", "a test");
    writer.write(scratch("all.safetensors"));

    const SafetensorsFile file{scratch("all.safetensors")};
    CHECK(file.entries().size() == 8);
    CHECK(tensor_of(file, "f32") == x);
    CHECK(tensor_of(file, "f16") == x);
    CHECK(tensor_of(file, "f64") == x);
    CHECK(tensor_of(file, "bf16") == Tensor{1.5, -256.0});
    CHECK(tensor_of(file, "scalar").shape().empty());
    CHECK(tensor_of(file, "empty").shape() == Shape{2, 0});
    CHECK(file.bytes(*file.find("ids")) == "abcd");
    CHECK(file.find("name with \" and \xC3\xA9") != nullptr);
    CHECK(file.metadata().at("source") == "a test");
    CHECK(file.metadata().at("format") == "pt");
    // Larger types first, so that each is aligned; then by name.
    for (const SafetensorsEntry& entry : file.entries()) {
        const auto address = reinterpret_cast<std::uintptr_t>(file.bytes(entry).data());
        CHECK(address % (bert::bits_of(entry.type) / 8) == 0);
    }
    CHECK(file.entries().front().name == "f64");
    CHECK(file.entries()[1].name == "empty");
    CHECK(file.entries().back().name == "name with \" and \xC3\xA9");
}

TEST_CASE("SafetensorsWriter: the bytes follow from the tensors alone", "[common]") {
    SafetensorsWriter writer;
    writer.add("b", Tensor{1.0});
    writer.add("a", Tensor{2.0});
    writer.write(scratch("bytes.safetensors"));
    const std::string expected_header =
        R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
        R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})";
    const std::string bytes = bert::read_file(scratch("bytes.safetensors"), 1000);
    const std::string padded =
        expected_header + std::string((8 - expected_header.size() % 8) % 8, ' ');
    CHECK(bytes == safetensors_of(padded, std::string("\0\0\0\x40\0\0\x80\x3F", 8)));
    SafetensorsWriter nothing;
    nothing.write(scratch("nothing.safetensors"));
    CHECK(SafetensorsFile{scratch("nothing.safetensors")}.entries().empty());
}

TEST_CASE("SafetensorsWriter: the header is filled up to a multiple of 8 and no further",
          "[common]") {
    std::size_t blanks = 0;
    for (std::size_t size = 1; size <= 8; ++size) {
        SafetensorsWriter writer;
        writer.add(std::string(size, 'n'), Tensor{Shape{0}});
        writer.write(scratch("padded.safetensors"));
        const std::string bytes = bert::read_file(scratch("padded.safetensors"), 1000);
        CHECK(bytes.size() % 8 == 0);
        blanks += bytes.size() - 1 - bytes.find_last_not_of(' ');
    }
    CHECK(blanks == 0 + 1 + 2 + 3 + 4 + 5 + 6 + 7);
}

TEST_CASE("SafetensorsWriter: what the format cannot hold is refused", "[common]") {
    SafetensorsWriter writer;
    writer.add("a", Tensor{1.0});
    CHECK_THROWS_WITH(writer.add("a", Tensor{1.0}), ContainsSubstring("\"a\" is there already"));
    CHECK_THROWS_WITH(writer.add("__metadata__", Tensor{1.0}), ContainsSubstring("cannot be"));
    CHECK_THROWS_WITH(writer.add("b\n", Tensor{1.0}), ContainsSubstring("cannot be"));
    CHECK_THROWS_WITH(writer.add("b\x7F", Tensor{1.0}), ContainsSubstring("cannot be"));
    CHECK_THROWS_WITH(writer.add("b\xFF", Tensor{1.0}), ContainsSubstring("cannot be"));
    CHECK_THROWS_WITH(writer.add("b", Tensor{1.0}, SafetensorsType::I64),
                      ContainsSubstring("numbers as I64"));
    CHECK_THROWS_AS(writer.add("b", Tensor{Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}}), ShapeError);
    CHECK_THROWS_WITH(writer.add_bytes("b", SafetensorsType::F32, {2}, "1234567"),
                      ContainsSubstring("shape (2) of F32 needs 8 bytes, 7 given"));
    CHECK_THROWS_AS(writer.add_bytes("b", SafetensorsType::F4, {3}, "12"), std::invalid_argument);
    CHECK_THROWS_AS(writer.set_metadata("k", "\xFF"), std::invalid_argument);
    CHECK_THROWS_AS(writer.set_metadata("\xFF", "v"), std::invalid_argument);
    CHECK_THROWS_AS(writer.write(scratch("no/such/folder")), bert::IoError);
    for (int i = 1; i < 100'000; ++i) {
        writer.add_bytes(std::to_string(i), SafetensorsType::U8, {0}, "");
    }
    CHECK_THROWS_WITH(writer.add_bytes("0", SafetensorsType::U8, {0}, ""),
                      ContainsSubstring("more than 100000 tensors"));
}

TEST_CASE("SafetensorsWriter: a tensor longer than one step is whole", "[common]") {
    Tensor x{Shape{3, 65537}};
    for (std::size_t i = 0; i < x.size(); ++i)
        x.mutable_data()[i] = static_cast<Real>(i % 2048);
    SafetensorsWriter writer;
    writer.add("x", x);
    writer.add("half", x, SafetensorsType::F16);
    writer.write(scratch("long.safetensors"));
    const SafetensorsFile file{scratch("long.safetensors")};
    CHECK(tensor_of(file, "x") == x);
    CHECK(tensor_of(file, "half") == x);
}

TEST_CASE("SafetensorsFile: files that Python's library wrote are read", "[common]") {
    const std::string folder = std::string{BERT_SOURCE_DIR} + "/data/golden/";
    const SafetensorsFile file{folder + "safetensors_types.safetensors"};
    const auto expected = bert::test::golden("safetensors_types");
    CHECK(file.entries().size() == expected.size() + 3);
    for (const auto& [name, x] : expected) {
        INFO(name);
        CHECK(tensor_of(file, name) == x);
    }
    CHECK(file.find("int64")->type == SafetensorsType::I64);
    CHECK(file.find("bool")->type == SafetensorsType::BOOL);
    CHECK(file.bytes(*file.find("uint8")) == "\x01\x02\xFF");
}

TEST_CASE("SafetensorsWriter: the same bytes as from Python's library", "[common]") {
    for (const std::string name : {"safetensors_types", "safetensors_model"}) {
        INFO(name);
        const std::string path =
            std::string{BERT_SOURCE_DIR} + "/data/golden/" + name + ".safetensors";
        const SafetensorsFile file{path};
        SafetensorsWriter writer;
        for (const SafetensorsEntry& entry : file.entries()) {
            writer.add_bytes(entry.name, entry.type, entry.shape, file.bytes(entry));
        }
        writer.write(scratch("again.safetensors"));
        CHECK(bert::read_file(scratch("again.safetensors"), 1U << 20) ==
              bert::read_file(path, 1U << 20));
    }
}
