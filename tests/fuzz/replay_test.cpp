// The fuzzers' seeds, without a fuzzer: each must keep every promise of targets.hpp. A broken one
// ends the program.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "common/io/input_file.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/catch.hpp"

namespace {

using Target = void (*)(std::string_view);

std::vector<std::string> seeds_of(const std::string& target) {
    std::vector<std::string> seeds;
    const std::string folder = std::string{BERT_SOURCE_DIR} + "/data/fuzz/" + target;
    for (const auto& entry : std::filesystem::directory_iterator{folder}) {
        seeds.push_back(bert::read_file(entry.path().string(), 1U << 20));
    }
    return seeds;
}

// The seed, cut short at every byte, and with every byte changed in turn.
void replay(const std::string& name, Target target) {
    const std::vector<std::string> seeds = seeds_of(name);
    CHECK(seeds.size() >= 5);
    for (const std::string& seed : seeds) {
        target(seed);
        for (std::size_t size = 0; size < seed.size(); ++size) {
            target(seed.substr(0, size));
            std::string changed = seed;
            changed[size] = static_cast<char>(~static_cast<unsigned char>(changed[size]));
            target(changed);
            changed[size] = '"';
            target(changed);
        }
    }
}

}  // namespace

TEST_CASE("fuzz_safetensors: the seeds and their neighbours keep every promise", "[fuzz]") {
    replay("safetensors", bert::test::fuzz_safetensors);
}

TEST_CASE("fuzz_npz: the seeds and their neighbours keep every promise", "[fuzz]") {
    replay("npz", bert::test::fuzz_npz);
}

TEST_CASE("fuzz_config: the seeds and their neighbours keep every promise", "[fuzz]") {
    replay("config", bert::test::fuzz_config);
}

TEST_CASE("fuzz_vocabulary: the seeds and their neighbours keep every promise", "[fuzz]") {
    replay("vocabulary", bert::test::fuzz_vocabulary);
}

TEST_CASE("fuzz_tokenizer: the seeds and their neighbours keep every promise", "[fuzz]") {
    replay("tokenizer", bert::test::fuzz_tokenizer);
}
