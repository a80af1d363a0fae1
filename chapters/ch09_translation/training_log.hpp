// The log of a training: one line a step, {"step":1,"loss":5.1,"lr":1e-05,"grad_norm":2.5}.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ch09_translation/training.hpp"
#include "common/io/step_log.hpp"

namespace bert {

/// The reports of a log. Throws IoError when it does not open; FileError naming the line that is
/// not such an object, or whose step is not the one after the line before.
std::vector<StepReport> read_log(const std::string& path);

/// A log that is being written, a whole line at a time.
class LogWriter {
  public:
    /// Keeps of the file at `path` the lines of steps up to `last_kept` and drops the rest: a
    /// training that was killed logged steps that its checkpoint does not know. Throws IoError, and
    /// FileError when the steps to be kept are not all there.
    LogWriter(const std::string& path, std::uint64_t last_kept);
    void add(const StepReport& report);
    /// What was added is on the disk. Throws IoError.
    void sync() { file_.sync(); }
    /// Every step in the file.
    const std::vector<StepReport>& reports() const { return reports_; }

  private:
    std::vector<StepReport> reports_;
    StepLog file_;
};

}  // namespace bert
