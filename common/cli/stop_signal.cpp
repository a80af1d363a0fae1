#include "common/cli/stop_signal.hpp"

#include <array>
#include <csignal>

namespace bert {

namespace {

constexpr std::array signals = {SIGINT, SIGTERM};
volatile std::sig_atomic_t noted = 0;
std::array<struct sigaction, signals.size()> before;

void note(int signal) {
    noted = signal;
    for (std::size_t i = 0; i < signals.size(); ++i) {
        if (before[i].sa_handler != SIG_IGN) std::signal(signals[i], SIG_DFL);
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
