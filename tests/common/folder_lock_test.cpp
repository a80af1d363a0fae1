#include "common/io/folder_lock.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>

#include "common/io/atomic_file.hpp"
#include "common/io/file_error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using test::scratch_folder;

TEST_CASE("FolderLock: the second one is refused until the first is gone", "[io]") {
    const std::string folder = (scratch_folder("lock") / "made" / "when missing").string();
    std::optional<FolderLock> first;
    first.emplace(folder);
    CHECK_THROWS_AS(FolderLock{folder}, IoError);
    CHECK_THROWS_WITH(FolderLock{folder},
                      folder + "/lock: another program is at work in this folder");
    const FolderLock elsewhere{folder + "/other"};
    first.reset();
    CHECK_NOTHROW(FolderLock{folder});
    CHECK_NOTHROW(FolderLock{folder});  // the file that is left locks nobody out
}

TEST_CASE("FolderLock: a killed program holds it no longer", "[io]") {
    const std::string folder = scratch_folder("lock").string();
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    const pid_t child = fork();
    if (child == 0) {
        const FolderLock lock{folder};
        static_cast<void>(!write(ready[1], "x", 1));
        for (;;)
            pause();
    }
    char byte = 0;
    REQUIRE(read(ready[0], &byte, 1) == 1);
    CHECK_THROWS_AS(FolderLock{folder}, IoError);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    CHECK_NOTHROW(FolderLock{folder});
    close(ready[0]);
    close(ready[1]);
}

TEST_CASE("FolderLock: a program started meanwhile does not inherit it", "[io]") {
    const std::string folder = scratch_folder("lock").string();
    std::optional<FolderLock> lock;
    lock.emplace(folder);
    const pid_t child = fork();
    if (child == 0) {
        execlp("sleep", "sleep", "30", nullptr);
        _exit(1);
    }
    while (std::filesystem::read_symlink("/proc/" + std::to_string(child) + "/exe") ==
           std::filesystem::read_symlink("/proc/self/exe")) {
        usleep(1000);
    }
    lock.reset();
    CHECK_NOTHROW(FolderLock{folder});
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
}

TEST_CASE("FolderLock: a folder that cannot be is refused", "[io]") {
    const auto folder = scratch_folder("lock");
    const std::string file = (folder / "file").string();
    write_file(file, "text");
    CHECK_THROWS_AS(FolderLock{file}, IoError);
    CHECK_THROWS_AS(FolderLock{file + "/below"}, IoError);
    CHECK_THROWS_AS(FolderLock{"/proc/none"}, IoError);
    // Neither followed nor waited for.
    std::filesystem::create_directory(folder / "linked");
    std::filesystem::create_symlink(file, folder / "linked" / "lock");
    CHECK_THROWS_AS(FolderLock{(folder / "linked").string()}, IoError);
    std::filesystem::create_directories(folder / "taken" / "lock");
    CHECK_THROWS_AS(FolderLock{(folder / "taken").string()}, IoError);
}
