#include "common/cli/stop_signal.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/io/atomic_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;

namespace {

using Handler = void (*)(int);

Handler handler_of(int signal) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    return action.sa_handler;
}

// How a child that does this ends: its exit code, or minus the signal that ended it.
template <typename Body>
int end_of_child(const Body& body) {
    const pid_t child = fork();
    if (child == 0) {
        for (const int signal : {SIGINT, SIGTERM})  // as a shell starts a program
            ::signal(signal, SIG_DFL);
        _exit(body());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("StopSignal: the first signal is noted and the program goes on", "[cli]") {
    for (const int signal : {SIGINT, SIGTERM}) {
        CHECK(end_of_child([signal] {
                  const StopSignal stop;
                  if (stop.received() != 0) return 1;
                  raise(signal);
                  return stop.received() == signal ? 0 : 2;
              }) == 0);
    }
}

TEST_CASE("StopSignal: a signal repeated at once is the same wish", "[cli]") {
    CHECK(end_of_child([] {
              const StopSignal stop;
              raise(SIGTERM);
              raise(SIGTERM);
              raise(SIGINT);
              return stop.received() == SIGTERM ? 0 : 2;
          }) == 0);
}

TEST_CASE("StopSignal: the second signal ends the program", "[cli]") {
    for (const int first : {SIGINT, SIGTERM}) {
        for (const int second : {SIGINT, SIGTERM}) {
            CHECK(end_of_child([first, second] {
                      const StopSignal stop;
                      raise(first);
                      usleep(550'000);
                      raise(second);
                      return 0;
                  }) == -second);
        }
    }
}

TEST_CASE("StopSignal: afterwards signals do what they did before", "[cli]") {
    const Handler before = handler_of(SIGINT);
    {
        const StopSignal stop;
        CHECK(handler_of(SIGINT) != before);
    }
    CHECK(handler_of(SIGINT) == before);
    CHECK(end_of_child([] {
              {
                  const StopSignal stop;
                  raise(SIGTERM);
              }
              raise(SIGTERM);
              return 0;
          }) == -SIGTERM);
}

TEST_CASE("StopSignal: a new one knows nothing of earlier signals", "[cli]") {
    CHECK(end_of_child([] {
              {
                  const StopSignal stop;
                  raise(SIGINT);
              }
              const StopSignal stop;
              return stop.received();
          }) == 0);
}

TEST_CASE("StopSignal: an ignored signal stays ignored", "[cli]") {
    CHECK(end_of_child([] {
              signal(SIGINT, SIG_IGN);
              const StopSignal stop;
              raise(SIGINT);
              if (stop.received() != 0) return 1;
              raise(SIGTERM);
              raise(SIGINT);  // would end the program now
              return stop.received() == SIGTERM ? 0 : 2;
          }) == 0);
}

TEST_CASE("end_at_signals: the program ends at once and its temporary files are gone", "[cli]") {
    const std::filesystem::path folder = test::scratch_folder("end_at_signals");
    for (const int signal : {SIGINT, SIGTERM}) {
        CHECK(end_of_child([&] {
                  close(STDERR_FILENO);
                  end_at_signals();
                  AtomicFile a{(folder / "a").string()};
                  a.write("whole");
                  a.commit();
                  AtomicFile b{(folder / "b").string()};
                  AtomicFile c{(folder / "c").string()};
                  c.write("half");
                  raise(signal);
                  return 0;
              }) == 128 + signal);
        std::vector<std::string> left;
        for (const auto& entry : std::filesystem::directory_iterator(folder))
            left.push_back(entry.path().filename());
        CHECK(left == std::vector<std::string>{"a"});
    }
}

TEST_CASE("end_at_signals: a StopSignal goes first while it lives", "[cli]") {
    CHECK(end_of_child([] {
              close(STDERR_FILENO);
              end_at_signals();
              {
                  const StopSignal stop;
                  raise(SIGTERM);
                  if (stop.received() != SIGTERM) return 1;
              }
              raise(SIGINT);
              return 2;
          }) == 130);
}

TEST_CASE("end_at_signals: an ignored signal stays ignored", "[cli]") {
    CHECK(end_of_child([] {
              signal(SIGINT, SIG_IGN);
              end_at_signals();
              raise(SIGINT);
              return 0;
          }) == 0);
}
