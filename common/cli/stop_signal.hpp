// Ctrl-C. Work that has something to save answers at its next safe place; other work ends at once.
#pragma once

namespace bert {

/// While it lives, the first SIGINT or SIGTERM is noted instead of ending the program; a second
/// one, half a second later or more, ends it at once. One at a time.
class StopSignal {
  public:
    StopSignal();
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    /// The number of the signal that came; 0: none.
    int received() const;
};

/// From now on SIGINT or SIGTERM ends the program at once: temporary files removed, one line of
/// error, exit code 128 and the signal's number. While a StopSignal lives, that goes first.
void end_at_signals();

}  // namespace bert
