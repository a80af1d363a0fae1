#include "common/io/scratch_file.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "common/io/file_error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using bert::test::scratch_folder;

TEST_CASE("ScratchNumbers: what was added is there and the folder stays empty", "[common]") {
    const auto folder = scratch_folder("scratch-numbers");
    ScratchNumbers<std::uint64_t> numbers{folder.string()};
    constexpr std::size_t count = 200'000;  // several writes
    for (std::uint64_t i = 0; i < count; ++i)
        numbers.add(i * i);
    CHECK(std::filesystem::is_empty(folder));
    const ScratchNumbers<std::uint64_t> empty{folder.string()};
    ScratchNumbers<std::uint64_t> moved = std::move(numbers);
    const auto mapped = moved.map();
    REQUIRE(mapped.size() == count);
    moved.release();
    bool equal = true;
    for (std::uint64_t i = 0; i < count; ++i)
        equal = equal && mapped[i] == i * i;
    CHECK(equal);
    CHECK(moved.map().data() == mapped.data());
    CHECK_THROWS_AS(moved.add(1), std::logic_error);
    CHECK(ScratchNumbers<int>{folder.string()}.map().empty());
    CHECK(std::filesystem::is_empty(folder));
}

TEST_CASE("ScratchFile: says which folder takes no file", "[common]") {
    CHECK_THROWS_AS(ScratchFile{"/no/such/folder"}, IoError);
    CHECK_THROWS_WITH(ScratchFile{"/no/such/folder"}, ContainsSubstring("/no/such/folder: cannot"));
}

TEST_CASE("scratch_folder_beside: the output's folder or the system's", "[common]") {
    const std::string temporary = std::filesystem::temp_directory_path().string();
    const auto folder = scratch_folder("scratch-beside");
    CHECK(scratch_folder_beside("x") == ".");
    CHECK(scratch_folder_beside((folder / "x").string()) == folder.string());
    CHECK(scratch_folder_beside("") == temporary);
    CHECK(scratch_folder_beside("/dev/null") == temporary);
}
