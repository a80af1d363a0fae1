#include "ch15_pretraining/pretraining_log.hpp"

#include "ch15_pretraining/curves.hpp"
#include "common/io/file_error.hpp"
#include "tests/ch15_pretraining/small_pretraining.hpp"
#include "tests/support/catch.hpp"

using namespace bert;
using namespace bert::test;

namespace {

const std::string first_line =
    "{\"step\":1,\"loss\":3.5,\"mlm_loss\":3,\"nsp_loss\":0.5,\"lr\":0.001,\"grad_norm\":2.25,"
    "\"tokens_per_second\":1234.5,\"mlm_accuracy\":0.125,\"nsp_accuracy\":0.75}";
const std::string validation_line =
    "{\"step\":1,\"validation\":{\"mlm_loss\":2.5,\"mlm_accuracy\":0.25,\"nsp_loss\":0.5,"
    "\"nsp_accuracy\":1,\"majority_mlm\":0.125,\"majority_nsp\":0.5,\"perplexity\":12.5,"
    "\"tokens\":8,\"examples\":4}}";

LoggedStep step_at(std::uint64_t step) {
    return {step, 3.5, 3.0, 0.5, 1e-3, 2.25, 1234.5, 0.125, 0.75};
}

LoggedValidation validation_at(std::uint64_t step) {
    return {step, {2.5, 0.25, 12.5, 0.5, 1.0, 0.125, 0.5, 8, 4}};
}

std::string new_log() {
    return (scratch_folder("pretraining_log") / "log.jsonl").string();
}

}  // namespace

TEST_CASE("PretrainingLogWriter: writes the keys of the interface", "[ch15]") {
    CHECK(to_json(step_at(1)) == first_line);
    CHECK(to_json(validation_at(1)) == validation_line);
    const std::string path = new_log();
    PretrainingLogWriter writer{path, 0};
    writer.add(step_at(1));
    writer.add(validation_at(1));
    writer.add(step_at(2));
    CHECK_NOTHROW(writer.sync());
    CHECK(content(path).starts_with(first_line + "\n" + validation_line + "\n"));
    const PretrainingLog log = read_pretraining_log(path);
    REQUIRE(log.steps.size() == 2);
    REQUIRE(log.validations.size() == 1);
    CHECK(to_json(log.steps[0]) == first_line);
    CHECK(log.steps[1].step == 2);
    CHECK(log.validations[0].evaluation == validation_at(1).evaluation);
    CHECK(writer.log().steps.size() == 2);
    CHECK(writer.log().validations.size() == 1);
}

TEST_CASE("PretrainingLogWriter: keeps the steps of the checkpoint and their validation",
          "[ch15]") {
    const std::string path = new_log();
    const std::string kept = first_line + "\n" + validation_line + "\n";
    for (const std::string rest : {"", "{\"step\":2,\"lo", "{\"step\":2}\n", "garbage\n"}) {
        write_file(path, kept + rest);
        const PretrainingLogWriter writer{path, 1};
        CHECK(content(path) == kept);
        CHECK(writer.log().steps.size() == 1);
        CHECK(writer.log().validations.size() == 1);
    }
    CHECK_THROWS_WITH((PretrainingLogWriter{path, 2}),
                      path + ": end: steps are missing (found 1, expected at least 2)");
    CHECK(content(path) == kept);
    const PretrainingLogWriter anew{path, 0};
    CHECK(content(path).empty());
}

TEST_CASE("read_pretraining_log: the line that is not as it should be is named", "[ch15]") {
    const std::string path = new_log();
    CHECK_THROWS_AS(read_pretraining_log(path), IoError);
    write_file(path, "");
    CHECK_THROWS_AS(read_pretraining_log(path), FileError);
    const auto without = [](std::string line, const std::string& part, const std::string& other) {
        return line.replace(line.find(part), part.size(), other);
    };
    for (const std::string& wrong :
         {std::string{"text"}, first_line, without(first_line, "\"step\":1", "\"step\":3"),
          without(validation_line, "\"step\":1", "\"step\":2"),
          without(validation_line, "\"tokens\"", "\"taken\""),
          std::string{"{\"step\":1,\"validation\":5}"},
          without(without(first_line, "\"step\":1", "\"step\":2"), "\"lr\"", "\"rl\""),
          without(without(first_line, "\"step\":1", "\"step\":2"), "0.125", "null")}) {
        write_file(path, first_line + "\n" + wrong + "\n");
        INFO(wrong);
        CHECK_THROWS_AS(read_pretraining_log(path), FileError);
        CHECK_THROWS_WITH(read_pretraining_log(path),
                          ContainsSubstring(path + ": line 2: not a step of a log"));
    }
    write_file(path, without(validation_line, "\"step\":1", "\"step\":0") + "\n");
    CHECK_THROWS_AS(read_pretraining_log(path), FileError);
}

TEST_CASE("loss_chart: a point is the mean of a window of steps", "[ch15]") {
    PretrainingLog log;
    for (std::uint64_t i = 1; i <= 2 * most_curve_points + 1; ++i) {
        LoggedStep step = step_at(i);
        step.mlm_loss = static_cast<double>(i);
        step.nsp_accuracy = static_cast<double>(i % 3);
        log.steps.push_back(step);
    }
    const LineChart chart = loss_chart(log);
    REQUIRE(chart.series.size() == 2);
    const Series& mlm = chart.series[0];
    REQUIRE(mlm.x.size() == 134);  // 401 steps in windows of 3
    CHECK(mlm.x[0] == 2.0);
    CHECK(mlm.y[0] == 2.0);
    CHECK(mlm.x[133] == 400.5);  // the last has two
    CHECK(mlm.y[133] == 400.5);
    CHECK(accuracy_chart(log).series[1].y[0] == 1.0);
    log.validations.push_back(validation_at(401));
    CHECK(loss_chart(log).series.size() == 4);
    CHECK(loss_chart(log).series[2].y == std::vector<double>{2.5});
    CHECK(loss_chart(log).series[3].y == std::vector<double>{0.5});
    CHECK(accuracy_chart(log).series[2].y == std::vector<double>{0.25});
    CHECK(accuracy_chart(log).series[3].y == std::vector<double>{1.0});
    log.steps.resize(200);
    CHECK(loss_chart(log).series[0].x.size() == 200);
    CHECK(loss_chart({}).series[0].x.empty());
}
