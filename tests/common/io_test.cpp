#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "common/io/atomic_file.hpp"
#include "common/io/csv.hpp"
#include "common/io/file_error.hpp"
#include "common/io/input_file.hpp"
#include "common/io/json_file.hpp"
#include "common/io/npz.hpp"
#include "common/io/utf8.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

namespace fs = std::filesystem;
using namespace std::string_literals;
using bert::FileError;
using bert::IoError;
using bert::Real;
using bert::Shape;
using bert::Tensor;

namespace {

std::size_t files_in(const fs::path& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator{folder}, fs::directory_iterator{}));
}

// Without the sync of write_file.
void put(const std::string& path, const std::string& bytes) {
    std::filesystem::remove(path);  // some systems sync a file that is cut to length 0
    std::ofstream{path, std::ios::binary} << bytes;
}

std::string json_error(const std::string& text) {
    static const fs::path folder = bert::test::scratch_folder("json");
    const std::string path = (folder / "t.json").string();
    put(path, text);
    try {
        bert::read_json_tensors(path);
    } catch (const FileError& e) {
        return e.what();
    }
    return "nothing thrown";
}

std::map<std::string, Tensor> json_of(const std::string& text) {
    static const fs::path folder = bert::test::scratch_folder("json_of");
    const std::string path = (folder / "t.json").string();
    put(path, text);
    return bert::read_tensors(path);
}

}  // namespace

TEST_CASE("write_file: the file holds the bytes and nothing else is left", "[common]") {
    const fs::path folder = bert::test::scratch_folder("write");
    const std::string path = (folder / "f").string();
    for (const std::string& bytes : {"one\0two"s, ""s, std::string(1U << 20, 'x')}) {
        bert::write_file(path, bytes);
        CHECK(bert::read_file(path, 1U << 20) == bytes);
        CHECK(files_in(folder) == 1);
    }
    const std::string longest = (folder / std::string(255, 'n')).string();
    bert::write_file(longest, "x");
    CHECK(bert::read_file(longest, 1) == "x");
}

TEST_CASE("AtomicFile: without commit the old file stays", "[common]") {
    const fs::path folder = bert::test::scratch_folder("commit");
    const std::string path = (folder / "f").string();
    bert::write_file(path, "old");
    {
        bert::AtomicFile file{path};
        file.write("new, but half");
        CHECK(files_in(folder) == 2);
        CHECK(bert::read_file(path, 100) == "old");
    }
    CHECK(files_in(folder) == 1);
    CHECK(bert::read_file(path, 100) == "old");
}

TEST_CASE("write_file: a link is followed and permissions stay", "[common]") {
    const fs::path folder = bert::test::scratch_folder("link");
    const fs::path target = folder / "target";
    bert::write_file(target.string(), "old");
    fs::permissions(target, fs::perms{0640});
    fs::create_symlink("target", folder / "link");
    bert::write_file((folder / "link").string(), "new");
    CHECK(fs::is_symlink(folder / "link"));
    CHECK(bert::read_file(target.string(), 100) == "new");
    CHECK(fs::status(target).permissions() == fs::perms{0640});
}

TEST_CASE("write_file: targets that cannot be written are errors with path and reason",
          "[common]") {
    const fs::path folder = bert::test::scratch_folder("refused");
    const std::string file = (folder / "file").string();
    bert::write_file(file, "x");
    const auto error = [](const std::string& path) {
        try {
            bert::write_file(path, "bytes");
        } catch (const IoError& e) {
            return std::string{e.what()};
        }
        return "nothing thrown"s;
    };
    CHECK(error((folder / "missing/f").string()) ==
          (folder / "missing/f").string() +
              ": cannot open for writing this file: No such file or directory");
    CHECK_THAT(error(file + "/f"), ContainsSubstring("Not a directory"));
    CHECK_THAT(error(folder.string()), ContainsSubstring("Is a directory"));
    CHECK_THAT(error("/dev/full"),
               ContainsSubstring("/dev/full: cannot write this file: No space"));
    CHECK_THAT(error(""), ContainsSubstring("cannot "));
    CHECK_THAT(error((folder / std::string(256, 'n')).string()), ContainsSubstring("too long"));
    CHECK(error("/dev/null") == "nothing thrown");
    CHECK(fs::is_character_file("/dev/null"));
    CHECK(files_in(folder) == 1);
    CHECK(bert::read_file(file, 1) == "x");
}

// The limit on a file's size stands for a disk that fills up after some bytes.
TEST_CASE("write_file: a write that fails halfway leaves the old file alone", "[common]") {
    const fs::path folder = bert::test::scratch_folder("halfway");
    const std::string path = (folder / "f").string();
    bert::write_file(path, "old");

    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        struct rlimit limit {};
        limit.rlim_cur = 1000;
        limit.rlim_max = 1000;
        ::setrlimit(RLIMIT_FSIZE, &limit);
        int code = 1;
        try {
            bert::write_file(path, std::string(5000, 'x'));
        } catch (const IoError& e) {
            code = std::string{e.what()}.find("File too large") == std::string::npos ? 2 : 0;
        }
        ::_exit(code);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(files_in(folder) == 1);
    CHECK(bert::read_file(path, 100) == "old");
}

TEST_CASE("write_file: a pipe gets the bytes directly", "[common]") {
    const fs::path folder = bert::test::scratch_folder("pipe");
    const std::string path = (folder / "fifo").string();
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    CHECK_THROWS_AS(bert::write_file(path, "nobody reads this"), bert::IoError);
    const int end = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);  // a reader is there from now on
    REQUIRE(end >= 0);
    REQUIRE(::fcntl(end, F_SETFL, 0) == 0);
    const int hold = ::open(path.c_str(), O_WRONLY | O_NONBLOCK);  // no end of file before that
    REQUIRE(hold >= 0);
    std::string received;
    std::thread reader{[&] {
        char part[4096];
        for (ssize_t count = 0; (count = ::read(end, part, sizeof part)) > 0;) {
            received.append(part, static_cast<std::size_t>(count));
        }
        ::close(end);
    }};
    bert::write_file(path, std::string(200000, 'x'));
    ::close(hold);
    reader.join();
    CHECK(received == std::string(200000, 'x'));
    CHECK(fs::is_fifo(path));
    CHECK(files_in(folder) == 1);
}

TEST_CASE("read_file: what is not a small regular file is refused", "[common]") {
    const fs::path folder = bert::test::scratch_folder("read");
    const std::string path = (folder / "f").string();
    bert::write_file(path, "12345");
    CHECK(bert::read_file(path, 5) == "12345");
    CHECK_THROWS_WITH(bert::read_file(path, 4),
                      path + ": file: is too large (found 5 bytes, expected at most 4)");
    CHECK_THROWS_WITH(bert::read_file(folder.string(), 4),
                      ContainsSubstring("found a directory, expected a regular file"));
    CHECK_THROWS_AS(bert::read_file(folder.string(), 4), FileError);
    const std::string fifo = (folder / "fifo").string();
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    CHECK_THROWS_WITH(bert::read_file(fifo, 4), ContainsSubstring("found a pipe"));
    CHECK_THROWS_WITH(bert::read_file("/dev/zero", 4), ContainsSubstring("found a device"));
    CHECK_THROWS_AS(bert::read_file((folder / "missing").string(), 4), IoError);
    CHECK_THROWS_WITH(bert::read_file((folder / "missing").string(), 4),
                      ContainsSubstring("cannot open this file: No such file or directory"));
}

TEST_CASE("InputFile: a part beyond the end is refused", "[common]") {
    const fs::path folder = bert::test::scratch_folder("part");
    const std::string path = (folder / "f").string();
    bert::write_file(path, "12345");
    const bert::InputFile file{path};
    CHECK(file.read(1, 3) == "234");
    CHECK(file.read(5, 0).empty());
    CHECK_THROWS_AS(file.read(1, 5), FileError);
    CHECK_THROWS_AS(file.read(6, 0), FileError);
    CHECK_THROWS_AS(file.read(2, ~std::uint64_t{0}), FileError);
    fs::resize_file(path, 2);
    CHECK_THROWS_WITH(file.read(0, 5), ContainsSubstring("byte 2: the file shrank"));
}

TEST_CASE("read_json_tensors: numbers and nested lists become tensors", "[common]") {
    const auto tensors = json_of(R"({"s": -2.5e-1, "v": [1, 2, 3], "m": [[1, 2], [3, 4], [5, 6]],
                                     "d4": [[[[1], [2]]]], "": [0]})");
    CHECK(tensors.size() == 5);
    CHECK(tensors.at("s") == Tensor(Shape{}, {-0.25}));
    CHECK(tensors.at("v") == Tensor{1.0, 2.0, 3.0});
    CHECK(tensors.at("m") == Tensor{{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}});
    CHECK(tensors.at("d4") == Tensor(Shape{1, 1, 2, 1}, {1.0, 2.0}));
    CHECK(tensors.at("") == Tensor{0.0});
    CHECK(json_of("{}").empty());
    CHECK(json_of("{\"a\": 18446744073709551615}").at("a")() ==
          static_cast<Real>(18446744073709551615.0));
}

TEST_CASE("read_json_tensors: text that is not JSON is refused with line and column", "[common]") {
    CHECK_THAT(json_error("{\n  \"a\": [1, 2,, 3]\n}"),
               ContainsSubstring("t.json: line 2, column 14: not JSON (found "));
    CHECK_THAT(json_error(""), ContainsSubstring("line 1, column 1: not JSON"));
    CHECK_THAT(json_error("{\"a\": [1"), ContainsSubstring("line 1, column 9: not JSON"));
    CHECK_THAT(json_error("{\"a\": NaN}"), ContainsSubstring("line 1, column 7: not JSON"));
    CHECK_THAT(json_error("{\"a\": 01}"), ContainsSubstring("not JSON"));
    CHECK_THAT(json_error("{\"a\": 1} x"), ContainsSubstring("line 1, column 10: not JSON"));
    CHECK_THAT(json_error("{\"\xFF\": 1}"), ContainsSubstring("not JSON"));
    CHECK_THAT(json_error("{\"a\": 1e999}"), ContainsSubstring("line 1, column "));
}

TEST_CASE("read_json_tensors: values that are no tensor are refused with their place", "[common]") {
    CHECK_THAT(json_error("{\"q\": [[1, 2], [3]]}"),
               ContainsSubstring("t.json: \"q\"[1]: a list differs in length from the one before "
                                 "(found 1, expected 2)"));
    CHECK_THAT(json_error("{\"q\": [[1, 2], [3, 4, 5]]}"),
               ContainsSubstring("found 3, expected 2"));
    CHECK_THAT(json_error("{\"q\": [[1], 2]}"), ContainsSubstring("\"q\"[1]: not as deep"));
    CHECK_THAT(json_error("{\"q\": [1, [2]]}"), ContainsSubstring("\"q\"[1]: not as deep"));
    CHECK_THAT(json_error("{\"q\": [1, null]}"),
               ContainsSubstring("\"q\"[1]: wrong kind of value"));
    CHECK_THAT(json_error("{\"q\": [1, \"2\"]}"), ContainsSubstring("found \"2\", expected"));
    CHECK_THAT(json_error("{\"q\": [true]}"), ContainsSubstring("found true"));
    CHECK_THAT(json_error("{\"q\": {\"a\": 1}}"), ContainsSubstring("found an object"));
    CHECK_THAT(json_error("[1, 2]"), ContainsSubstring("top: wrong kind of value (found a list"));
    CHECK_THAT(json_error("3"), ContainsSubstring("top: wrong kind of value (found a number"));
    CHECK_THAT(json_error("{\"q\": []}"), ContainsSubstring("\"q\": a list is empty"));
    CHECK_THAT(json_error("{\"q\": [[1], []]}"), ContainsSubstring("\"q\"[1]: a list is empty"));
    CHECK_THAT(json_error("{\"q\": [[[[[1]]]]]}"), ContainsSubstring("lists too deep"));
    CHECK_THAT(json_error("{\"a\": 1, \"\\u0061\": 2}"), ContainsSubstring("\"a\": a name twice"));
    if (sizeof(Real) == sizeof(float)) {
        CHECK_THAT(json_error("{\"q\": [1e39]}"),
                   ContainsSubstring("\"q\"[0]: a number is out of"));
    }
}

TEST_CASE("read_json_tensors: no input takes the stack or the memory", "[common]") {
    CHECK_THAT(json_error("{\"q\": " + std::string(1000000, '[')),
               ContainsSubstring("lists too deep"));
    CHECK_THAT(json_error(std::string(1000000, '[')), ContainsSubstring("found a list"));
    std::string objects;
    for (int i = 0; i < 100000; ++i)
        objects += "{\"a\":";
    CHECK_THAT(json_error(objects), ContainsSubstring("found an object"));
    CHECK_THAT(json_error(std::string((16U << 20) + 1, ' ')),
               ContainsSubstring("too large (found 16777217 bytes, expected at most 16777216)"));
    const std::string longest = json_error("{\"" + std::string(100000, 'n') + "\": []}");
    CHECK(longest.size() < 500);
}

TEST_CASE("json_string: quotes and control characters are escaped", "[common]") {
    CHECK(bert::json_string("a\"b\\c\n\x01") == "\"a\\\"b\\\\c\\n\\u0001\"");
    CHECK(bert::json_string("\xC3\xA9") == "\"\xC3\xA9\"");
    CHECK(bert::json_string("a\xFFz") == "\"a\xEF\xBF\xBDz\"");
}

TEST_CASE("csv_field: quotes only what needs them", "[common]") {
    CHECK(bert::csv_field("plain text") == "plain text");
    CHECK(bert::csv_field("") == "");
    CHECK(bert::csv_field("a,b") == "\"a,b\"");
    CHECK(bert::csv_field("say \"x\"") == "\"say \"\"x\"\"\"");
    CHECK(bert::csv_field("a\nb") == "\"a\nb\"");
    CHECK(bert::csv_field("a\rb") == "\"a\rb\"");
    CHECK(bert::csv_field(" a") == "\" a\"");
    CHECK(bert::csv_field("##ing") == "##ing");
}

TEST_CASE("csv_line: fields with commas between and CR LF at the end", "[common]") {
    CHECK(bert::csv_line({"a", "", "b,c"}) == "a,,\"b,c\"\r\n");
    CHECK(bert::csv_line({""}) == "\"\"\r\n");
    CHECK(bert::csv_line({}) == "\r\n");
}

TEST_CASE("append_utf8: every code point and nothing else goes there and back", "[common]") {
    for (char32_t c = 0; c <= 0x110010; ++c) {
        std::string text;
        const bool exists = (c < 0xD800 || c > 0xDFFF) && c <= 0x10FFFF;
        REQUIRE(bert::append_utf8(text, c) == exists);
        REQUIRE(text.empty() == !exists);
        if (exists) REQUIRE(bert::utf8_to_code_points(text).value() == std::u32string(1, c));
    }
}

TEST_CASE("utf8_to_code_points: malformed text is refused", "[common]") {
    for (const std::string& text :
         {"\x80"s, "\xC0\x80"s, "\xC1\xBF"s, "\xE0\x80\x80"s, "\xE0\x9F\xBF"s, "\xED\xA0\x80"s,
          "\xF0\x80\x80\x80"s, "\xF0\x8F\xBF\xBF"s, "\xF4\x90\x80\x80"s, "\xF5\x80\x80\x80"s,
          "\xFF"s, "a\xC3"s, "\xE2\x82"s, "\xC3("s, "\xF0\x9F\x99"s}) {
        CHECK(!bert::utf8_to_code_points(text).has_value());
    }
    CHECK(bert::utf8_to_code_points("a\xC3\xA9\xF0\x9F\x99\x82").value() == U"a\u00E9\U0001F642");
}

TEST_CASE("remove_leftover_temporaries: only those of programs that are gone", "[io]") {
    const auto folder = bert::test::scratch_folder("leftovers");
    // No process has the largest number that fits; this one is alive.
    const std::string gone = ".write-2147483647-0.tmp";
    const std::string alive = ".write-" + std::to_string(getpid()) + "-0.tmp";
    for (const std::string& name : {gone, alive, std::string{".write-x.tmp"}, std::string{"a.tmp"}})
        std::ofstream{folder / name} << "x";
    bert::remove_leftover_temporaries(folder.string());
    CHECK_FALSE(std::filesystem::exists(folder / gone));
    for (const std::string& name : {alive, std::string{".write-x.tmp"}, std::string{"a.tmp"}})
        CHECK(std::filesystem::exists(folder / name));
    bert::remove_leftover_temporaries((folder / "none").string());
}
