#include "ch09_translation/checkpoint.hpp"

#include <filesystem>
#include <functional>
#include <limits>
#include <string>

#include "common/autograd/tape.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/file_error.hpp"
#include "tests/ch09_translation/model_content.hpp"
#include "tests/ch09_translation/small_training.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/shell.hpp"

using namespace bert;
using namespace bert::test;

namespace {

TrainingBatch batch_of_all(const TrainingData& data) {
    return make_training_batch(data.train);
}

// After this many steps on all pairs.
Checkpoint small_checkpoint(std::uint64_t steps) {
    const TrainingData data = small_data();
    const RunOptions options = small_run();
    Checkpoint checkpoint{
        start_training({data.source.size(), data.target.size(), options.max_length, options.layers},
                       options.training),
        data.source, data.target, settings_of(data, options)};
    for (std::uint64_t step = 0; step < steps; ++step)
        train_step(checkpoint.state, batch_of_all(data), options.training);
    return checkpoint;
}

std::string saved(const Checkpoint& checkpoint) {
    const std::string path = (scratch_folder("checkpoint") / "checkpoint.npz").string();
    save_checkpoint(path, checkpoint);
    return path;
}

void check_refused_after(const std::function<void(Content&)>& change, const std::string& message) {
    const std::string path = saved(small_checkpoint(2));
    Content content = read_content(path);
    change(content);
    write_content(path, content);
    INFO(message);
    CHECK_THROWS_AS(load_checkpoint(path), FileError);
    CHECK_THROWS_WITH(load_checkpoint(path),
                      ContainsSubstring(path + ": ") && ContainsSubstring(message));
}

}  // namespace

TEST_CASE("save_checkpoint: what is loaded is what was saved", "[ch09]") {
    for (const std::uint64_t steps : {0U, 1U, 3U}) {
        const Checkpoint checkpoint = small_checkpoint(steps);
        const std::string path = saved(checkpoint);
        const Checkpoint loaded = load_checkpoint(path);
        CHECK(loaded.state.step == steps);
        CHECK(bytes_of(loaded.state) == bytes_of(checkpoint.state));
        CHECK(loaded.source.tokens() == checkpoint.source.tokens());
        CHECK(loaded.target.tokens() == checkpoint.target.tokens());
        CHECK(loaded.settings == checkpoint.settings);
        CHECK(is_tracked(loaded.state.model.source_embedding));
        const std::string again = path + "2";
        save_checkpoint(again, loaded);
        CHECK(content(again) == content(path));
    }
}

TEST_CASE("load_checkpoint: the steps that follow are the same", "[ch09]") {
    const TrainingBatch batch = batch_of_all(small_data());
    const TrainingOptions options = small_run().training;
    for (const std::uint64_t steps : {0U, 2U}) {
        Checkpoint checkpoint = small_checkpoint(steps);
        Checkpoint loaded = load_checkpoint(saved(checkpoint));
        for (int i = 0; i < 3; ++i) {
            const StepReport expected = train_step(checkpoint.state, batch, options);
            CHECK(digits_of(train_step(loaded.state, batch, options)) == digits_of(expected));
        }
        CHECK(bytes_of(loaded.state) == bytes_of(checkpoint.state));
    }
}

TEST_CASE("save_checkpoint: a number that is not finite leaves the file as it was", "[ch09]") {
    Checkpoint checkpoint = small_checkpoint(2);
    const std::string path = saved(checkpoint);
    const std::string before = content(path);
    checkpoint.state.adam.second_moments[1](3, 2) = std::numeric_limits<Real>::infinity();
    CHECK_THROWS_AS(save_checkpoint(path, checkpoint), NumericError);
    CHECK_THROWS_WITH(save_checkpoint(path, checkpoint),
                      ContainsSubstring("second_moment/target_embedding"));
    CHECK(content(path) == before);
}

TEST_CASE("load_checkpoint: a file cut off anywhere is refused", "[ch09]") {
    const std::string path = saved(small_checkpoint(1));
    const std::string whole = content(path);
    const std::string part = path + ".part";
    for (std::size_t i = 0; i < 25; ++i) {
        write_file(part, whole.substr(0, whole.size() * i / 25));
        INFO(i);
        CHECK_THROWS_AS(load_checkpoint(part), FileError);
        CHECK_THROWS_WITH(load_checkpoint(part), ContainsSubstring(part + ": "));
    }
}

TEST_CASE("load_checkpoint: one wrong byte anywhere is refused or changes nothing", "[ch09]") {
    const Checkpoint checkpoint = small_checkpoint(1);
    const std::string path = saved(checkpoint);
    const std::string whole = content(path);
    const std::string damaged = path + ".damaged";
    std::size_t refused = 0;
    Random random{4};
    for (std::size_t i = 0; i < 60; ++i) {
        std::string bytes = whole;
        const std::size_t place = random.below(bytes.size());
        bytes[place] = static_cast<char>(bytes[place] ^ (1 << random.below(8)));
        write_file(damaged, bytes);
        INFO("byte " << place);
        try {
            const Checkpoint loaded = load_checkpoint(damaged);
            CHECK((bytes_of(loaded.state) == bytes_of(checkpoint.state)));
        } catch (const FileError& error) {
            CHECK_THAT(error.what(), ContainsSubstring(damaged + ": "));
            ++refused;
        }
    }
    CHECK(refused >= 45);  // the rest are dates and fillings of the archive
}

TEST_CASE("load_checkpoint: what is no checkpoint is refused", "[ch09]") {
    const std::string path = (scratch_folder("checkpoint") / "other").string();
    CHECK_THROWS_AS(load_checkpoint(path), IoError);
    write_file(path, "a text of no importance, of more than 22 bytes");
    CHECK_THROWS_AS(load_checkpoint(path), FileError);
    const Checkpoint checkpoint = small_checkpoint(0);
    save_model(path, {checkpoint.state.model, checkpoint.source, checkpoint.target});
    CHECK_THROWS_WITH(load_checkpoint(path), ContainsSubstring("settings: missing"));
    save_checkpoint(path, checkpoint);
    CHECK_THROWS_AS(load_model(path), FileError);  // nor is a checkpoint a model
    CHECK_THROWS_WITH(load_model(path), ContainsSubstring("counters: unexpected"));
}

TEST_CASE("load_checkpoint: moments that are missing or too many are refused", "[ch09]") {
    check_refused_after([](Content& c) { c.tensors.erase("first_moment/generator.bias"); },
                        "first_moment/generator.bias: missing");
    check_refused_after([](Content& c) { c.tensors["first_moment/more"] = Tensor(Shape{2}); },
                        "first_moment/more: unexpected");
    check_refused_after([](Content& c) { c.ints["counters"][0] = 0; },  // then there are none
                        "first_moment/decoder.layers.0");
    check_refused_after(
        [](Content& c) {
            Tensor& x = c.tensors.at("second_moment/encoder.layers.0.feed_forward.inner.weight");
            x = x.reshaped({8, 12});
        },
        "second_moment/encoder.layers.0.feed_forward.inner.weight: another shape (found (8, 12), "
        "expected (12, 8))");
    check_refused_after(
        [](Content& c) {
            c.tensors.at("second_moment/generator.bias")(1) =
                std::numeric_limits<Real>::quiet_NaN();
        },
        "second_moment/generator.bias");
    check_refused_after(
        [](Content& c) { c.tensors.at("second_moment/generator.bias")(1) = Real{-1}; },
        "second_moment/generator.bias: a negative mean of squares (found -1, expected at least 0)");
}

TEST_CASE("load_checkpoint: counters and settings out of form are refused", "[ch09]") {
    for (const std::vector<std::int64_t>& wrong :
         {std::vector<std::int64_t>{}, {2}, {2, 0, 0}, {-1, 0}, {2, -1}}) {
        check_refused_after([&](Content& c) { c.ints["counters"] = wrong; }, "counters");
    }
    check_refused_after([](Content& c) { c.ints.erase("counters"); }, "counters: missing");
    check_refused_after([](Content& c) { c.strings["settings"][2] = "width 8"; },
                        "settings: not a setting (found width 8");
    check_refused_after([](Content& c) { c.ints["sizes"][0] = 2; }, "sizes: version out of range");
    check_refused_after([](Content& c) { c.ints["sizes"][2] = 4; },
                        "parameters: their number does not fit the sizes");
}
