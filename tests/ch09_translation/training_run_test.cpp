#include "ch09_translation/training_run.hpp"

#include <omp.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "ch09_translation/training_log.hpp"
#include "common/cli/program.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/file_error.hpp"
#include "common/io/folder_lock.hpp"
#include "tests/ch09_translation/small_training.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/shell.hpp"

using namespace bert;
using namespace bert::test;

namespace {

struct Files {
    std::string checkpoint;
    std::string log;
    bool operator==(const Files&) const = default;
};

Files files_in(const std::string& folder) {
    return {content(std::filesystem::path{folder} / checkpoint_name),
            content(std::filesystem::path{folder} / log_name)};
}

std::string new_folder() {
    return (scratch_folder("training_run") / "run").string();
}

// As if killed after `steps` steps: the learning rate follows the steps of the whole.
void train_partly(const RunOptions& options, std::uint64_t steps) {
    const TrainingData data = small_data();
    const std::string path = (std::filesystem::path{options.folder} / checkpoint_name).string();
    Checkpoint checkpoint{
        start_training({data.source.size(), data.target.size(), options.max_length, options.layers},
                       options.training),
        data.source, data.target, settings_of(data, options)};
    std::filesystem::create_directories(options.folder);
    LogWriter log{(std::filesystem::path{options.folder} / log_name).string(), 0};
    for (std::uint64_t step = 0; step < steps; ++step) {
        log.add(train_step(checkpoint.state, make_training_batch(data.train), options.training));
    }
    save_checkpoint(path, checkpoint);
}

}  // namespace

TEST_CASE("run_training: a folder ends with the whole log and the trained model", "[ch09]") {
    const std::string folder = new_folder();  // not there yet
    const TrainedModel trained = run_training(small_data(), small_run(folder));
    REQUIRE(trained.log.size() == 12);
    for (std::size_t i = 0; i < trained.log.size(); ++i)
        CHECK(trained.log[i].step == i + 1);
    const Checkpoint last = load_checkpoint(folder + "/" + checkpoint_name);
    CHECK(last.state.step == 12);
    CHECK(bytes_of(last.state.model) == bytes_of(trained.model.transformer));
    CHECK(read_log(folder + "/" + log_name).size() == 12);
    CHECK(trained.model.source.tokens() == small_data().source.tokens());
    CHECK(trained.model.target.tokens() == small_data().target.tokens());
}

TEST_CASE("run_training: the folder changes nothing and neither do threads", "[ch09]") {
    const std::string folder = new_folder();
    const std::string expected =
        bytes_of(run_training(small_data(), small_run(folder)).model.transformer);
    const Files files = files_in(folder);
    CHECK(bytes_of(run_training(small_data(), small_run()).model.transformer) == expected);
    const int before = omp_get_max_threads();
    for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        RunOptions options = small_run(new_folder());
        options.checkpoint_every = static_cast<std::uint64_t>(threads);
        run_training(small_data(), options);
        CHECK((files_in(options.folder) == files));
    }
    omp_set_num_threads(before);
}

TEST_CASE("run_training: every step is another batch of the epoch", "[ch09]") {
    RunOptions options = small_run();
    options.training.dropout = 0.0;
    options.training.learning_rate = 1e-12;  // so that only the batch changes the loss
    const TrainedModel trained = run_training(small_data(), options);
    // 11 pairs in batches of 4: three steps an epoch. Equal batches would give equal losses.
    CHECK(std::abs(trained.log[0].loss - trained.log[1].loss) > 1e-3);
    options.training.batch_size = 100;  // more than there are
    CHECK(run_training(small_data(), options).log.size() == 12);
}

TEST_CASE("run_training: resumed it goes on after the checkpoint", "[ch09]") {
    const std::string whole = new_folder();
    RunOptions options = small_run(whole);
    options.training.batch_size = 100;  // so that train_partly sees the same batches
    run_training(small_data(), options);
    for (const std::uint64_t steps : {0U, 1U, 7U, 12U}) {
        options.folder = new_folder();
        options.resume = true;
        train_partly(options, steps);
        const TrainedModel trained = run_training(small_data(), options);
        CHECK(trained.log.size() == 12);
        INFO(steps << " steps before");
        // The order in which a batch is summed is the order of the pairs in it.
        CHECK(load_checkpoint(options.folder + "/" + checkpoint_name).state.step == 12);
        CHECK(read_log(options.folder + "/" + log_name).size() == 12);
    }
}

TEST_CASE("run_training: resume without a checkpoint starts from the beginning", "[ch09]") {
    const std::string folder = new_folder();
    run_training(small_data(), small_run(folder));
    RunOptions options = small_run(new_folder());
    options.resume = true;
    run_training(small_data(), options);
    CHECK((files_in(options.folder) == files_in(folder)));
    run_training(small_data(), options);  // finished: nothing to do
    CHECK((files_in(options.folder) == files_in(folder)));
}

TEST_CASE("run_training: an unfinished training is not thrown away", "[ch09]") {
    RunOptions options = small_run(new_folder());
    train_partly(options, 3);
    const Files before = files_in(options.folder);
    const auto refused = [&] {
        CHECK_THROWS_AS(run_training(small_data(), options), UsageError);
        CHECK_THROWS_WITH(
            run_training(small_data(), options),
            ContainsSubstring(options.folder + "/checkpoint.npz: holds an unfinished training "
                                               "(step 3): go on with --resume"));
        CHECK((files_in(options.folder) == before));
    };
    refused();
    // Nor by a training that would be shorter than what is done.
    options.training.steps = 2;
    options.training.warmup = 1;
    refused();
}

TEST_CASE("run_training: a finished training may be started over", "[ch09]") {
    RunOptions options = small_run(new_folder());
    run_training(small_data(), options);
    const Files first = files_in(options.folder);
    run_training(small_data(), options);
    CHECK((files_in(options.folder) == first));
    options.training.steps = 20;  // and longer than before
    options.training.seed = 10;
    CHECK(run_training(small_data(), options).log.size() == 20);
    CHECK(read_log(options.folder + "/" + log_name).size() == 20);
}

TEST_CASE("run_training: a second start killed at once can be resumed", "[ch09]") {
    RunOptions options = small_run(new_folder());
    run_training(small_data(), options);
    const Files expected = files_in(options.folder);
    options.training.learning_rate = by_precision(1e30, 1e200);  // ends in step 2, before it saves
    options.training.warmup = 0;
    CHECK_THROWS_AS(run_training(small_data(), options), NumericError);
    options = small_run(options.folder);
    options.resume = true;
    run_training(small_data(), options);
    CHECK((files_in(options.folder) == expected));
}

TEST_CASE("run_training: other settings are refused with both values of each", "[ch09]") {
    RunOptions options = small_run(new_folder());
    train_partly(options, 3);
    const Files before = files_in(options.folder);
    const auto refused = [&](const std::function<void(RunOptions&)>& change,
                             const std::string& found, const std::string& expected) {
        RunOptions other = options;
        other.resume = true;
        change(other);
        INFO(expected);
        CHECK_THROWS_AS(run_training(small_data(), other), FileError);
        CHECK_THROWS_WITH(
            run_training(small_data(), other),
            options.folder +
                "/checkpoint.npz: settings: the training was started with others (found " + found +
                ", expected " + expected + ")");
    };
    refused([](auto& o) { o.layers.width = 16; }, "width 8", "width 16");
    refused([](auto& o) { o.layers.num_layers = 2; }, "layers 1", "layers 2");
    refused([](auto& o) { o.layers.num_heads = 4; }, "heads 2", "heads 4");
    refused([](auto& o) { o.layers.inner_width = 10; }, "inner width 12", "inner width 10");
    refused([](auto& o) { o.layers.norm_order = NormOrder::pre; }, "norm order post",
            "norm order pre");
    refused([](auto& o) { o.layers.activation = Activation::gelu; }, "activation 0",
            "activation 1");
    refused([](auto& o) { o.max_length = 10; }, "max length 9", "max length 10");
    refused([](auto& o) { o.training.steps = 13; }, "steps 12", "steps 13");
    refused([](auto& o) { o.training.batch_size = 5; }, "batch size 4", "batch size 5");
    refused([](auto& o) { o.training.learning_rate = 0.02; }, "learning rate 0.01",
            "learning rate 0.02");
    refused([](auto& o) { o.training.warmup = 2; }, "warm-up 3", "warm-up 2");
    refused([](auto& o) { o.training.label_smoothing = 0.2; }, "label smoothing 0.1",
            "label smoothing 0.2");
    refused([](auto& o) { o.training.dropout = 0.0; }, "dropout 0.1", "dropout 0");
    refused([](auto& o) { o.training.max_gradient_norm = 2.0; }, "largest gradient norm 1",
            "largest gradient norm 2");
    refused(
        [](auto& o) {
            o.training.seed = 10;
            o.layers.width = 4;
        },
        "seed 9, width 8", "seed 10, width 4");
    TrainingData data = small_data();
    data.fingerprint = "another corpus";
    options.resume = true;
    CHECK_THROWS_WITH(run_training(data, options),
                      ContainsSubstring("expected corpus another corpus"));
    CHECK((files_in(options.folder) == before));
}

TEST_CASE("run_training: a second trainer in the folder is refused", "[ch09]") {
    const RunOptions options = small_run(new_folder());
    const FolderLock other{options.folder};
    CHECK_THROWS_AS(run_training(small_data(), options), IoError);
    CHECK_THROWS_WITH(run_training(small_data(), options),
                      ContainsSubstring(options.folder + "/lock: another program"));
    CHECK(files_in(options.folder).log.empty());
}

TEST_CASE("run_training: a damaged checkpoint or log is refused and left alone", "[ch09]") {
    RunOptions options = small_run(new_folder());
    train_partly(options, 3);
    const Files sound = files_in(options.folder);
    const std::string path = options.folder + "/" + checkpoint_name;
    for (const bool resume : {true, false}) {
        options.resume = resume;
        write_file(path, sound.checkpoint.substr(0, sound.checkpoint.size() / 2));
        const Files damaged = files_in(options.folder);
        CHECK_THROWS_AS(run_training(small_data(), options), FileError);
        CHECK_THROWS_WITH(run_training(small_data(), options), ContainsSubstring(path + ": "));
        CHECK((files_in(options.folder) == damaged));
    }
    options.resume = true;
    write_file(path, sound.checkpoint);
    write_file(options.folder + "/" + log_name, sound.log.substr(0, sound.log.size() / 2));
    CHECK_THROWS_AS(run_training(small_data(), options), FileError);
    CHECK_THROWS_WITH(run_training(small_data(), options), ContainsSubstring("steps are missing"));
}

TEST_CASE("run_training: after a number that is not finite the last checkpoint stays", "[ch09]") {
    RunOptions options = small_run(new_folder());
    options.training.learning_rate = by_precision(1e30, 1e200);
    options.training.warmup = 0;
    options.checkpoint_every = 1;
    CHECK_THROWS_AS(run_training(small_data(), options), NumericError);
    const Files after = files_in(options.folder);
    CHECK(load_checkpoint(options.folder + "/" + checkpoint_name).state.step == 1);
    options.resume = true;
    CHECK_THROWS_WITH(run_training(small_data(), options), ContainsSubstring("step 2: "));
    CHECK((files_in(options.folder) == after));
}

TEST_CASE("run_training: options and data out of range are refused", "[ch09]") {
    RunOptions options = small_run(new_folder());
    options.checkpoint_every = 0;
    CHECK_THROWS_AS(run_training(small_data(), options), std::invalid_argument);
    options = small_run(options.folder);
    options.training.learning_rate = 0.0;
    CHECK_THROWS_AS(run_training(small_data(), options), std::invalid_argument);
    CHECK_FALSE(std::filesystem::exists(options.folder));
    TrainingData data = small_data();
    data.train.clear();
    CHECK_THROWS_AS(run_training(data, small_run()), std::invalid_argument);
    options = small_run();
    options.layers.num_heads = 3;
    CHECK_THROWS_AS(run_training(small_data(), options), ShapeError);
    write_file(options.folder = new_folder(), "a file where the folder should be");
    CHECK_THROWS_AS(run_training(small_data(), small_run(options.folder)), IoError);
}
