// How far long work has come, on standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace bert {

/// "  42% [#####.......] 420/1000  loss 1.2345  0:12, 0:17 left", `columns` wide at most. Seconds
/// left are those done so far times what is left over what is done.
std::string progress_line(std::uint64_t done, std::uint64_t total, double seconds_so_far,
                          std::string_view note, std::size_t columns);

/// Draws that line over itself in a terminal, at most ten times a second; elsewhere writes one line
/// for every tenth of the work, or nothing.
class Progress {
  public:
    enum class Elsewhere { tenths, nothing };

    /// `already` steps of `total` were done before.
    Progress(std::uint64_t total, std::uint64_t already, Elsewhere elsewhere = Elsewhere::tenths);
    void show(std::uint64_t done, std::string_view note);
    /// Ends the line. Further calls do nothing.
    void finish();
    ~Progress() { finish(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

  private:
    using Clock = std::chrono::steady_clock;

    std::uint64_t total_;
    std::uint64_t already_;
    bool terminal_;
    bool silent_;
    std::size_t columns_;
    Clock::time_point start_;
    Clock::time_point shown_{};
    std::uint64_t tenths_;
    bool open_ = false;
};

}  // namespace bert
