// Stopping long work in good order: Ctrl-C asks, the work answers at its next safe place.
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

}  // namespace bert
