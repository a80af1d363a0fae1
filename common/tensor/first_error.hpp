// The first exception of a parallel region: none may leave the region itself.
#pragma once

#include <atomic>
#include <exception>

namespace bert {

class FirstError {
  public:
    /// Calls work() unless an earlier call threw.
    template <typename Work>
    void guard(const Work& work) noexcept {
        if (failed_) return;
        try {
            work();
        } catch (...) {
            if (!failed_.exchange(true)) error_ = std::current_exception();
        }
    }

    /// After the region.
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

  private:
    std::atomic<bool> failed_ = false;
    std::exception_ptr error_;
};

}  // namespace bert
