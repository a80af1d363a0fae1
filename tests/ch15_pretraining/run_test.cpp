#include "ch15_pretraining/pretraining_run.hpp"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ch14_bert/bert.hpp"
#include "ch14_bert/checkpoint.hpp"
#include "common/cli/program.hpp"
#include "common/io/file_error.hpp"
#include "common/io/folder_lock.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/reduce.hpp"
#include "tests/ch15_pretraining/small_pretraining.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/threads.hpp"

using namespace bert;
using namespace bert::test;

namespace fs = std::filesystem;

namespace {

void flip_bit(const std::string& path, std::size_t place) {
    std::string bytes = content(path);
    bytes.at(place) = static_cast<char>(bytes.at(place) ^ 1);
    write_file(path, bytes);
}

}  // namespace

TEST_CASE("run_pretraining: leaves a model folder with log and curves", "[ch15]") {
    const auto inputs = small_inputs("pretraining_left");
    write_file((inputs / "tokenizer_config.json").string(), "{\"do_lower_case\": true}\n");
    const PretrainingRun run = small_run(inputs);
    const PretrainingLog log = run_pretraining(run);
    REQUIRE(log.steps.size() == 12);
    CHECK(log.steps.front().step == 1);
    CHECK(log.steps.back().learning_rate == learning_rate_at(12, run.training));
    CHECK(log.steps.front().tokens_per_second > 0.0);
    const fs::path folder = run.folder;
    const PretrainedBert model = PretrainedBert::load(run.folder);
    CHECK(model.has_tokenizer());
    CHECK(model.config().architectures == std::vector<std::string>{"BertForPreTraining"});
    CHECK(content(folder / "vocab.txt") == small_vocabulary());
    CHECK(content(folder / "tokenizer_config.json") == "{\"do_lower_case\": true}\n");
    CHECK(read_pretraining_log(run.folder + "/log.jsonl").steps.size() == 12);
    for (const char* name : {"loss.svg", "accuracy.svg"})
        CHECK_THAT(content(folder / name), ContainsSubstring("<svg"));
    CHECK(TrainerState{run.folder}.steps() == std::vector<std::uint64_t>{10, 12});
    const PretrainingCheckpoint last =
        load_pretraining_checkpoint(TrainerState{run.folder}.path(12), run.training);
    Bert loaded = load_bert(run.folder);
    for_each_parameter(last.state.bert, [&](const std::string& name, const Tensor& x) {
        for_each_parameter(loaded, [&](const std::string& other, const Tensor& y) {
            if (name == other) CHECK(largest_difference(x, y) <= by_precision(0.0, 1e-6));
        });
    });
}

TEST_CASE("run_pretraining: it learns what there is to learn", "[ch15]") {
    const auto inputs = small_inputs("pretraining_learns");
    PretrainingRun run = small_run(inputs);
    run.training.steps = 150;
    const PretrainingLog log = run_pretraining(run);
    // It begins near ln 40 + ln 2 = 4.38; seen at the end: 1.5.
    CHECK_THAT(log.steps.front().loss, WithinAbs(4.38, 0.3));
    CHECK(log.steps.back().loss < 2.0);
    CHECK(log.steps.back().loss == log.steps.back().mlm_loss + log.steps.back().nsp_loss);
}

TEST_CASE("run_pretraining: stopped after any step it ends in the same bytes", "[ch15]") {
    const auto inputs = small_inputs("pretraining_resume");
    for (const char* data : {"data", "dynamic"}) {
        PretrainingRun whole = small_run(inputs, std::string{"whole_"} + data);
        whole.paths.data = (inputs / data).string();
        whole.checkpoint_every = 1;
        whole.keep = 100;
        run_pretraining(whole);
        const Left expected = left_by(whole.folder);
        for (std::uint64_t step = 0; step <= 12; ++step) {
            PretrainingRun run = small_run(inputs, data + std::to_string(step));
            run.paths = whole.paths;
            run.resume = true;
            copy_until(whole.folder, step, run.folder);
            CHECK(run_pretraining(run).steps.size() == 12);
            INFO("step " << step);
            CHECK((left_by(run.folder) == expected));
        }
    }
}

TEST_CASE("run_pretraining: neither threads nor checkpoints change anything", "[ch15]") {
    const auto inputs = small_inputs("pretraining_threads");
    run_pretraining(small_run(inputs, "expected"));
    const Left expected = left_by(inputs / "expected");
    for (const int threads : {1, 2, 3}) {
        const ThreadsGuard guard{threads};
        PretrainingRun run = small_run(inputs, "threads" + std::to_string(threads));
        run.checkpoint_every = static_cast<std::uint64_t>(threads);
        run_pretraining(run);
        CHECK((left_by(run.folder) == expected));
    }
}

TEST_CASE("run_pretraining: batches of a step give the sum that one batch gives", "[ch15]") {
    const auto inputs = small_inputs("pretraining_accumulate");
    BertConfig config = small_config();
    config.hidden_dropout_prob = 0.0;
    config.attention_probs_dropout_prob = 0.0;
    write_bert_config((inputs / "config.json").string(), config);
    const auto losses = [&](std::size_t accumulate) {
        PretrainingRun run = small_run(inputs, "run" + std::to_string(accumulate));
        run.training.accumulate = accumulate;
        std::vector<double> result;
        for (const LoggedStep& step : run_pretraining(run).steps)
            result.insert(result.end(), {step.loss, step.gradient_norm, step.mlm_accuracy});
        return result;
    };
    const std::vector<double> expected = losses(1);
    for (const std::size_t accumulate : {2U, 4U, 8U}) {
        const std::vector<double> found = losses(accumulate);
        double largest = 0.0;
        for (std::size_t i = 0; i < expected.size(); ++i)
            largest = std::max(largest, std::abs(found[i] - expected[i]));
        // Seen: 2.1e-7.
        CHECK(largest <= by_precision(1e-6, 1e-13));
    }
}

TEST_CASE("run_pretraining: asked to stop it saves and goes on in the same bytes", "[ch15]") {
    const auto inputs = small_inputs("pretraining_signal");
    PretrainingRun run = small_run(inputs, "whole");
    run.training.steps = 400;
    run.checkpoint_every = 1000;
    run.paths.validation = (inputs / "other").string();
    run.validate_every = 3;
    run_pretraining(run);
    const Left expected = left_by(run.folder, 400);
    run.folder = (inputs / "stopped").string();
    run.resume = true;
    std::size_t stopped = 0;
    std::uint64_t last = 0;
    for (const int signal : {SIGINT, SIGTERM, SIGINT}) {
        const std::string log = run.folder + "/log.jsonl";
        const auto lines = [&log] {
            const std::string text = content(log);
            return std::count(text.begin(), text.end(), '\n');
        };
        const auto before = lines();
        std::thread sender{[&] {
            while (lines() < before + 20)
                std::this_thread::sleep_for(std::chrono::microseconds{200});
            kill(getpid(), signal);
        }};
        try {
            run_pretraining(run);
        } catch (const Interrupted& e) {
            ++stopped;
            const std::uint64_t step = TrainerState{run.folder}.steps().back();
            CHECK(e.signal() == signal);
            CHECK(e.what() == "stopped after step " + std::to_string(step) + "; --resume goes on");
            CHECK(step > last);
            last = step;
        }
        sender.join();
    }
    CHECK(stopped == 3);
    run_pretraining(run);
    CHECK((left_by(run.folder, 400) == expected));
}

TEST_CASE("run_pretraining: other data are looked at now and then", "[ch15]") {
    const auto inputs = small_inputs("pretraining_validation");
    PretrainingRun run = small_run(inputs);
    run_pretraining(run);
    const std::string model = content(fs::path{run.folder} / "model.safetensors");
    run.paths.validation = (inputs / "other").string();
    run.validate_every = 5;
    run.checkpoint_every = 1;
    run.keep = 100;
    run.folder = (inputs / "validated").string();
    const PretrainingLog log = run_pretraining(run);
    REQUIRE(log.validations.size() == 3);
    CHECK(log.validations[0].step == 5);
    CHECK(log.validations[1].step == 10);
    CHECK(log.validations[2].step == 12);
    CHECK(log.validations[2].evaluation.examples == 10);
    CHECK(content(fs::path{run.folder} / "model.safetensors") == model);
    CHECK_THAT(content(fs::path{run.folder} / "loss.svg"), ContainsSubstring("held out"));
    const Left expected = left_by(run.folder);
    // Stopped in the middle of the validation of step 5: its line is missing, its checkpoint there.
    PretrainingRun stopped = run;
    stopped.folder = (inputs / "stopped").string();
    stopped.resume = true;
    copy_until(run.folder, 5, stopped.folder);
    const std::string whole = content(fs::path{run.folder} / "log.jsonl");
    write_file(stopped.folder + "/log.jsonl", whole.substr(0, whole.find("{\"step\":5,\"vali")));
    run_pretraining(stopped);
    CHECK((left_by(stopped.folder) == expected));
}

TEST_CASE("run_pretraining: an unfinished training is not thrown away", "[ch15]") {
    const auto inputs = small_inputs("pretraining_unfinished");
    PretrainingRun run = unfinished(inputs);
    const std::string before = content(TrainerState{run.folder}.path(5));
    CHECK_THROWS_AS(run_pretraining(run), UsageError);
    CHECK_THROWS_WITH(run_pretraining(run),
                      run.folder +
                          "/trainer_state: holds an unfinished training (step 5): go on "
                          "with --resume, or use another folder");
    CHECK(content(TrainerState{run.folder}.path(5)) == before);
}

TEST_CASE("run_pretraining: a finished training may be started over", "[ch15]") {
    const auto inputs = small_inputs("pretraining_over");
    PretrainingRun run = small_run(inputs);
    run_pretraining(run);
    const Left first = left_by(run.folder);
    run_pretraining(run);
    CHECK((left_by(run.folder) == first));
    run.training.steps = 4;
    run.training.seed = 7;
    CHECK(run_pretraining(run).steps.size() == 4);
    CHECK(TrainerState{run.folder}.steps() == std::vector<std::uint64_t>{4});
    // And resumed it is there already.
    const Left over = left_by(run.folder, 4);
    run.resume = true;
    CHECK(run_pretraining(run).steps.size() == 4);
    CHECK((left_by(run.folder, 4) == over));
}

TEST_CASE("run_pretraining: a second start killed at once can be resumed", "[ch15]") {
    const auto inputs = small_inputs("pretraining_again");
    PretrainingRun run = small_run(inputs);
    run.keep = 100;
    run_pretraining(run);
    const Left expected = left_by(run.folder);
    run.training.learning_rate = by_precision(1e30, 1e200);  // ends before a checkpoint
    run.training.warmup = 0;
    CHECK_THROWS_AS(run_pretraining(run), NumericError);
    CHECK(TrainerState{run.folder}.steps().empty());
    run = small_run(inputs);
    run.resume = true;
    run_pretraining(run);
    CHECK((left_by(run.folder) == expected));
}

TEST_CASE("run_pretraining: what was killed while pruning is pruned when resumed", "[ch15]") {
    const auto inputs = small_inputs("pretraining_prune");
    PretrainingRun run = small_run(inputs);
    run.keep = 100;
    run_pretraining(run);
    run.keep = 2;
    run.resume = true;
    run_pretraining(run);
    CHECK(TrainerState{run.folder}.steps() == std::vector<std::uint64_t>{10, 12});
}

TEST_CASE("run_pretraining: a model of other origin is not written over", "[ch15]") {
    const auto inputs = small_inputs("pretraining_origin");
    PretrainingRun run = small_run(inputs);
    fs::create_directories(run.folder);
    write_file(run.folder + "/model.safetensors", "somebody's");
    for (const bool resume : {false, true}) {
        run.resume = resume;
        CHECK_THROWS_AS(run_pretraining(run), UsageError);
        CHECK_THROWS_WITH(run_pretraining(run), ContainsSubstring("use another folder"));
    }
    CHECK(content(run.folder + "/model.safetensors") == "somebody's");
    CHECK_FALSE(fs::exists(run.folder + "/trainer_state"));
}

TEST_CASE("run_pretraining: other settings are refused with both values of each", "[ch15]") {
    const auto inputs = small_inputs("pretraining_settings");
    const PretrainingRun run = unfinished(inputs);
    const std::string path = TrainerState{run.folder}.path(5);
    const auto refused = [&](const std::function<void(PretrainingRun&)>& change,
                             const std::string& found, const std::string& expected) {
        PretrainingRun other = run;
        other.resume = true;
        change(other);
        INFO(expected);
        CHECK_THROWS_AS(run_pretraining(other), FileError);
        CHECK_THROWS_WITH(run_pretraining(other),
                          path + ": settings: the training was started with others (found " +
                              found + ", expected " + expected + ")");
    };
    refused([](auto& r) { r.training.steps = 13; }, "steps 12", "steps 13");
    refused([](auto& r) { r.training.batch_size = 9; }, "batch size 8", "batch size 9");
    refused([](auto& r) { r.training.accumulate = 2; }, "batches of a step 1",
            "batches of a step 2");
    refused([](auto& r) { r.training.learning_rate = 0.02; }, "learning rate 0.01",
            "learning rate 0.02");
    refused([](auto& r) { r.training.warmup = 2; }, "warm-up 3", "warm-up 2");
    refused([](auto& r) { r.training.weight_decay = 0.0; }, "weight decay 0.01", "weight decay 0");
    refused([](auto& r) { r.training.max_gradient_norm = 2.0; }, "largest gradient norm 1",
            "largest gradient norm 2");
    refused(
        [&](auto& r) {
            r.training.seed = 5;
            BertConfig config = small_config();
            config.num_attention_heads = 4;
            r.paths.config = (inputs / "heads.json").string();
            write_bert_config(r.paths.config, config);
        },
        "config.num_attention_heads 2, seed 1", "config.num_attention_heads 4, seed 5");
    refused([&](auto& r) { r.paths.data = (inputs / "other").string(); },
            "data " + sha256_of_file((inputs / "data").string()),
            "data " + sha256_of_file((inputs / "other").string()));
    CHECK(TrainerState{run.folder}.steps() == std::vector<std::uint64_t>{5});
}

TEST_CASE("run_pretraining: a second trainer in the folder is refused", "[ch15]") {
    const auto inputs = small_inputs("pretraining_two");
    const PretrainingRun run = small_run(inputs);
    const FolderLock other{run.folder + "/trainer_state"};
    CHECK_THROWS_AS(run_pretraining(run), IoError);
    CHECK_THROWS_WITH(run_pretraining(run), ContainsSubstring("another program is at work"));
    CHECK_FALSE(fs::exists(run.folder + "/log.jsonl"));
}

TEST_CASE("run_pretraining: a damaged checkpoint is told of and the one before taken", "[ch15]") {
    const auto inputs = small_inputs("pretraining_damaged");
    PretrainingRun run = small_run(inputs);
    run.keep = 100;
    run_pretraining(run);
    const Left expected = left_by(run.folder);
    const TrainerState files{run.folder};
    CHECK(files.steps() == std::vector<std::uint64_t>{5, 10, 12});
    flip_bit(files.path(12), content(files.path(12)).size() - 1);
    run.resume = true;
    std::vector<std::string> told;
    run.tell = [&](const std::string& line) { told.push_back(line); };
    run_pretraining(run);
    REQUIRE(told.size() == 1);
    CHECK_THAT(told[0], ContainsSubstring("step_00000012.safetensors: sha256: checksum mismatch "
                                          "in second_moment/"));
    CHECK_THAT(told[0], ContainsSubstring("; going on from step 10"));
    CHECK((left_by(run.folder) == expected));
    // Cut in two, all of them: the newest is named, and nothing begins anew.
    for (const std::uint64_t step : files.steps())
        fs::resize_file(files.path(step), fs::file_size(files.path(step)) / 2);
    for (const bool resume : {true, false}) {
        run.resume = resume;
        CHECK_THROWS_AS(run_pretraining(run), FileError);
        CHECK_THROWS_WITH(run_pretraining(run), ContainsSubstring("step_00000012.safetensors: "));
    }
    CHECK(files.steps().size() == 3);
}

TEST_CASE("run_pretraining: checkpoints of a future that was given up go last", "[ch15]") {
    const auto inputs = small_inputs("pretraining_future");
    PretrainingRun run = small_run(inputs);
    run.keep = 100;
    run_pretraining(run);
    const TrainerState files{run.folder};
    flip_bit(files.path(12), 5000);
    flip_bit(files.path(10), 5000);
    run.resume = true;
    run.keep = 1;
    run.checkpoint_every = 7;
    run_pretraining(run);
    CHECK(files.steps() == std::vector<std::uint64_t>{12});
    CHECK_NOTHROW(verify_pretraining_checkpoint(files.path(12)));
}

TEST_CASE("run_pretraining: after a number that is not finite the last checkpoint stays",
          "[ch15]") {
    const auto inputs = small_inputs("pretraining_nan");
    PretrainingRun run = small_run(inputs);
    run.training.learning_rate = by_precision(1e30, 1e200);
    run.training.warmup = 0;
    run.checkpoint_every = 1;
    CHECK_THROWS_AS(run_pretraining(run), NumericError);
    const TrainerState files{run.folder};
    const std::vector<std::uint64_t> steps = files.steps();
    for (const std::uint64_t step : steps)
        CHECK_NOTHROW(load_pretraining_checkpoint(files.path(step), run.training));
    run.resume = true;
    CHECK_THROWS_WITH(run_pretraining(run), ContainsSubstring("step "));
    CHECK(files.steps() == steps);
}

TEST_CASE("run_pretraining: goes on from a model that lacks its heads", "[ch15]") {
    const auto inputs = small_inputs("pretraining_init");
    Random random{5};
    const Bert bare = random_bert(
        random, small_config(), {.pooler = false, .predictions = false, .seq_relationship = false});
    const fs::path init = inputs / "init";
    fs::create_directories(init);
    save_bert(init.string(), bare);
    const std::string weights = content(init / "model.safetensors");
    PretrainingRun run = small_run(inputs);
    run.paths.init = init.string();
    run.paths.config = "";
    std::vector<std::string> told;
    run.tell = [&](const std::string& line) { told.push_back(line); };
    run.checkpoint_every = 1;
    run.keep = 100;
    run_pretraining(run);
    REQUIRE(told.size() == 3);
    CHECK_THAT(told[0], ContainsSubstring(init.string() + ": has no pooler"));
    CHECK(content(init / "model.safetensors") == weights);
    const Left expected = left_by(run.folder);
    PretrainingRun resumed = run;
    resumed.folder = (inputs / "resumed").string();
    resumed.resume = true;
    copy_until(run.folder, 6, resumed.folder);
    fs::resize_file(init / "model.safetensors", 0);  // nothing of a run lies in that file
    CHECK_THROWS_AS(run_pretraining(resumed), FileError);
    write_file((init / "model.safetensors").string(), weights);
    run_pretraining(resumed);
    CHECK((left_by(resumed.folder) == expected));
    save_bert(init.string(), random_bert(random, small_config()));  // other weights
    CHECK_THROWS_WITH(run_pretraining(resumed), ContainsSubstring("(found init "));
    write_file((init / "model.safetensors").string(), weights);
    resumed.paths.config = run.paths.config = (inputs / "config.json").string();
    resumed.paths.init = "";
    CHECK_THROWS_WITH(run_pretraining(resumed), ContainsSubstring("expected init none)"));
    BertConfig config = small_config();
    config.layer_norm_eps = 1e-5;
    write_bert_config(run.paths.config, config);
    CHECK_THROWS_WITH(run_pretraining(run), ContainsSubstring("layer_norm_eps: another than"));
    config = small_config();
    config.hidden_dropout_prob = 0.0;
    write_bert_config(run.paths.config, config);
    run.folder = (inputs / "dropout").string();
    CHECK_NOTHROW(run_pretraining(run));
    CHECK(load_bert(run.folder).config.hidden_dropout_prob == 0.0);
}

TEST_CASE("run_pretraining: inputs that do not fit are refused before anything is made", "[ch15]") {
    const auto inputs = small_inputs("pretraining_refused");
    const auto refused = [&](const std::function<void(PretrainingRun&)>& change,
                             const std::string& message) {
        PretrainingRun run = small_run(inputs);
        change(run);
        INFO(message);
        CHECK_THROWS_AS(run_pretraining(run), FileError);
        CHECK_THROWS_WITH(run_pretraining(run), ContainsSubstring(message));
        CHECK_FALSE(fs::exists(run.folder));
    };
    const auto with_config = [&](const std::function<void(BertConfig&)>& change) {
        return [&, change](PretrainingRun& run) {
            BertConfig config = small_config();
            change(config);
            run.paths.config = (inputs / "changed.json").string();
            write_bert_config(run.paths.config, config);
        };
    };
    refused([](auto& r) { r.training.batch_size = 28; },
            "data: examples: fewer than one step takes (found 27, expected at least the batch "
            "size 28)");
    refused(with_config([](auto& c) { c.vocab_size = 41; }),
            "vocab.txt: tokens: another number of tokens than config.json gives (found 40, "
            "expected vocab_size 41)");
    refused(with_config([](auto& c) { c.max_position_embeddings = 13; }),
            "data: max_length: examples longer than the model takes (found 14, expected at most "
            "max_position_embeddings 13)");
    refused(with_config([](auto& c) { c.type_vocab_size = 1; }), "two token types");
    refused(
        [&](auto& r) {
            std::string other = small_vocabulary();
            other.replace(other.find("w9"), 2, "v9");
            r.paths.vocabulary = (inputs / "v.txt").string();
            write_file(r.paths.vocabulary, other);
        },
        "data: vocabulary_sha256: made with another vocabulary");
    refused(
        [&](auto& r) {
            std::string other = small_vocabulary();
            other.replace(other.find("[MASK]"), 6, "w_mask");
            r.paths.vocabulary = (inputs / "v.txt").string();
            write_file(r.paths.vocabulary, other);
        },
        "[MASK]");
    refused([&](auto& r) { r.paths.data = r.paths.vocabulary; }, "vocab.txt: ");
}

TEST_CASE("run_pretraining: options out of range are refused", "[ch15]") {
    const auto inputs = small_inputs("pretraining_options");
    const auto refused = [&](const std::function<void(PretrainingRun&)>& change) {
        PretrainingRun run = small_run(inputs);
        change(run);
        CHECK_THROWS_AS(run_pretraining(run), std::invalid_argument);
        CHECK_FALSE(fs::exists(inputs / "run"));
    };
    refused([](auto& r) { r.checkpoint_every = 0; });
    refused([](auto& r) { r.validate_every = 0; });
    refused([](auto& r) { r.keep = 0; });
    refused([](auto& r) { r.folder = ""; });
    refused([](auto& r) { r.training.warmup = 12; });
    refused([](auto& r) { r.training.accumulate = 9; });
    PretrainingRun run = small_run(inputs, "vocab.txt/run");
    CHECK_THROWS_AS(run_pretraining(run), IoError);
}
