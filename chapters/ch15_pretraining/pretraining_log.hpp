// The log of a pre-training: a line a step,
//
//     {"step":1,"loss":9.6,"mlm_loss":8.9,"nsp_loss":0.7,"lr":1e-05,"grad_norm":2.5,
//      "tokens_per_second":5000,"mlm_accuracy":0.01,"nsp_accuracy":0.5}
//
// and, where other data are looked at now and then, a line {"step":500,"validation":{...}} with the
// keys of bert eval.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ch15_pretraining/evaluation.hpp"
#include "common/io/step_log.hpp"

namespace bert {

struct LoggedStep {
    std::uint64_t step = 0;
    double loss = 0.0;
    double mlm_loss = 0.0;
    double nsp_loss = 0.0;
    double learning_rate = 0.0;
    double gradient_norm = 0.0;
    double tokens_per_second = 0.0;
    double mlm_accuracy = 0.0;
    double nsp_accuracy = 0.0;
};

struct LoggedValidation {
    std::uint64_t step = 0;
    PretrainingEvaluation evaluation{};
};

struct PretrainingLog {
    std::vector<LoggedStep> steps;  // 1, 2, ...
    std::vector<LoggedValidation> validations;
};

/// One line each, without the line feed.
std::string to_json(const LoggedStep& step);
std::string to_json(const LoggedValidation& validation);
/// {"mlm_loss":...}.
std::string to_json(const PretrainingEvaluation& evaluation);

/// Throws IoError when the file does not open; FileError naming the line that is not as above.
PretrainingLog read_pretraining_log(const std::string& path);

/// A log that is being written, a whole line at a time.
class PretrainingLogWriter {
  public:
    /// Keeps of the file at `path` the lines of steps up to `last_kept` and drops the rest: a
    /// training that was killed logged steps that its checkpoint does not know. Throws IoError, and
    /// FileError when the steps to be kept are not all there.
    PretrainingLogWriter(const std::string& path, std::uint64_t last_kept);
    void add(const LoggedStep& step);
    void add(const LoggedValidation& validation);
    /// What was added is on the disk. Throws IoError.
    void sync() { file_.sync(); }
    /// Everything in the file.
    const PretrainingLog& log() const { return log_; }

  private:
    PretrainingLog log_;
    StepLog file_;
};

}  // namespace bert
