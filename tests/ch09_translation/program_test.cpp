// The program as its users run it: what it refuses, what it trains, what it resumes.
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "ch09_translation/tasks.hpp"
#include "ch09_translation/translation_pictures.hpp"
#include "common/plot/heatmap.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/shell.hpp"

using namespace bert;
using namespace bert::test;

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream{path} << text;
}

// Options of a training that takes a second at most, on a corpus of 40 pairs.
std::string small(const std::string& steps = "40", const std::string& width = "16",
                  const std::string& seed = "9") {
    return " --layers 1 --heads 2 --inner-width 32 --max-length 8 --batch 4 --checkpoint-every 7 "
           "--quiet --steps " +
           steps + " --width " + width + " --seed " + seed + " ";
}

std::filesystem::path folder_with_corpus(const std::string& name) {
    const auto folder = scratch_folder(name);
    std::string source;
    std::string target;
    for (const char* const noun : {"a", "b", "c", "d"}) {
        for (const char* const adjective : {"p", "q", "r", "s", "t", "u", "v", "w", "x", "y"}) {
            source += std::string{noun} + " " + adjective + "\n";
            target += std::string{adjective} + " " + noun + "\n";
        }
    }
    write(folder / "source.txt", source);
    write(folder / "target.txt", target);
    return folder;
}

const std::string corpus = " --source source.txt --target target.txt ";

}  // namespace

TEST_CASE("ch09: training on one's own corpus then translating with the model", "[ch09]") {
    const auto folder = folder_with_corpus("ch09-own");
    const Outcome trained = program(folder, "ch09", "--train --out o" + corpus + small("150"));
    INFO(trained.err);
    REQUIRE(trained.code == 0);
    CHECK_THAT(trained.out, ContainsSubstring("150 steps"));
    CHECK_THAT(trained.out, ContainsSubstring("38 pairs to learn from"));
    CHECK_THAT(trained.out, ContainsSubstring("2 sentences never seen in training: BLEU"));
    const Outcome said = program(folder, "ch09", "--model o/model.npz --translate 'a p'");
    CHECK(said.code == 0);
    CHECK(said.out.size() > 1);
    check_refused(program(folder, "ch09", "--model o/model.npz --translate 'a zzz'"), 2, "zzz");
    check_refused(program(folder, "ch09", "--model o/model.npz --translate 'a a a a a a a a a'"), 2,
                  "expected at most 7");
    check_refused(program(folder, "ch09", "--model o/model.npz --translate ' '"), 2, "words");
}

TEST_CASE("ch09: interrupted by a signal and resumed it ends in the same bytes", "[ch09]") {
    const auto folder = folder_with_corpus("ch09-signal");
    const std::string train = "--train" + corpus + small(sanitized ? "500" : "2000");
    REQUIRE(program(folder, "ch09", train + "--out whole").code == 0);
    const Outcome stopped =
        shell("cd '" + folder.string() + "' && '" + BERT_BINARY_DIR + "/bin/ch09' " + train +
              "--out cut & sleep 0.2; kill -TERM $!; wait $!");
    CHECK(stopped.code == 143);  // a shell lets what it runs in the background ignore SIGINT
    REQUIRE(program(folder, "ch09", train + "--resume --out cut").code == 0);
    for (const char* name : {"checkpoint.npz", "model.npz", "log.jsonl", "loss.svg"})
        CHECK(content(folder / "cut" / name) == content(folder / "whole" / name));
}

TEST_CASE("ch09: killed twenty times and resumed it ends in the same bytes", "[ch09]") {
    const auto folder = folder_with_corpus("ch09-kill");
    const std::string train = "--train" + corpus + small("400") + "--out ";
    REQUIRE(program(folder, "ch09", train + "whole").code == 0);
    const Outcome killed =
        shell("cd '" + folder.string() +
              "'; kills=0; i=0; "
              "while [ $kills -lt 20 ] && [ $i -lt 60 ]; do i=$((i + 1)); "
              "OMP_NUM_THREADS=$((i % 2 + 1)) '" +
              std::string{BERT_BINARY_DIR} + "/bin/ch09' " + train +
              "cut --resume >/dev/null & p=$!; sleep 0.0$((i * 7 % 10))$((i * 3 % 10)); "
              "kill -9 $p 2>/dev/null && kills=$((kills + 1)); wait $p; done; echo $kills");
    INFO(killed.err);
    REQUIRE(program(folder, "ch09", train + "cut --resume").code == 0);
    for (const char* name : {"checkpoint.npz", "model.npz", "log.jsonl"})
        CHECK(content(folder / "cut" / name) == content(folder / "whole" / name));
    for (const auto& entry : std::filesystem::directory_iterator(folder / "cut"))
        CHECK(entry.path().extension() != ".tmp");
}

TEST_CASE("ch09: one and two threads train the same model", "[ch09]") {
    const auto folder = folder_with_corpus("ch09-threads");
    const std::string wide = "--train" + corpus + small("6", "512");
    for (const char* n : {"1", "2"}) {
        REQUIRE(shell("cd '" + folder.string() + "' && OMP_NUM_THREADS=" + n + " '" +
                      BERT_BINARY_DIR + "/bin/ch09' " + wide + "--out t" + n)
                    .code == 0);
    }
    for (const char* name : {"checkpoint.npz", "model.npz", "log.jsonl"})
        CHECK(content(folder / "t1" / name) == content(folder / "t2" / name));
}

TEST_CASE("ch09: a corpus that is no corpus is refused with its place", "[ch09]") {
    const auto folder = folder_with_corpus("ch09-corpus");
    const auto refused = [&](const std::string& source, int code, const std::string& message) {
        write(folder / "bad.txt", source);
        check_refused(program(folder, "ch09",
                              "--train --out o --source bad.txt --target target.txt" + small()),
                      code, message);
        CHECK_FALSE(std::filesystem::exists(folder / "o"));
    };
    refused("", 3, "bad.txt");
    refused("a p\nb q\n", 3, "40");
    std::string gap;
    for (int i = 0; i < 40; ++i)
        gap += i == 5 ? "\n" : "a p\n";
    refused(gap, 3, "line 6");
    std::string odd;
    for (int i = 0; i < 40; ++i)
        odd += i == 2 ? "a \xFF\n" : "a p\n";
    refused(odd, 3, "line 3");
    std::string escape;
    for (int i = 0; i < 40; ++i)
        escape += i == 3 ? "a \x1b[31mred\n" : "a p\n";
    refused(escape, 3, "line 4");
    std::string too_long;
    for (int i = 0; i < 40; ++i)
        too_long += i == 0 ? "a a a a a a a a\n" : "a p\n";
    refused(too_long, 2, "expected at most 7");
    check_refused(program(folder, "ch09", "--train --source none.txt --target target.txt"), 4,
                  "none.txt");
}

TEST_CASE("ch09: options out of range and in wrong company are refused", "[ch09]") {
    const auto folder = scratch_folder("ch09-options");
    const std::vector<std::pair<std::string, std::string>> bad = {
        {"--train --learning-rate 0", "--learning-rate"},
        {"--train --learning-rate -1", "--learning-rate"},
        {"--train --learning-rate nan", "--learning-rate"},
        {"--train --learning-rate 1e400", "--learning-rate"},
        {"--train --steps 0", "--steps"},
        {"--train --batch 0", "--batch"},
        {"--train --batch 12x", "--batch"},
        {"--train --steps 10 --warmup 10", "warm-up"},
        {"--train --heads 5", "heads"},
        {"--train --width 7 --heads 7", "even"},
        {"--train --norm middle", "--norm"},
        {"--train --source x", "go together"},
        {"--translate x --beam 0", "--beam"},
        {"--translate x --beam -1", "--beam"},
        {"--translate x --beam 4 --length-penalty -1", "--length-penalty"},
        {"--translate x --length-penalty 1", "only with --beam"},
        {"--beam 4", "only with --translate"},
        {"--resume", "only with --train"},
        {"--train --resume", "--out"},
        {"--train --max-length 5000", "--max-length"},
        {"--steps 5", "only with --train"},
        {"--curve translation", "only with --check-loss"},
        {"--train --translate x", "one at a time"},
        {"--train --model x", "--model"},
        {"--tran", "--train"},
    };
    for (const auto& [options, message] : bad) {
        INFO(options);
        check_refused(program(folder, "ch09", options), 2, message);
    }
}

TEST_CASE("ch09: an unfinished training and other settings are told apart", "[ch09]") {
    const auto folder = folder_with_corpus("ch09-settings");
    const std::string train = "--train --out o" + corpus;
    const Outcome cut =
        shell("cd '" + folder.string() + "' && '" + BERT_BINARY_DIR + "/bin/ch09' " + train +
              small("4000") + "& sleep 0.3; kill -TERM $!; wait $!");
    REQUIRE(cut.code == 143);
    check_refused(program(folder, "ch09", train + small("4000")), 2, "--resume");
    check_refused(program(folder, "ch09", train + small("4000", "32", "3") + "--resume"), 3,
                  "found seed 9, width 16, expected seed 3, width 32");
    write(folder / "o" / "checkpoint.npz", "not a zip");
    check_refused(program(folder, "ch09", train + small("4000") + "--resume"), 3, "checkpoint.npz");
}

TEST_CASE("ch09: a loss that explodes ends with step and place and exit code 5", "[ch09]") {
    const auto folder = folder_with_corpus("ch09-nan");
    const Outcome blown =
        program(folder, "ch09",
                "--train --out o" + corpus + small() + "--warmup 0 --learning-rate " +
                    (sizeof(Real) == sizeof(float) ? "1e38" : "1e300"));
    CHECK(blown.code == 5);
    CHECK_THAT(blown.err, ContainsSubstring("error: step "));
    CHECK_THAT(blown.err, ContainsSubstring("layer "));
}

TEST_CASE("ch09: the pictures are those of the last layer", "[ch09]") {
    const auto folder = scratch_folder("ch09-pictures");
    REQUIRE(program(folder, "ch09", "--translate 'le chat noir dort' --out o").code == 0);
    const TranslationMaps maps = translation_maps(model_for(""), "le chat noir dort");
    for (const auto& [name, dump] : {std::pair{"encoder_attention.svg", &maps.encoder},
                                     std::pair{"decoder_attention.svg", &maps.decoder},
                                     std::pair{"cross_attention.svg", &maps.cross}}) {
        const bool same =
            content(folder / "o" / name) == heatmap_svg(mean_over_heads(*dump, 1, dump->title));
        CHECK(same);
    }
}

TEST_CASE("ch09: --check-loss says yes to the project's own log and no to another", "[ch09]") {
    const auto folder = scratch_folder("ch09-loss");
    REQUIRE(program(folder, "ch09", "--out o").code == 0);
    const Outcome good =
        program(folder, "ch09", "--check-loss o/documents_example.jsonl --curve documents_example");
    CHECK(good.code == 0);
    const Outcome bad = program(folder, "ch09", "--check-loss o/documents_example.jsonl");
    CHECK(bad.code == 6);
    CHECK_THAT(bad.err, ContainsSubstring("outside the band"));
    check_refused(program(folder, "ch09", "--check-loss none"), 4, "none");
    check_refused(program(folder, "ch09", "--check-loss o/documents_example.jsonl --curve x"), 2,
                  "translation");
}

TEST_CASE("ch09: pairs that others give away are learned from and not held out", "[ch09]") {
    const auto folder = scratch_folder("ch09-repeated");
    std::string source;
    std::string target;
    for (int i = 0; i < 40; ++i) {
        source += "a p\n";  // one source with many translations
        target +=
            "p " + std::string(1, static_cast<char>('a' + i % 26)) + " " + std::to_string(i) + "\n";
    }
    write(folder / "source.txt", source);
    write(folder / "target.txt", target);
    const Outcome trained = program(folder, "ch09", "--train --out o" + corpus + small("5"));
    CHECK(trained.code == 0);
    CHECK_THAT(trained.out, ContainsSubstring("40 pairs to learn from"));
    CHECK(trained.out.find("never seen") == std::string::npos);
}
