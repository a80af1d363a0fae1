// The commands pretrain and eval.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "ch14_bert/checkpoint.hpp"
#include "ch15_pretraining/evaluation.hpp"
#include "common/io/folder_lock.hpp"
#include "common/io/strict_json.hpp"
#include "tests/ch15_pretraining/small_pretraining.hpp"
#include "tests/support/catch.hpp"

using namespace bert;
using namespace bert::test;

namespace fs = std::filesystem;

namespace {

const std::string files = "pretrain --config config.json --vocab vocab.txt --data data ";
const std::string as_small_run = "--steps 12 --batch 8 --lr 0.01 --warmup 3 --checkpoint-every 5 ";

Outcome pretrain(const fs::path& folder, const std::string& arguments) {
    return program(folder, "bert", files + arguments);
}

std::size_t temporaries_in(const fs::path& folder) {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator{folder})
        count += entry.path().extension() == ".tmp" ? 1 : 0;
    return count;
}

}  // namespace

TEST_CASE("bert pretrain: trains as run_pretraining does", "[bert]") {
    const auto folder = small_inputs("bert-pretrain");
    run_pretraining(small_run(folder, "expected"));
    const Outcome outcome = pretrain(folder, as_small_run + "--out found");
    CHECK(outcome.code == 0);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, ContainsSubstring("wrote found: 12 steps, the last with loss "));
    CHECK((left_by(folder / "found") == left_by(folder / "expected")));
    CHECK(content(folder / "found/vocab.txt") == small_vocabulary());
    for (const char* threads : {"1", "2"}) {
        const std::string name = std::string{"threads"} + threads;
        const Outcome quiet = pretrain(
            folder, as_small_run + "--quiet --threads " + threads + " --out " + name + "/");
        CHECK(quiet.code == 0);
        CHECK(quiet.err.empty());
        CHECK((left_by(folder / name) == left_by(folder / "expected")));
    }
    CHECK(program(folder, "bert", "inspect --check found").code == 0);
}

TEST_CASE("bert pretrain: every option reaches the training", "[bert]") {
    const auto folder = small_inputs("bert-pretrain-options");
    PretrainingRun run = small_run(folder, "expected");
    run.training = {.steps = 9,
                    .batch_size = 6,
                    .accumulate = 2,
                    .learning_rate = 5e-3,
                    .warmup = 2,
                    .weight_decay = 0.1,
                    .max_gradient_norm = 0.5,
                    .seed = 77};
    run.paths.validation = (folder / "other").string();
    run.validate_every = 4;
    run.checkpoint_every = 2;
    run.keep = 3;
    run.log = (folder / "expected.jsonl").string();
    run_pretraining(run);
    fs::rename(folder / "vocab.txt", folder / "words");
    const Outcome outcome = program(
        folder, "bert",
        "pretrain --config config.json --vocab words --data data --steps 9 --batch 6 --accumulate "
        "2 --lr 5e-3 --warmup 2 --weight-decay 0.1 "
        "--max-grad-norm 0.5 --seed 77 --validation other --validate-every 4 --checkpoint-every 2 "
        "--keep 3 --log found.jsonl --out found");
    CHECK(outcome.code == 0);
    CHECK((left_by(folder / "found", 9) == left_by(folder / "expected", 9)));
    CHECK(timeless(content(folder / "found.jsonl")) ==
          timeless(content(folder / "expected.jsonl")));
    CHECK(TrainerState{(folder / "found").string()}.steps() == std::vector<std::uint64_t>{6, 8, 9});
    CHECK_FALSE(fs::exists(folder / "found/log.jsonl"));
    CHECK(content(folder / "found/vocab.txt") == small_vocabulary());
    CHECK_FALSE(fs::exists(folder / "found/words"));
}

TEST_CASE("bert pretrain: options out of range are usage errors", "[bert]") {
    const auto folder = small_inputs("bert-pretrain-usage");
    for (const auto& [arguments, message] : std::vector<std::pair<std::string, std::string>>{
             {"--steps 0", "--steps: not a whole number in range (found 0, expected 1 to "},
             {"--steps 1e3", "--steps: not a whole number"},
             {"--steps 99999999999999999999", "--steps: not a whole number"},
             {"--batch 0", "--batch: not a whole number in range (found 0, expected 1 to "},
             {"--batch -5", "--batch: not a whole number"},
             {"--batch 12abc", "--batch: not a whole number"},
             {"--batch 4 --accumulate 5",
              "--accumulate: not a whole number in range (found 5, expected 1 to 4)"},
             {"--lr nan", "--lr: not a number in range (found nan, expected above 0)"},
             {"--lr inf", "--lr: not a number"},
             {"--lr -1", "--lr: not a number"},
             {"--lr 0", "--lr: not a number"},
             {"--lr 1e400", "--lr: not a number"},
             {"--lr 0x1p3", "--lr: not a number"},
             {"--steps 5 --warmup 5",
              "--warmup: not a whole number in range (found 5, expected 0 to 4)"},
             {"--weight-decay -0.1", "--weight-decay: not a number"},
             {"--max-grad-norm 0", "--max-grad-norm: not a number"},
             {"--seed -1", "--seed: not a whole number"},
             {"--checkpoint-every 0", "--checkpoint-every: not a whole number"},
             {"--keep 0", "--keep: not a whole number"},
             {"--validation other --validate-every 0", "--validate-every: not a whole number"},
             {"--validate-every 5", "--validate-every: goes with --validation FILE"},
             {"--log no/log.jsonl", "--log: there is no folder no"},
             {"--log data", "--log: data is the input data"},
             {"--log .", "--log: . is a folder"},
             {"--resume=yes", "--resume: takes no value"},
             {"--learning-rate 1", "unknown option --learning-rate"},
             {"more", "unexpected more"}}) {
        INFO(arguments);
        check_refused(pretrain(folder, arguments + " --out new"), 2, message);
    }
    check_refused(pretrain(folder, ""), 2, "--out DIR is missing");
    check_refused(pretrain(folder, "--out vocab.txt"), 2, "vocab.txt is a file");
    check_refused(pretrain(folder, "--out no/new"), 2, "there is no folder no");
    const auto without = [&](const std::string& arguments) {
        return program(folder, "bert", "pretrain --out new " + arguments);
    };
    check_refused(without("--vocab vocab.txt --data data"), 2, "--config config.json is missing");
    check_refused(without("--config config.json --data data"), 2, "--vocab vocab.txt is missing");
    check_refused(without("--init x"), 2, "--data FILE is missing");
    CHECK_FALSE(fs::exists(folder / "new"));
}

TEST_CASE("bert pretrain: input that does not fit is exit code 3", "[bert]") {
    const auto folder = small_inputs("bert-pretrain-bad");
    check_refused(pretrain(folder, "--out new"), 3,
                  "fewer than one step takes (found 27, expected at least the batch size 32)");
    const std::string rest = " --batch 8 --out new";
    check_refused(
        program(folder, "bert", "pretrain --config vocab.txt --vocab vocab.txt --data data" + rest),
        3, "vocab.txt: ");
    check_refused(program(folder, "bert",
                          "pretrain --config config.json --vocab config.json --data data" + rest),
                  3, "config.json: ");
    check_refused(
        program(folder, "bert",
                "pretrain --config config.json --vocab vocab.txt --data vocab.txt" + rest),
        3, "vocab.txt: ");
    check_refused(program(folder, "bert",
                          "pretrain --config config.json --vocab vocab.txt --data missing" + rest),
                  4, "missing: ");
    CHECK_FALSE(fs::exists(folder / "new"));
}

TEST_CASE("bert pretrain: refuses to begin anew and goes on when asked", "[bert]") {
    const auto folder = small_inputs("bert-pretrain-resume");
    unfinished(folder, "run");
    check_refused(pretrain(folder, as_small_run + "--out run"), 2,
                  "run/trainer_state: holds an unfinished training (step 5): go on with --resume");
    check_refused(pretrain(folder, as_small_run + "--out run --resume --seed 3"), 3,
                  "step_00000005.safetensors: settings: the training was started with others "
                  "(found seed 1, expected seed 3)");
    const std::string sound = content(folder / "data");
    write_small_data((folder / "data").string(), 28, 1);
    check_refused(pretrain(folder, as_small_run + "--out run --resume"), 3,
                  "the training was started with others (found data ");
    write_file((folder / "data").string(), sound);
    CHECK(pretrain(folder, as_small_run + "--out run --resume").code == 0);
    CHECK((left_by(folder / "run") == left_by(folder / "whole_run")));
}

TEST_CASE("bert pretrain: a full disk costs nothing that was there", "[bert]") {
    const auto folder = small_inputs("bert-pretrain-full");
    unfinished(folder, "run");
    const std::string before = content(TrainerState{(folder / "run").string()}.path(5));
    const std::string command = "cd '" + folder.string() + "' && '" + BERT_BINARY_DIR +
                                "/bin/bert' " + files + as_small_run + "--out run --resume";
    const Outcome full = shell("(ulimit -f 16; " + command + ")");
    CHECK(full.code == 4);
    CHECK_THAT(full.err, ContainsSubstring("step_00000010.safetensors: cannot write this file: "));
    CHECK(temporaries_in(folder) == 0);
    CHECK(TrainerState{(folder / "run").string()}.steps() == std::vector<std::uint64_t>{5});
    CHECK((content(TrainerState{(folder / "run").string()}.path(5)) == before));
    CHECK(shell(command).code == 0);
    CHECK((left_by(folder / "run") == left_by(folder / "whole_run")));
}

TEST_CASE("bert pretrain: a folder that cannot be used is exit code 4", "[bert]") {
    const auto folder = small_inputs("bert-pretrain-locked");
    check_refused(pretrain(folder, as_small_run + "--out /proc/bert-pretrain"), 4,
                  "/proc/bert-pretrain/trainer_state: cannot make the folder");
    const FolderLock other{(folder / "run/trainer_state").string()};
    check_refused(pretrain(folder, as_small_run + "--out run"), 4, "another program is at work");
    check_refused(pretrain(folder, as_small_run + "--out new --log /dev/full"), 4, "/dev/full: ");
}

TEST_CASE("bert pretrain: a number that is not finite is exit code 5", "[bert]") {
    const auto folder = small_inputs("bert-pretrain-nan");
    const Outcome outcome = pretrain(
        folder, "--quiet --steps 12 --batch 8 --warmup 0 --checkpoint-every 1 --out run --lr " +
                    std::string{sizeof(Real) == sizeof(float) ? "1e30" : "1e200"});
    check_refused(outcome, 5, "step ");
    for (const std::uint64_t step : TrainerState{(folder / "run").string()}.steps())
        CHECK_NOTHROW(
            verify_pretraining_checkpoint(TrainerState{(folder / "run").string()}.path(step)));
}

TEST_CASE("bert pretrain: a damaged checkpoint is warned of", "[bert]") {
    const auto folder = small_inputs("bert-pretrain-damaged");
    REQUIRE(pretrain(folder, as_small_run + "--out run").code == 0);
    const Left expected = left_by(folder / "run");
    const std::string newest = TrainerState{(folder / "run").string()}.path(12);
    fs::resize_file(newest, fs::file_size(newest) - 1);
    const Outcome outcome = pretrain(folder, as_small_run + "--out run --resume");
    CHECK(outcome.code == 0);
    CHECK(outcome.err.starts_with("warning: "));
    CHECK_THAT(outcome.err, ContainsSubstring("step_00000012.safetensors: ") &&
                                ContainsSubstring("; going on from step 10\n"));
    CHECK((left_by(folder / "run") == expected));
}

TEST_CASE("bert pretrain: goes on from another model", "[bert]") {
    const auto folder = small_inputs("bert-pretrain-init");
    REQUIRE(pretrain(folder, as_small_run + "--out first").code == 0);
    const Outcome outcome = program(
        folder, "bert", "pretrain --init first --data other --steps 2 --batch 5 --out second");
    CHECK(outcome.code == 0);
    CHECK(content(folder / "second/vocab.txt") == small_vocabulary());
    CHECK(content(folder / "second/config.json") == content(folder / "first/config.json"));
    check_refused(program(folder, "bert",
                          "pretrain --init first --data other --steps 2 --batch 5 --out first/"),
                  2, "--out: first/ is the input of --init");
    fs::remove_all(folder / "second/trainer_state");
    check_refused(pretrain(folder, as_small_run + "--out second"), 2, "use another folder");
}

TEST_CASE("bert eval: gives what evaluate gives", "[bert]") {
    const auto folder = small_inputs("bert-eval");
    REQUIRE(pretrain(folder, as_small_run + "--out model").code == 0);
    const PretrainedBert model = PretrainedBert::load((folder / "model").string());
    const ExampleReader examples{PretrainingData{(folder / "other").string()}, model.tokenizer(),
                                 1};
    const std::string expected = to_json(evaluate(model, examples)) + "\n";
    for (const char* threads : {"1", "2"}) {
        const Outcome outcome =
            program(folder, "bert",
                    std::string{"eval --model model --data other --json --threads "} + threads);
        CHECK(outcome.code == 0);
        CHECK(outcome.err.empty());
        CHECK(outcome.out == expected);
    }
    const JsonValue object = parse_json("out", expected);
    for (const char* key : {"mlm_loss", "mlm_accuracy", "nsp_loss", "nsp_accuracy", "majority_mlm",
                            "majority_nsp", "perplexity"})
        CHECK(object.at(key).to_double() >= 0.0);
    const Outcome table = program(folder, "bert", "eval --model model --data other");
    CHECK_THAT(table.out, ContainsSubstring("masked tokens ") &&
                              ContainsSubstring(" of 20 tokens, perplexity ") &&
                              ContainsSubstring(" of 10 pairs\n"));
    const Outcome dynamic = program(folder, "bert", "eval --model model --data dynamic --json");
    CHECK(dynamic.code == 0);
    CHECK(program(folder, "bert", "eval --model model --data dynamic --json").out == dynamic.out);
}

TEST_CASE("bert eval: what is missing or does not fit is refused", "[bert]") {
    const auto folder = small_inputs("bert-eval-bad");
    Random random{1};
    const auto save = [&](const char* name, const BertConfig& config, const BertParts& parts) {
        fs::create_directories(folder / name);
        save_bert((folder / name).string(), random_bert(random, config, parts));
        write_file((folder / name / "vocab.txt").string(), small_vocabulary());
    };
    save("model", small_config(), {});
    save("bare", small_config(), {.predictions = false});
    const auto eval = [&](const std::string& arguments) {
        return program(folder, "bert", "eval " + arguments);
    };
    check_refused(eval("--model model"), 2, "--data FILE is missing");
    check_refused(eval("--model model --data missing"), 4, "missing: ");
    check_refused(eval("--model model --data vocab.txt"), 3, "vocab.txt: ");
    check_refused(eval("--model bare --data data"), 3,
                  "bare: tensors: what pre-training needs is missing (found no "
                  "cls.predictions.bias");
    BertConfig narrow = small_config();
    narrow.max_position_embeddings = 13;
    save("narrow", narrow, {});
    check_refused(eval("--model narrow --data data"), 3, "longer than the model takes");
    std::string other = small_vocabulary();
    other.replace(other.find("w9"), 2, "v9");
    write_file((folder / "model/vocab.txt").string(), other);
    check_refused(eval("--model model --data data"), 3, "made with another vocabulary");
    fs::remove(folder / "model/vocab.txt");
    CHECK(eval("--model model --data data").code == 4);
}
