#include "common/io/npz.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "common/io/crc32.hpp"
#include "common/io/file_error.hpp"
#include "common/io/half.hpp"
#include "common/io/input_file.hpp"
#include "common/io/npy_format.hpp"
#include "common/io/zip_writer.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace std::string_literals;
using bert::FileError;
using bert::NpyFloat;
using bert::NpzWriter;
using bert::Real;
using bert::Shape;
using bert::ShapeError;
using bert::Tensor;

namespace {

std::string scratch(const std::string& name) {
    static const auto folder = bert::test::scratch_folder("npz");
    return (folder / name).string();
}

std::string bytes_of(const std::string& path) {
    return bert::read_file(path, 1U << 24);
}

// Without the sync of write_file: thousands of bad files are made here.
void put(const std::string& path, const std::string& bytes) {
    std::filesystem::remove(path);  // some systems sync a file that is cut to length 0
    std::ofstream{path, std::ios::binary} << bytes;
}

std::string write(const NpzWriter& writer, const std::string& name = "x.npz") {
    const std::string path = scratch(name);
    writer.write(path);
    return path;
}

NpzWriter small_archive() {
    NpzWriter writer;
    writer.add("a", Tensor{{1.5, -2.0, 0.25}, {4.0, 5.0, 6.0}});
    writer.add_ints("ids", {3}, std::vector<std::int32_t>{1, -2, 3});
    writer.add_strings("words", {2}, {"ab", "\xC3\xA9"});
    return writer;
}

// An archive of one stored entry with these bytes.
std::string archive_of(const std::string& name, const std::string& bytes) {
    const bert::ZipEntry entry{
        .name = name, .crc = bert::crc32(0, bytes), .size = bytes.size(), .header = 0, .data = 0};
    const std::string local = bert::zip_local_header(entry) + bytes;
    const std::string central = bert::zip_central_header(entry);
    return local + central + bert::zip_end(1, local.size(), central.size());
}

// A .npy file with this dictionary.
std::string npy_of(const std::string& dictionary, const std::string& data) {
    const std::string text = dictionary + "\n";
    return "\x93NUMPY\x01\x00"s + static_cast<char>(text.size()) + "\x00"s + text + data;
}

std::string message_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const FileError& e) {
        return e.what();
    }
    return "nothing thrown";
}

std::string npy_error(const std::string& bytes) {
    const std::string path = scratch("bad.npy");
    put(path, bytes);
    return message_of([&] { bert::read_npy(path); });
}

std::string npz_error(const std::string& bytes) {
    const std::string path = scratch("bad.npz");
    put(path, bytes);
    return message_of([&] { bert::read_npz(path); });
}

std::string replaced(std::string bytes, std::size_t at, const std::string& part) {
    return bytes.replace(at, part.size(), part);
}

}  // namespace

TEST_CASE("NpzWriter: what was written is read back", "[common]") {
    NpzWriter writer = small_archive();
    writer.add("scalar", Tensor(Shape{}, {7.0}));
    writer.add("empty", Tensor(Shape{2, 0, 3}));
    writer.add("double", Tensor{1.0 / 3}, NpyFloat::f8);
    writer.add("half", Tensor{0.5, -65504.0}, NpyFloat::f2);
    writer.add_ints("long", {2, 1}, std::vector<std::int64_t>{1LL << 62, -1});
    writer.add_strings("meta", {}, {"{\"text\": \"\xF0\x9F\x99\x82\"}"});
    writer.add_strings("none", {0}, {});
    writer.add_strings("blank", {1}, {""});
    const auto arrays = bert::read_npz(write(writer));

    CHECK(arrays.size() == 11);
    CHECK(arrays.at("a").dtype() == "<f4");
    CHECK(arrays.at("a").size() == 6);
    CHECK(arrays.at("a").to_tensor() == Tensor{{1.5, -2.0, 0.25}, {4.0, 5.0, 6.0}});
    CHECK(arrays.at("ids").to_ints() == std::vector<std::int64_t>{1, -2, 3});
    CHECK(arrays.at("ids").to_tensor() == Tensor{1.0, -2.0, 3.0});
    CHECK(arrays.at("words").dtype() == "<U2");
    CHECK(arrays.at("words").to_strings() == std::vector<std::string>{"ab", "\xC3\xA9"});
    CHECK(arrays.at("scalar").to_tensor() == Tensor(Shape{}, {7.0}));
    CHECK(arrays.at("empty").to_tensor().shape() == Shape{2, 0, 3});
    CHECK(arrays.at("double").to_tensor() == Tensor{1.0 / 3});
    CHECK(arrays.at("half").to_tensor() == Tensor{0.5, -65504.0});
    CHECK(arrays.at("long").to_ints() == std::vector<std::int64_t>{1LL << 62, -1});
    CHECK(arrays.at("long").shape() == Shape{2, 1});
    CHECK(arrays.at("meta").to_strings().at(0) == "{\"text\": \"\xF0\x9F\x99\x82\"}");
    CHECK(arrays.at("none").to_strings().empty());
    CHECK(arrays.at("blank").to_strings() == std::vector<std::string>{""});
}

TEST_CASE("NpzWriter: an empty archive and a large tensor", "[common]") {
    CHECK(bert::read_npz(write({})).empty());
    std::vector<Real> values(100003);
    std::iota(values.begin(), values.end(), Real{0});
    const Tensor x({values.size()}, values);
    NpzWriter writer;
    writer.add("x", x);
    CHECK(bert::read_tensors(write(writer)).at("x") == x);
}

// The whole file of one <f4 array, byte by byte: any change of format shows here.
TEST_CASE("NpzWriter: the bytes of an archive are fixed", "[common]") {
    NpzWriter writer;
    writer.add("x", Tensor{1.0});
    const std::string bytes = bytes_of(write(writer));
    CHECK(bytes.size() == 269);
    CHECK(bert::crc32(0, bytes) == 0xE54755A6);
    CHECK(bytes == bytes_of(write(writer, "again.npz")));
    CHECK(bytes.substr(0, 30) == "PK\x03\x04\x14\0\0\0\0\0\0\0\x21\0"s + bytes.substr(14, 4) +
                                     "\x84\0\0\0\x84\0\0\0\x05\0\x1D\0"s);
}

TEST_CASE("NpzWriter: numbers lie at multiples of 64 bytes", "[common]") {
    NpzWriter writer;
    for (const char* name : {"a", "bc", "def", "\xC3\xA9", "a/longer.name"}) {
        writer.add(name, Tensor{7.25});
    }
    const std::string bytes = bytes_of(write(writer));
    const std::string number = "\0\0\xE8\x40"s;
    std::size_t found = 0;
    for (std::size_t at = bytes.find(number); at != std::string::npos;
         at = bytes.find(number, at + 1)) {
        ++found;
        CHECK(at % 64 == 0);
    }
    CHECK(found == 5);
}

TEST_CASE("NpzWriter: Python's zipfile accepts the archive", "[common]") {
    NpzWriter writer = small_archive();
    writer.add("gr\u00fc\u00dfe", Tensor{1.0});  // a name outside ASCII is marked as UTF-8
    const std::string path = write(writer, "python.npz");
    const std::string command =
        "python3 -c 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); "
        "sys.exit(z.testzip() is not None or z.namelist() != [\"a.npy\", \"ids.npy\", "
        "\"words.npy\", \"gr\\u00fc\\u00dfe.npy\"])' '" +
        path + "'";
    CHECK(std::system(command.c_str()) == 0);
}

TEST_CASE("NpzWriter: names and values that do not fit are refused", "[common]") {
    NpzWriter writer = small_archive();
    const Tensor x{1.0};
    CHECK_THROWS_AS(writer.add("a", x), std::invalid_argument);
    CHECK_THROWS_AS(writer.add("", x), std::invalid_argument);
    CHECK_THROWS_AS(writer.add("a\n", x), std::invalid_argument);
    CHECK_THROWS_AS(writer.add("\xFF", x), std::invalid_argument);
    CHECK_THROWS_AS(writer.add(std::string(1001, 'a'), x), std::invalid_argument);
    CHECK_THROWS_AS(writer.add_ints("n", {3}, std::vector<std::int32_t>{1, 2}), ShapeError);
    CHECK_THROWS_AS(writer.add("n", Tensor(Shape(9, 1))), ShapeError);
    CHECK_THROWS_AS(writer.add_strings("s", {1}, {"\xC0\x80"}), std::invalid_argument);
    CHECK_THROWS_AS(writer.add_strings("s", {1}, {"a\0"s}), std::invalid_argument);
    writer.add(std::string(1000, 'a'), x);
    CHECK(bert::read_npz(write(writer)).size() == 4);
}

TEST_CASE("write_npy: the array is read back by read_npy", "[common]") {
    const std::string path = scratch("x.npy");
    const Tensor x{{1.0, 2.0}, {3.0, 4.0}};
    bert::write_npy(path, x, NpyFloat::f8);
    CHECK(bert::read_npy(path).to_tensor() == x);
    CHECK(bytes_of(path).size() == 128 + 32);
}

TEST_CASE("half: every pattern survives the way to float and back", "[common]") {
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const float value = bert::half_value(half);
        if (std::isnan(value)) {
            REQUIRE((bits & 0x7C00U) == 0x7C00U);
            REQUIRE((bert::half_bits(value) & 0x7FFFU) == 0x7E00U);
        } else {
            REQUIRE(bert::half_bits(value) == half);
        }
    }
    CHECK(bert::half_value(0x3C00) == 1.0F);
    CHECK(bert::half_value(0x0001) == 0x1p-24F);
    CHECK(bert::half_value(0x7BFF) == 65504.0F);
}

// Between neighbours the nearer one is taken, in the middle the one whose last bit is 0.
TEST_CASE("half: numbers between two halves are rounded to the nearest even", "[common]") {
    for (unsigned bits = 0; bits < 0x7C00; ++bits) {
        const double low = bert::half_value(static_cast<std::uint16_t>(bits));
        const double high =
            bits == 0x7BFF ? 65536.0 : bert::half_value(static_cast<std::uint16_t>(bits + 1));
        const double middle = (low + high) / 2;
        REQUIRE(bert::half_bits(middle) == bits + bits % 2);
        REQUIRE(bert::half_bits(std::nextafter(middle, 0.0)) == bits);
        REQUIRE(bert::half_bits(std::nextafter(middle, 1e9)) == bits + 1);
        REQUIRE(bert::half_bits(-middle) == (bits + bits % 2) + 0x8000U);
    }
    CHECK(bert::half_bits(1e300) == 0x7C00);
    CHECK(bert::half_bits(70000.0) == 0x7C00);  // above 2^16, where the exponent has no more bits
    CHECK(bert::half_bits(-131071.0) == 0xFC00);
    CHECK(bert::half_bits(-std::numeric_limits<double>::infinity()) == 0xFC00);
    CHECK(bert::half_bits(1e-300) == 0);
}

TEST_CASE("crc32: the check value of the polynomial", "[common]") {
    CHECK(bert::crc32(0, "123456789") == 0xCBF43926);
    CHECK(bert::crc32(0, "") == 0);
    std::string bytes;
    for (int i = 0; i < 100; ++i)
        bytes += static_cast<char>(i * 37);
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
        CHECK(bert::crc32(bert::crc32(0, bytes.substr(0, cut)), bytes.substr(cut)) ==
              bert::crc32(0, bytes));
    }
}

TEST_CASE("read_npz: every shorter beginning of a file is refused", "[common]") {
    const std::string bytes = bytes_of(write(small_archive()));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        INFO(size);
        CHECK_THAT(npz_error(bytes.substr(0, size)), ContainsSubstring("bad.npz: "));
    }
    CHECK_THAT(npz_error(bytes + "x"), ContainsSubstring("not a zip archive"));
    CHECK(npz_error(bytes) == "nothing thrown");
}

// A changed byte is refused unless it stands where nothing is read: dates, versions, attributes,
// padding, the flag that says a name is UTF-8. Then the arrays are the same as before.
TEST_CASE("read_npz: every changed byte is refused or harmless", "[common]") {
    const std::string bytes = bytes_of(write(small_archive()));
    const std::string path = scratch("changed.npz");
    std::size_t harmless = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (const int change : {0x01, 0x08, 0x80, 0xFF}) {
            std::string changed = bytes;
            changed[at] = static_cast<char>(changed[at] ^ change);
            put(path, changed);
            try {
                const auto arrays = bert::read_npz(path);
                ++harmless;
                INFO("byte " << at);
                REQUIRE(arrays.size() == 3);
                REQUIRE(arrays.at("a").to_tensor() == Tensor{{1.5, -2.0, 0.25}, {4.0, 5.0, 6.0}});
                REQUIRE(arrays.at("ids").to_ints() == std::vector<std::int64_t>{1, -2, 3});
                REQUIRE(arrays.at("words").to_strings().at(1) == "\xC3\xA9");
            } catch (const FileError& e) {
                REQUIRE_THAT(e.what(), ContainsSubstring("changed.npz: "));
            }
        }
    }
    CHECK(harmless > 0);
    CHECK(harmless < 4 * bytes.size() / 3);
}

TEST_CASE("read_npz: a flipped number is a wrong check sum", "[common]") {
    std::string bytes = bytes_of(write(small_archive()));
    const std::size_t at = bytes.find("\0\0\xC0\x3F"s);  // 1.5
    REQUIRE(at % 64 == 0);
    bytes[at] = '\x01';
    CHECK_THAT(npz_error(bytes), ContainsSubstring("bad.npz: entry a.npy: check sum differs"));
}

TEST_CASE("read_npz: archives of another kind are refused with the reason", "[common]") {
    const std::string good =
        npy_of("{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }", "\x05\0\0\0"s);
    const std::string bytes = archive_of("x.npy", good);
    const std::size_t central = bytes.find("PK\x01\x02");
    const std::size_t end = bytes.find("PK\x05\x06");
    CHECK(npz_error(bytes) == "nothing thrown");
    CHECK_THAT(npz_error(replaced(bytes, central + 10, "\x08")),
               ContainsSubstring("entry x.npy: compressed entries are not read (found deflate, "
                                 "expected stored ones, as numpy.savez writes them)"));
    CHECK_THAT(npz_error(replaced(bytes, central + 10, "\x0E")),
               ContainsSubstring("compression method (found 14"));
    CHECK_THAT(npz_error(replaced(bytes, central + 8, "\x01")), ContainsSubstring("encrypted"));
    CHECK_THAT(npz_error(replaced(bytes, end + 20, "\x01")),
               ContainsSubstring("not a zip archive, or cut off"));
    CHECK_THAT(npz_error(replaced(bytes, end + 10, "\xFF\xFE")),
               ContainsSubstring("entries on this disk"));
    CHECK_THAT(npz_error(replaced(bytes, end + 8, "\x11\x27\x11\x27")),
               ContainsSubstring("too many entries (found 10001"));
    CHECK_THAT(npz_error(replaced(bytes, end + 8, "\x10\x27\x10\x27")),
               ContainsSubstring("directory size"));
    CHECK_THAT(npz_error(replaced(bytes, end + 12, "\xF0\xFF\xFF\xFF")),
               ContainsSubstring("ends elsewhere"));
    CHECK_THAT(npz_error(replaced(bytes, central + 20, "\xF0\xFF\xFF\xFF\xF0\xFF\xFF\xFF")),
               ContainsSubstring("entry x.npy: size (found 4294967280, expected at most"));
    CHECK_THAT(npz_error(replaced(bytes, central + 42, "\xF0\xFF\xFF\xFF")),
               ContainsSubstring("offset (found 4294967280"));
    CHECK_THAT(npz_error(replaced(bytes, end + 16, "\xFF\xFF\xFF\xFF")),
               ContainsSubstring("zip64 end: locator"));
    CHECK_THAT(npz_error(archive_of("x.txt", good)), ContainsSubstring("a name ending in .npy"));
    CHECK_THAT(npz_error(archive_of(".npy", good)), ContainsSubstring("not an array"));
    CHECK_THAT(npz_error(archive_of("\x1B.npy", good)), ContainsSubstring("control characters"));
    CHECK_THAT(npz_error(archive_of("x.npy", "hello, world")),
               ContainsSubstring("entry x.npy: not an npy array"));
    CHECK_THAT(npz_error("hello, I am a text and not an archive"),
               ContainsSubstring("not a zip archive"));
}

TEST_CASE("read_npz: a name twice or an entry twice is refused", "[common]") {
    NpzWriter writer;
    writer.add("a", Tensor{1.0});
    writer.add("b", Tensor{1.0});
    const std::string bytes = bytes_of(write(writer));
    std::string twice = bytes;
    for (std::size_t at = twice.find("b.npy"); at != std::string::npos; at = twice.find("b.npy")) {
        twice[at] = 'a';
    }
    CHECK_THAT(npz_error(twice), ContainsSubstring("entry a.npy: a name twice"));
    // The second line of the directory points to the first entry.
    const std::size_t first = bytes.find("PK\x01\x02");
    const std::size_t second = bytes.find("PK\x01\x02", first + 1);
    std::string same = replaced(bytes, second + 42, bytes.substr(first + 42, 4));
    same = replaced(same, second + 46, "a");
    CHECK_THAT(npz_error(same), ContainsSubstring("entries overlap"));
}

// Sizes and places in the zip64 fields, as numpy.savez writes some and large files need all.
TEST_CASE("read_npz: zip64 records are read", "[common]") {
    const std::string npy =
        npy_of("{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }", "\x05\0\0\0"s);
    const std::string bytes = archive_of("x.npy", npy);
    const std::size_t central = bytes.find("PK\x01\x02");
    const std::size_t end = bytes.find("PK\x05\x06");
    const auto number = [](std::size_t x) {
        return std::string{static_cast<char>(x & 0xFFU), static_cast<char>(x >> 8)} +
               std::string(6, '\0');
    };
    const std::string full = "\xFF\xFF\xFF\xFF";
    std::string directory = bytes.substr(central, end - central);
    directory = replaced(directory, 20, full + full);
    directory = replaced(directory, 30, "\x1C"s);
    directory = replaced(directory, 42, full);
    directory += "\x01\0\x18\0"s + number(npy.size()) + number(npy.size()) + number(0);
    const std::string zip64 = "PK\x06\x06"s + number(44) + "\x2D\0\x2D\0"s + number(0) + number(1) +
                              number(1) + number(directory.size()) + number(central) +
                              "PK\x06\x07\0\0\0\0"s + number(central + directory.size()) +
                              "\x01\0\0\0"s;
    const std::string last = "PK\x05\x06\0\0\0\0\xFF\xFF\xFF\xFF"s + full + full + "\0\0"s;
    const std::string path = scratch("zip64.npz");
    put(path, bytes.substr(0, central) + directory + zip64 + last);
    CHECK(bert::read_npz(path).at("x").to_ints() == std::vector<std::int64_t>{5});

    const std::string all = bytes_of(path);
    for (std::size_t at = central; at < all.size(); ++at) {
        std::string changed = all;
        changed[at] = static_cast<char>(changed[at] ^ 0x80);
        put(path, changed);
        try {
            const auto arrays = bert::read_npz(path);
            REQUIRE(arrays.size() == 1);
            REQUIRE(arrays.begin()->second.to_ints() == std::vector<std::int64_t>{5});
        } catch (const FileError& e) {
            REQUIRE_THAT(e.what(), ContainsSubstring("zip64.npz: "));
        }
    }
}

TEST_CASE("zip_end: large archives get zip64 records", "[common]") {
    const std::uint64_t offset = std::uint64_t{5} << 30;
    const std::string end = bert::zip_end(2, offset, 100);
    CHECK(end.size() == 56 + 20 + 22);
    CHECK(end.substr(48, 8) == "\0\0\0\x40\x01\0\0\0"s);
    CHECK(end.substr(56 + 8, 8) == "\x64\0\0\x40\x01\0\0\0"s);
    CHECK(end.substr(56 + 20 + 16, 4) == "\xFF\xFF\xFF\xFF");
    const bert::ZipEntry entry{
        .name = "x.npy", .crc = 0, .size = offset, .header = offset + 7, .data = 0};
    const std::string central = bert::zip_central_header(entry);
    CHECK(central.size() == 46 + 5 + 28);
    CHECK(central.substr(46 + 5, 4) == "\x01\0\x18\0"s);
    const std::string local = bert::zip_local_header(entry);
    CHECK((entry.header + local.size()) % 64 == 0);
    CHECK(local.substr(30 + 5, 12) == "\x01\0\x10\0\0\0\0\x40\x01\0\0\0"s);
}

TEST_CASE("read_npy: the dictionary may be written in any way Python reads", "[common]") {
    const std::string path = scratch("way.npy");
    for (const std::string text :
         {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 1), }",
          "{\"shape\":(2,1),\"fortran_order\":False,\"descr\":\"<i4\"}",
          " { 'fortran_order' : False , 'shape' : ( 2 , 1 , ) , 'descr' : '<i4' }   "}) {
        put(path, npy_of(text, "\x05\0\0\0\x06\0\0\0"s));
        CHECK(bert::read_npy(path).shape() == Shape{2, 1});
        CHECK(bert::read_npy(path).to_ints() == std::vector<std::int64_t>{5, 6});
    }
    const std::string dictionary = "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}\n";
    const std::string version_2 = "\x93NUMPY\x02\0"s + static_cast<char>(dictionary.size()) +
                                  "\0\0\0"s + dictionary + "\0\x01\x02"s;
    put(path, version_2);
    CHECK(bert::read_npy(path).to_tensor() == Tensor{0.0, 1.0, 1.0});
    put(path, npy_of("{'descr': '|u1', 'fortran_order': False, 'shape': ()}", "\xFF"));
    CHECK(bert::read_npy(path).to_tensor() == Tensor(Shape{}, {255.0}));
}

TEST_CASE("read_npy: headers that are not understood are refused with the reason", "[common]") {
    const auto error = [](const std::string& dictionary) {
        return npy_error(npy_of(dictionary, "\0\0\0\0"s));
    };
    const std::string rest = ", 'fortran_order': False, 'shape': (1,)}";
    const std::string start = "{'descr': '<f4', 'fortran_order': False, 'shape': ";
    CHECK(error("{'descr': '<f4'" + rest) == "nothing thrown");
    CHECK_THAT(error("{'descr': '>f4'" + rest), ContainsSubstring("unknown descr (found >f4"));
    CHECK_THAT(error("{'descr': '<c8'" + rest), ContainsSubstring("unknown descr (found <c8"));
    CHECK_THAT(error("{'descr': '|S4'" + rest), ContainsSubstring("unknown descr (found |S4"));
    CHECK_THAT(error("{'descr': '<U0'" + rest), ContainsSubstring("unknown descr"));
    CHECK_THAT(error("{'descr': '<U-1'" + rest), ContainsSubstring("unknown descr"));
    CHECK_THAT(error("{'descr': '<U9999999999'" + rest), ContainsSubstring("unknown descr"));
    CHECK_THAT(error("{'descr': '|O'" + rest), ContainsSubstring("Python objects"));
    CHECK_THAT(error("{'descr': [('a', '<f4')]" + rest), ContainsSubstring("a structure"));
    CHECK_THAT(error("{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}"),
               ContainsSubstring("expected False, as numpy.ascontiguousarray makes it"));
    CHECK_THAT(error("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}"),
               ContainsSubstring("fortran_order (found 0"));
    CHECK_THAT(error("{'descr': '<f4', 'shape': (1,)}"), ContainsSubstring("a key is missing"));
    CHECK_THAT(error("{'descr': '<f4', 'descr': '<f4'" + rest), ContainsSubstring("a key twice"));
    CHECK_THAT(error("{'other': 1" + rest), ContainsSubstring("unknown key"));
    CHECK_THAT(error(start + "(1)}"), ContainsSubstring("shape (found ), expected ,)"));
    CHECK_THAT(error(start + "(-1,)}"), ContainsSubstring("a whole number"));
    CHECK_THAT(error(start + "(1L,)}"), ContainsSubstring("shape (found L"));
    CHECK_THAT(error(start + "(01,)}"), ContainsSubstring("a whole number"));
    CHECK_THAT(error(start + "(1,,)}"), ContainsSubstring("a whole number"));
    CHECK_THAT(error(start + "(1, 1 1)}"), ContainsSubstring("shape (found 1"));
    CHECK_THAT(error(start + "(1,)} import os"), ContainsSubstring("after the dictionary"));
    CHECK_THAT(error(start + "(1,)"), ContainsSubstring("found the end, expected }"));
    CHECK_THAT(error(start + "(1,1,1,1,1,1,1,1,1)}"), ContainsSubstring("at most 8"));
    CHECK_THAT(error(start + "(99999999999999999999,)}"), ContainsSubstring("less than 2^64"));
    CHECK_THAT(error(start + "(4294967296, 4294967296)}"), ContainsSubstring("too large"));
    CHECK_THAT(error(start + "(0, 4294967296, 4294967296)}"), ContainsSubstring("too large"));
    CHECK_THAT(error(start + "(1000000000,)}"), ContainsSubstring("4 bytes, expected 4000000000"));
    CHECK_THAT(error(start + "(0,)}"), ContainsSubstring("4 bytes, expected 0"));
}

TEST_CASE("read_npy: every shorter beginning of a file is refused", "[common]") {
    const std::string path = scratch("whole.npy");
    bert::write_npy(path, Tensor{1.0, 2.0});
    const std::string bytes = bytes_of(path);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CHECK_THAT(npy_error(bytes.substr(0, size)), ContainsSubstring("bad.npy: array: "));
    }
    CHECK_THAT(npy_error(replaced(bytes, 6, "\x04")), ContainsSubstring("npy version (found 4.0"));
    CHECK_THAT(npy_error(replaced(bytes, 8, "\xFF\xFF")), ContainsSubstring("header length"));
}

TEST_CASE("NpyArray: a type asked for in vain is refused with path and entry", "[common]") {
    NpzWriter writer = small_archive();
    writer.add("f", Tensor{1.0}, NpyFloat::f8);
    const auto arrays = bert::read_npz(write(writer));
    CHECK_THAT(message_of([&] { arrays.at("words").to_tensor(); }),
               ContainsSubstring("x.npz: entry words.npy: not numbers (found <U2"));
    CHECK_THAT(message_of([&] { arrays.at("words").to_ints(); }),
               ContainsSubstring("not whole numbers"));
    CHECK_THAT(message_of([&] { arrays.at("f").to_ints(); }),
               ContainsSubstring("not whole numbers (found <f8"));
    CHECK_THAT(message_of([&] { arrays.at("f").to_strings(); }),
               ContainsSubstring("not strings (found <f8"));
    const bert::NpyArray bad("p", "w", "<U1", {1}, "\0\xD8\0\0"s);
    CHECK_THAT(message_of([&] { bad.to_strings(); }), ContainsSubstring("(found 55296, expected"));
    const bert::NpyArray huge("p", "w", "<f8", {1}, "\0\0\0\0\0\0\xF0\x7E"s);  // about 1e303
    if (sizeof(Real) == sizeof(float)) {
        CHECK_THAT(message_of([&] { huge.to_tensor(); }), ContainsSubstring("out of range"));
    } else {
        CHECK(std::isfinite(huge.to_tensor()(0)));
    }
}

TEST_CASE("read_tensors: an archive with strings or another ending is refused", "[common]") {
    const std::string path = write(small_archive());
    CHECK_THAT(message_of([&] { bert::read_tensors(path); }),
               ContainsSubstring("entry words.npy: not numbers"));
    CHECK_THAT(message_of([&] { bert::read_tensors("x.txt"); }),
               ContainsSubstring(".npz or .json"));
}
