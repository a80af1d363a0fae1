// Trainings in a program of their own that is killed or asked to stop, and then resumed.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "ch09_translation/training_log.hpp"
#include "common/cli/program.hpp"
#include "common/random/random.hpp"
#include "tests/ch09_translation/small_training.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/shell.hpp"

using namespace bert;
using namespace bert::test;

namespace {

constexpr std::size_t kills = sanitized ? 5 : 20;
constexpr std::uint64_t many_steps = sanitized ? 400 : 2000;
constexpr std::uint64_t some_steps = 150;
constexpr const char* folder_variable = "BERT_TEST_TRAINING_FOLDER";
constexpr const char* steps_variable = "BERT_TEST_TRAINING_STEPS";
constexpr const char* child_name = "run_training: the trainer that the tests of resuming start";

RunOptions long_run(const std::string& folder, std::uint64_t steps) {
    RunOptions options = small_run(folder);
    options.training.steps = steps;
    // Some steps: much of the time goes into writing checkpoints. Many steps: hardly any of it.
    options.checkpoint_every = steps == some_steps ? 3 : 700;
    options.resume = true;
    return options;
}

struct Files {
    std::string checkpoint;
    std::string log;
    bool operator==(const Files&) const = default;
};

Files files_in(const std::filesystem::path& folder) {
    return {content(folder / checkpoint_name), content(folder / log_name)};
}

std::uint64_t lines_in(const std::filesystem::path& folder) {
    const std::string log = content(folder / log_name);
    return static_cast<std::uint64_t>(std::count(log.begin(), log.end(), '\n'));
}

// What a training without interruption leaves.
Files expected_files(std::uint64_t steps) {
    const auto folder = scratch_folder("resume_whole");
    run_training(small_data(), long_run(folder.string(), steps));
    return files_in(folder);
}

// This test program, running the test below that trains in `folder`.
class Trainer {
  public:
    Trainer(const std::filesystem::path& folder, std::uint64_t steps, int threads)
        : error_file_(folder / "error") {
        const std::string name = child_name;
        std::vector<std::string> environment{
            std::string{folder_variable} + "=" + folder.string(),
            std::string{steps_variable} + "=" + std::to_string(steps),
            "OMP_NUM_THREADS=" + std::to_string(threads)};
        for (char** variable = environ; *variable != nullptr; ++variable) {
            if (!std::string_view{*variable}.starts_with("OMP_NUM_THREADS="))
                environment.emplace_back(*variable);
        }
        std::vector<char*> variables;
        for (std::string& variable : environment)
            variables.push_back(variable.data());
        variables.push_back(nullptr);
        std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
        std::string test = name;
        char* const arguments[] = {program.data(), test.data(), nullptr};
        posix_spawn_file_actions_t files;
        posix_spawn_file_actions_init(&files);
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, error_file_.c_str(),
                                         O_WRONLY | O_CREAT | O_TRUNC, 0600);
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        const int fault =
            posix_spawn(&process_, program.c_str(), &files, nullptr, arguments, variables.data());
        posix_spawn_file_actions_destroy(&files);
        REQUIRE(fault == 0);
    }
    ~Trainer() {
        if (process_ == 0) return;
        kill(process_, SIGKILL);
        wait();
    }
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;

    bool is_running() {
        siginfo_t information{};
        return waitid(P_PID, static_cast<id_t>(process_), &information,
                      WEXITED | WNOHANG | WNOWAIT) == 0 &&
               information.si_pid == 0;
    }
    void send(int signal) const { kill(process_, signal); }
    /// The exit code, or minus the number of the signal that ended it.
    int wait() {
        int status = 0;
        waitpid(std::exchange(process_, 0), &status, 0);
        return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    }
    std::string error() const { return content(error_file_); }

  private:
    std::filesystem::path error_file_;
    pid_t process_ = 0;
};

void wait_for_lines(Trainer& trainer, const std::filesystem::path& folder, std::uint64_t lines) {
    while (trainer.is_running() && lines_in(folder) < lines)
        std::this_thread::sleep_for(std::chrono::microseconds{300});
}

}  // namespace

TEST_CASE("run_training: the trainer that the tests of resuming start", "[ch09]") {
    const char* const folder = std::getenv(folder_variable);
    const char* const steps = std::getenv(steps_variable);
    if (folder == nullptr || steps == nullptr) return;  // not started by them
    const int code = run_guarded([folder, steps] {
        run_training(small_data(), long_run(folder, std::stoull(steps)));
        return ExitCode::success;
    });
    std::_Exit(code);
}

TEST_CASE("run_training: killed at random moments and resumed it ends in the same bytes",
          "[ch09]") {
    const Files expected = expected_files(some_steps);
    Random random{20};
    std::size_t killed = 0;
    while (killed < kills) {
        const auto folder = scratch_folder("resume_killed");
        for (bool finished = false; !finished;) {
            Trainer trainer{folder, some_steps, 1 + static_cast<int>(random.below(2))};
            // A step later on, and some microseconds, which may fall into the writing of a
            // checkpoint; now and then while the program has hardly started.
            const std::uint64_t next = lines_in(folder) + random.below(some_steps / 15);
            if (killed < kills && random.below(4) > 0) wait_for_lines(trainer, folder, next);
            if (killed < kills) {
                std::this_thread::sleep_for(std::chrono::microseconds{random.below(4000)});
                trainer.send(SIGKILL);
            }
            const int code = trainer.wait();
            INFO(trainer.error());
            finished = code == 0;
            if (finished) continue;
            REQUIRE(code == -SIGKILL);
            ++killed;
            const auto checkpoint = folder / checkpoint_name;
            if (!std::filesystem::exists(checkpoint)) continue;
            CHECK(load_checkpoint(checkpoint.string()).state.step <= lines_in(folder));
        }
        CHECK((files_in(folder) == expected));
    }
    CHECK(killed >= kills);
}

TEST_CASE("run_training: asked to stop it saves and resumed it ends in the same bytes", "[ch09]") {
    const auto folder = scratch_folder("resume_stopped");
    std::size_t stopped = 0;
    std::uint64_t lines = 0;
    for (const int signal : {SIGINT, SIGTERM, SIGTERM, SIGINT}) {
        Trainer trainer{folder, many_steps, 1};
        wait_for_lines(trainer, folder, lines + 5);
        trainer.send(signal);
        const int code = trainer.wait();
        INFO(trainer.error());
        lines = lines_in(folder);
        if (code == 0) break;  // it was faster
        ++stopped;
        CHECK(code == 128 + signal);
        CHECK(trainer.error() ==
              "error: stopped after step " + std::to_string(lines) + "; --resume goes on\n");
        CHECK(load_checkpoint((folder / checkpoint_name).string()).state.step == lines);
    }
    CHECK(stopped >= 1);
    Trainer last{folder, many_steps, 2};
    CHECK(last.wait() == 0);
    CHECK((files_in(folder) == expected_files(many_steps)));
}

TEST_CASE("run_training: two programs do not train in one folder", "[ch09]") {
    const auto folder = scratch_folder("resume_two");
    Trainer first{folder, some_steps, 1};
    wait_for_lines(first, folder, 2);
    first.send(SIGSTOP);
    Trainer second{folder, some_steps, 1};
    CHECK(second.wait() == 4);
    CHECK_THAT(content(folder / "error"), ContainsSubstring("another program is at work"));
    first.send(SIGCONT);
    CHECK(first.wait() == 0);
    CHECK((files_in(folder) == expected_files(some_steps)));
}
