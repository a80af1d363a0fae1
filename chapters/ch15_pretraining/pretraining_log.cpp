#include "ch15_pretraining/pretraining_log.hpp"

#include <fmt/core.h>

#include <limits>
#include <string_view>

#include "common/io/file_error.hpp"

namespace bert {

namespace {

constexpr std::uint64_t all_steps = std::numeric_limits<std::uint64_t>::max();

double number_at(const std::string& path, const StepLine& line, const JsonValue& object,
                 std::string_view key) {
    const JsonValue* const value = object.find(key);
    if (value == nullptr || value->kind() != JsonValue::Kind::number)
        throw not_a_step(path, line.number, line.text, fmt::format("a number {}", key));
    return value->to_double();
}

LoggedStep step_of(const std::string& path, const StepLine& line) {
    const auto number = [&](std::string_view key) {
        return number_at(path, line, line.object, key);
    };
    return {.step = line.step,
            .loss = number("loss"),
            .mlm_loss = number("mlm_loss"),
            .nsp_loss = number("nsp_loss"),
            .learning_rate = number("lr"),
            .gradient_norm = number("grad_norm"),
            .tokens_per_second = number("tokens_per_second"),
            .mlm_accuracy = number("mlm_accuracy"),
            .nsp_accuracy = number("nsp_accuracy")};
}

LoggedValidation validation_of(const std::string& path, const StepLine& line,
                               const JsonValue& object) {
    if (object.kind() != JsonValue::Kind::object)
        throw not_a_step(path, line.number, line.text, "an object validation");
    const auto number = [&](std::string_view key) { return number_at(path, line, object, key); };
    return {line.step,
            {.mlm_loss = number("mlm_loss"),
             .mlm_accuracy = number("mlm_accuracy"),
             .perplexity = number("perplexity"),
             .nsp_loss = number("nsp_loss"),
             .nsp_accuracy = number("nsp_accuracy"),
             .majority_mlm = number("majority_mlm"),
             .majority_nsp = number("majority_nsp"),
             .tokens = static_cast<std::size_t>(number("tokens")),
             .examples = static_cast<std::size_t>(number("examples"))}};
}

// Steps follow each other; a validation has the step before it.
void add_line(const std::string& path, const StepLine& line, PretrainingLog& log) {
    const JsonValue* const validation = line.object.find("validation");
    const std::uint64_t expected = log.steps.size() + (validation == nullptr ? 1 : 0);
    if (line.step != expected || line.step == 0)
        throw not_a_step(path, line.number, line.text, fmt::format("step {}", expected));
    if (validation == nullptr) {
        log.steps.push_back(step_of(path, line));
    } else {
        log.validations.push_back(validation_of(path, line, *validation));
    }
}

std::string read_kept(const std::string& path, std::uint64_t last_kept, PretrainingLog& log) {
    if (last_kept == 0) return "";
    std::string kept =
        read_step_log(path, last_kept, [&](const StepLine& line) { add_line(path, line, log); });
    if (log.steps.size() < last_kept) {
        throw FileError{path, "end", "steps are missing", std::to_string(log.steps.size()),
                        "at least " + std::to_string(last_kept)};
    }
    return kept;
}

}  // namespace

// 9 digits tell every float from its neighbours.
std::string to_json(const LoggedStep& s) {
    return fmt::format(
        "{{\"step\":{},\"loss\":{:.9g},\"mlm_loss\":{:.9g},\"nsp_loss\":{:.9g},\"lr\":{:.9g},"
        "\"grad_norm\":{:.9g},\"tokens_per_second\":{:.1f},\"mlm_accuracy\":{:.9g},"
        "\"nsp_accuracy\":{:.9g}}}",
        s.step, s.loss, s.mlm_loss, s.nsp_loss, s.learning_rate, s.gradient_norm,
        s.tokens_per_second, s.mlm_accuracy, s.nsp_accuracy);
}

std::string to_json(const PretrainingEvaluation& e) {
    return fmt::format(
        "{{\"mlm_loss\":{:.9g},\"mlm_accuracy\":{:.9g},\"nsp_loss\":{:.9g},"
        "\"nsp_accuracy\":{:.9g},\"majority_mlm\":{:.9g},\"majority_nsp\":{:.9g},"
        "\"perplexity\":{:.9g},\"tokens\":{},\"examples\":{}}}",
        e.mlm_loss, e.mlm_accuracy, e.nsp_loss, e.nsp_accuracy, e.majority_mlm, e.majority_nsp,
        e.perplexity, e.tokens, e.examples);
}

std::string to_json(const LoggedValidation& v) {
    return fmt::format("{{\"step\":{},\"validation\":{}}}", v.step, to_json(v.evaluation));
}

PretrainingLog read_pretraining_log(const std::string& path) {
    PretrainingLog log;
    read_step_log(path, all_steps, [&](const StepLine& line) { add_line(path, line, log); });
    if (log.steps.empty()) throw FileError{path, "line 1", "no steps", "nothing", "a log"};
    return log;
}

PretrainingLogWriter::PretrainingLogWriter(const std::string& path, std::uint64_t last_kept)
    : file_(path, read_kept(path, last_kept, log_)) {}

void PretrainingLogWriter::add(const LoggedStep& step) {
    file_.add(to_json(step));
    log_.steps.push_back(step);
}

void PretrainingLogWriter::add(const LoggedValidation& validation) {
    file_.add(to_json(validation));
    log_.validations.push_back(validation);
}

}  // namespace bert
