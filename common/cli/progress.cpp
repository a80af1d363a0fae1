#include "common/cli/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "common/plot/terminal.hpp"

namespace bert {

namespace {

// "1:02:03", "2:03"
std::string clock_text(double seconds) {
    const auto whole = static_cast<std::uint64_t>(std::clamp(seconds, 0.0, 3.6e6));
    const std::uint64_t hours = whole / 3600;
    const std::uint64_t minutes = whole / 60 % 60;
    if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
    return fmt::format("{}:{:02}", minutes, whole % 60);
}

double fraction(std::uint64_t done, std::uint64_t total) {
    return total == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(total);
}

}  // namespace

std::string progress_line(std::uint64_t done, std::uint64_t total, double seconds_so_far,
                          std::string_view note, std::size_t columns) {
    constexpr std::size_t width = 20;
    const double part = std::min(1.0, fraction(done, total));
    const auto filled = static_cast<std::size_t>(part * width);
    std::string line = fmt::format("{:3.0f}% [{}{}] {}/{}  {}  {}", part * 100.0,
                                   std::string(filled, '#'), std::string(width - filled, '.'), done,
                                   total, note, clock_text(seconds_so_far));
    if (done > 0 && done < total)
        line += fmt::format(", {} left", clock_text(seconds_so_far * (1.0 - part) / part));
    return line.substr(0, columns);
}

Progress::Progress(std::uint64_t total, std::uint64_t already, Elsewhere elsewhere)
    : total_(total),
      already_(already),
      terminal_(isatty(STDERR_FILENO) == 1),
      silent_(!terminal_ && elsewhere == Elsewhere::nothing),
      columns_(terminal_ ? detect_terminal_style(STDERR_FILENO).columns - 1 : 200),
      start_(Clock::now()),
      tenths_(static_cast<std::uint64_t>(10.0 * fraction(already, total))) {}

void Progress::show(std::uint64_t done, std::string_view note) {
    if (silent_) return;
    const Clock::time_point now = Clock::now();
    const bool last = done >= total_;
    const auto tenths = static_cast<std::uint64_t>(10.0 * fraction(done, total_));
    if (terminal_ ? !last && now - shown_ < std::chrono::milliseconds{100} : tenths == tenths_)
        return;
    // The time of the steps done before is not known: as if they had gone like these.
    const double here = std::chrono::duration<double>(now - start_).count();
    const std::uint64_t steps = std::max<std::uint64_t>(1, done - std::min(done, already_));
    const double so_far = here * static_cast<double>(done) / static_cast<double>(steps);
    const std::string line = progress_line(done, total_, so_far, note, columns_);
    std::fputs((terminal_ ? "\r\x1b[K" + line : line + "\n").c_str(), stderr);
    shown_ = now;
    tenths_ = tenths;
    open_ = terminal_;
}

void Progress::finish() {
    if (open_) std::fputs("\n", stderr);
    open_ = false;
}

}  // namespace bert
