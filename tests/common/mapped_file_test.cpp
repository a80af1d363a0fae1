#include "common/io/mapped_file.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "common/io/atomic_file.hpp"
#include "common/io/file_error.hpp"
#include "common/tensor/tensor.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using bert::FileError;
using bert::MappedFile;
using bert::Real;
using bert::Tensor;

namespace fs = std::filesystem;

namespace {

std::string put(const std::string& name, const std::string& bytes) {
    static const auto folder = bert::test::scratch_folder("mapped");
    const std::string path = (folder / name).string();
    std::ofstream{path, std::ios::binary} << bytes;
    return path;
}

}  // namespace

TEST_CASE("MappedFile: the bytes of the file", "[common]") {
    const std::string text(10000, 'x');
    const MappedFile file{put("a", text)};
    CHECK(file.bytes() == text);
    CHECK_NOTHROW(file.require_intact());
    const MappedFile empty{put("empty", "")};
    CHECK(empty.bytes().empty());
    CHECK_NOTHROW(empty.require_intact());
}

TEST_CASE("MappedFile: what is no regular file is refused and never waited for", "[common]") {
    const std::string path = put("target", "x");
    const fs::path folder = fs::path{path}.parent_path();
    CHECK_THROWS_WITH(MappedFile{folder.string()}, ContainsSubstring("found a directory"));
    CHECK_THROWS_WITH(MappedFile{"/dev/zero"}, ContainsSubstring("found a device"));
    CHECK_THROWS_AS(MappedFile{(folder / "none").string()}, bert::IoError);
    const std::string link = (folder / "link").string();
    fs::create_symlink(path, link);
    CHECK(MappedFile{link}.bytes() == "x");
    CHECK_THROWS_WITH((MappedFile{link, bert::Links::refuse}),
                      ContainsSubstring("is a symbolic link (found a link, expected the file"));
    CHECK((MappedFile{path, bert::Links::refuse}).bytes() == "x");
}

TEST_CASE("MappedFile: a file cut short gives zeros and an error and no signal", "[common]") {
    const std::string path = put("short", std::string(100000, 'x'));
    const MappedFile file{path};
    const MappedFile other{put("other", std::string(5000, 'y'))};
    fs::resize_file(path, 10);
    // Pages that are gone altogether, and the rest of the page that is left.
    CHECK(std::count(file.bytes().begin(), file.bytes().end(), 'x') == 10);
    CHECK(std::count(file.bytes().begin(), file.bytes().end(), '\0') == 99990);
    CHECK_THROWS_WITH(file.require_intact(),
                      ContainsSubstring("short: file: changed while it was read (found a file cut "
                                        "short, expected the 100000 bytes that were opened)"));
    CHECK_NOTHROW(other.require_intact());
}

TEST_CASE("MappedFile: a file that is written to is told from one that is replaced", "[common]") {
    const std::string path = put("old", "old bytes");
    const MappedFile file{path};
    bert::write_file(path, "new bytes");
    CHECK(file.bytes() == "old bytes");
    CHECK_NOTHROW(file.require_intact());
    const MappedFile again{path};
    const auto hour = std::chrono::hours{1};
    fs::last_write_time(path, fs::last_write_time(path) + hour);
    CHECK_THROWS_WITH(again.require_intact(), ContainsSubstring("found a new size or time"));
    const MappedFile shorter{path};
    const auto then = fs::last_write_time(path);
    fs::resize_file(path, 4);
    fs::last_write_time(path, then);
    CHECK_THROWS_AS(shorter.require_intact(), FileError);
    const MappedFile third{path};
    std::ofstream{path, std::ios::app} << "more";
    CHECK_THROWS_AS(third.require_intact(), FileError);
}

TEST_CASE("MappedFile: nothing of a file that is gone stays mapped", "[common]") {
    const std::string path = put("gone_by_then", "x");
    const auto is_mapped = [&path] {
        std::ifstream maps{"/proc/self/maps"};
        const std::string text{std::istreambuf_iterator<char>(maps), {}};
        return text.find(fs::path{path}.filename().string()) != std::string::npos;
    };
    {
        const MappedFile file{path};
        CHECK(is_mapped());
    }
    CHECK_FALSE(is_mapped());
}

TEST_CASE("MappedFile: a bus error that is not its own still ends the program", "[common]") {
    const MappedFile file{put("b", "x")};
    const pid_t child = ::fork();
    if (child == 0) {
        ::raise(SIGBUS);  // comes back: no memory of a mapping
        ::raise(SIGBUS);
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    // The sanitizers have a handler of their own, which exits.
    CHECK((WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) != 0)));
}

TEST_CASE("MappedFile: a thousand at once and no more", "[common]") {
    const std::string path = put("many", "x");
    std::vector<std::unique_ptr<MappedFile>> files;
    const auto map_all = [&] {
        for (int i = 0; i < 1100; ++i)
            files.push_back(std::make_unique<MappedFile>(path));
    };
    CHECK_THROWS_AS(map_all(), bert::IoError);  // of mappings or of open files
    files.clear();
    CHECK(MappedFile{path}.bytes() == "x");
}

TEST_CASE("Tensor::view_of: numbers of another owner are shared and never written to", "[common]") {
    const auto owner = std::make_shared<std::vector<Real>>(std::vector<Real>{1, 2, 3, 4});
    const std::weak_ptr<std::vector<Real>> watch = owner;
    std::shared_ptr<const Real[]> values{owner, owner->data()};
    Tensor x = Tensor::view_of({2, 2}, std::move(values));
    CHECK(x.data() == owner->data());
    Tensor y = x;
    CHECK(y.data() == owner->data());
    y(0, 0) = 9;
    CHECK(y == Tensor{{9.0, 2.0}, {3.0, 4.0}});
    CHECK(*owner == std::vector<Real>{1, 2, 3, 4});
    const Real* const own = y.data();
    y(1, 1) = 8;
    CHECK(y.data() == own);  // its own by now: no second copy
    Tensor z = x.reshaped({4});
    x = y;
    z.mutable_data()[3] = 0;
    CHECK(*owner == std::vector<Real>{1, 2, 3, 4});
}

TEST_CASE("Tensor::view_of: the last tensor lets the numbers go", "[common]") {
    auto owner = std::make_shared<std::vector<Real>>(std::vector<Real>{1, 2});
    const std::weak_ptr<std::vector<Real>> watch = owner;
    Tensor x = Tensor::view_of({2}, std::shared_ptr<const Real[]>{owner, owner->data()});
    owner.reset();
    CHECK_FALSE(watch.expired());
    CHECK(x == Tensor{1.0, 2.0});
    x(0) = 5;  // though it was the only one that looked
    CHECK(watch.expired());
    CHECK(x == Tensor{5.0, 2.0});
    CHECK_THROWS_AS(Tensor::view_of({std::size_t{1} << 62, 4}, nullptr), std::length_error);
}
