#include "ch15_pretraining/trainer_state.hpp"

#include "common/io/file_error.hpp"
#include "tests/ch15_pretraining/small_pretraining.hpp"
#include "tests/support/catch.hpp"

using namespace bert;
using namespace bert::test;

namespace {

using Steps = std::vector<std::uint64_t>;

PretrainingCheckpoint checkpoint_at(std::uint64_t step) {
    PretrainingCheckpoint checkpoint{start_pretraining(small_config(), {}), {}};
    checkpoint.state.step = step;
    const std::vector<NamedParameter> parameters = parameters_of(checkpoint.state.bert);
    for (const NamedParameter& parameter : parameters) {
        checkpoint.state.adam.first_moments.emplace_back(parameter.tensor->shape());
        checkpoint.state.adam.second_moments.emplace_back(parameter.tensor->shape());
    }
    return checkpoint;
}

}  // namespace

TEST_CASE("TrainerState: keeps the last ones", "[ch15]") {
    const TrainerState files{scratch_folder("trainer_state").string()};
    CHECK(files.steps().empty());  // the folder is not there yet
    CHECK_FALSE(files.load_newest({}, [](const std::string&) {}));
    std::filesystem::create_directories(files.folder());
    for (const std::uint64_t step : {5U, 10U, 15U, 100'000'000U})
        files.save(checkpoint_at(step), 3);
    CHECK(files.steps() == Steps{10, 15, 100'000'000});
    CHECK(files.load_newest({}, [](const std::string&) {})->state.step == 100'000'000);
    files.save(checkpoint_at(12), 2);  // a training that went on otherwise
    CHECK(files.steps() == Steps{10, 12});
    files.save(checkpoint_at(12), 1);
    CHECK(files.steps() == Steps{12});
    files.clear();
    CHECK(files.steps().empty());
}

TEST_CASE("TrainerState: files of other names are left alone", "[ch15]") {
    const TrainerState files{scratch_folder("trainer_state_names").string()};
    std::filesystem::create_directories(files.folder());
    for (const char* name : {"step_1.safetensors", "step_0000000x.safetensors", "step_.safetensors",
                             "step_00000003.safetensors.tmp", "lock", "step_-0000001.safetensors"})
        write_file(files.folder() + "/" + name, "");
    CHECK(files.steps().empty());
    files.save(checkpoint_at(1), 1);
    files.clear();
    CHECK(std::distance(std::filesystem::directory_iterator{files.folder()}, {}) == 6);
}

TEST_CASE("TrainerState: a checkpoint that cannot be written leaves those before", "[ch15]") {
    const TrainerState files{scratch_folder("trainer_state_full").string()};
    std::filesystem::create_directories(files.folder());
    files.save(checkpoint_at(1), 1);
    std::filesystem::create_directory(files.path(2));  // in the way
    CHECK_THROWS_AS(files.save(checkpoint_at(2), 1), IoError);
    std::filesystem::remove(files.path(2));
    CHECK(files.steps() == Steps{1});
    CHECK(std::distance(std::filesystem::directory_iterator{files.folder()}, {}) == 1);
}

TEST_CASE("TrainerState: a checkpoint that does not read back leaves those before", "[ch15]") {
    const TrainerState files{scratch_folder("trainer_state_lost").string()};
    std::filesystem::create_directories(files.folder());
    files.save(checkpoint_at(1), 1);
    std::filesystem::create_symlink("/dev/null", files.path(2));  // takes all and keeps nothing
    CHECK_THROWS_AS(files.save(checkpoint_at(2), 1), IoError);
    CHECK_THROWS_WITH(files.save(checkpoint_at(2), 1), ContainsSubstring("only just written"));
    CHECK_NOTHROW(verify_pretraining_checkpoint(files.path(1)));
}
