#include "common/cli/stop_signal.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <ctime>
#include <string_view>

#include "common/io/atomic_file.hpp"

namespace bert {

namespace {

constexpr std::array signals = {SIGINT, SIGTERM};
volatile std::sig_atomic_t noted = 0;
std::array<struct sigaction, signals.size()> before;

struct timespec noted_at {};

// Some senders repeat a signal at once (timeout tells the program, then its group): that is one
// wish, not two.
bool is_a_repetition() {
    struct timespec now {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double seconds = static_cast<double>(now.tv_sec - noted_at.tv_sec) +
                           1e-9 * static_cast<double>(now.tv_nsec - noted_at.tv_nsec);
    return seconds < 0.5;
}

void note(int signal) {
    if (noted == 0) {
        clock_gettime(CLOCK_MONOTONIC, &noted_at);
        noted = signal;
    } else if (!is_a_repetition()) {
        std::signal(signal, SIG_DFL);
        raise(signal);
    }
}

// In a terminal a line is begun: ^C, or progress.
std::string_view error_line;
std::atomic_flag ending;

void end(int signal) {
    if (ending.test_and_set()) return;  // a thread is at it
    remove_own_temporaries();
    [[maybe_unused]] const ssize_t count =
        write(STDERR_FILENO, error_line.data(), error_line.size());
    _exit(128 + signal);
}

void handle_signals(void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < signals.size(); ++i) {
        sigaction(signals[i], &action, &before[i]);
        // What a parent told this process to ignore (nohup) stays ignored.
        if (before[i].sa_handler == SIG_IGN) sigaction(signals[i], &before[i], nullptr);
    }
}

}  // namespace

StopSignal::StopSignal() {
    noted = 0;
    handle_signals(note);
}

StopSignal::~StopSignal() {
    for (std::size_t i = 0; i < signals.size(); ++i)
        sigaction(signals[i], &before[i], nullptr);
}

int StopSignal::received() const {
    return noted;
}

void end_at_signals() {
    error_line = isatty(STDERR_FILENO) == 1 ? "\nerror: interrupted\n" : "error: interrupted\n";
    handle_signals(end);
}

}  // namespace bert
