#include "common/cli/stop_signal.hpp"

#include <array>
#include <csignal>
#include <ctime>

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

}  // namespace

StopSignal::StopSignal() {
    noted = 0;
    struct sigaction action {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < signals.size(); ++i) {
        sigaction(signals[i], &action, &before[i]);
        // What a parent told this process to ignore (nohup) stays ignored.
        if (before[i].sa_handler == SIG_IGN) sigaction(signals[i], &before[i], nullptr);
    }
}

StopSignal::~StopSignal() {
    for (std::size_t i = 0; i < signals.size(); ++i)
        sigaction(signals[i], &before[i], nullptr);
}

int StopSignal::received() const {
    return noted;
}

}  // namespace bert
