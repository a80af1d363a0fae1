#include "ch15_pretraining/pretraining_data.hpp"

#include <filesystem>
#include <functional>
#include <stdexcept>

#include "common/io/file_error.hpp"
#include "common/io/little_endian.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/shell.hpp"

using namespace bert;
using namespace bert::test;
namespace fs = std::filesystem;

namespace {

PretrainingFacts some_facts() {
    PretrainingFacts facts;
    facts.vocabulary_sha256 = sha256("a vocabulary");
    facts.vocab_size = 50;
    facts.corpus_sha256 = {sha256("one"), sha256("two")};
    facts.max_length = 12;
    facts.duplicates = 2;
    facts.short_seq_prob = 0.3;
    facts.masking = {.mask_prob = 0.15, .max_predictions = 3, .whole_words = true};
    facts.seed = ~std::uint64_t{0};
    facts.sentences = 7;
    facts.documents = 2;
    return facts;
}

PretrainingExample first_example() {
    return {.tokens = {2, 7, 8, 3, 9, 3},
            .first_length = 4,
            .is_random_next = true,
            .positions = {1, 4},
            .replacements = {4, 9}};
}

PretrainingExample second_example() {
    return {.tokens = {2, 49, 3, 5, 6, 7, 3},
            .first_length = 3,
            .is_random_next = false,
            .positions = {5},
            .replacements = {12}};
}

void write_data(const std::string& path, const std::vector<PretrainingExample>& examples,
                const PretrainingFacts& facts = some_facts()) {
    PretrainingDataWriter writer{path};
    for (const PretrainingExample& example : examples)
        writer.add(example);
    CHECK(writer.size() == examples.size());
    writer.commit(facts);
}

void write_bytes(const std::string& path, std::string_view bytes) {
    fs::remove(path);  // some systems wait for the disk when a file is overwritten
    std::ofstream{path, std::ios::binary} << bytes;
}

// Bytes without their sum, sealed with the right one.
std::string sealed(std::string bytes) {
    const std::string digits = sha256(bytes);
    for (std::size_t i = 0; i < 64; i += 2)
        bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    return bytes;
}

void put_u32(std::string& bytes, std::size_t at, std::uint32_t x) {
    std::string number;
    append_little_endian(number, x);
    bytes.replace(at, 4, number);
}

void put_u64(std::string& bytes, std::size_t at, std::uint64_t x) {
    std::string number;
    append_little_endian(number, x);
    bytes.replace(at, 8, number);
}

// What reading every example of a file says.
std::string fault_of(const std::string& path) {
    try {
        const PretrainingData data{path};
        for (std::size_t i = 0; i < data.size(); ++i)
            data.example(i);
        return "";
    } catch (const FileError& e) {
        return e.what();
    }
}

}  // namespace

TEST_CASE("PretrainingData: gives back examples and facts in any order", "[ch15]") {
    const std::string path = (scratch_folder("data-round") / "data").string();
    write_data(path, {first_example(), second_example()});
    const PretrainingData data{path};
    CHECK(data.size() == 2);
    CHECK(data.facts() == some_facts());
    CHECK(data.example(1) == second_example());
    CHECK(data.example(0) == first_example());
    CHECK(data.length(0) == 6);
    CHECK(data.length(1) == 7);
    CHECK(data.sha256() == sha256_of_file(path));
    CHECK(data.path() == path);
    CHECK_THROWS_AS(data.example(2), std::invalid_argument);
    CHECK_THROWS_AS(data.length(2), std::invalid_argument);
}

TEST_CASE("PretrainingData: equal examples give equal bytes of the stated layout", "[ch15]") {
    const auto folder = scratch_folder("data-bytes");
    write_data((folder / "a").string(), {first_example()});
    write_data((folder / "b").string(), {first_example()});
    const std::string bytes = content(folder / "a");
    CHECK(bytes == content(folder / "b"));
    const auto number = [&](std::size_t at) {
        return get_little_endian<std::uint32_t>(std::string_view{bytes}.substr(at, 4));
    };
    CHECK(bytes.substr(0, 8) == "BERTDATA");
    const std::vector<std::uint32_t> expected = {1, 6, 4, 1, 2, 2, 7,  8, 3,
                                                 9, 3, 1, 4, 4, 9, 12, 0};
    for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK(number(8 + 4 * i) == expected[i]);
    CHECK(bytes.substr(76, 22) == R"({"vocabulary_sha256":")");
}

TEST_CASE("PretrainingData: every cut is refused", "[ch15]") {
    const auto folder = scratch_folder("data-cuts");
    const std::string path = (folder / "data").string();
    write_data(path, {first_example(), second_example()});
    const std::string bytes = content(path);
    const std::string cut = (folder / "cut").string();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        write_bytes(cut, std::string_view{bytes}.substr(0, size));
        INFO(size);
        CHECK(fault_of(cut).starts_with(cut + ": "));
    }
    write_bytes(cut, bytes + '\0');
    CHECK_THAT(fault_of(cut), ContainsSubstring("damaged or was cut short"));
}

TEST_CASE("PretrainingData: every flipped bit is refused", "[ch15]") {
    const auto folder = scratch_folder("data-bits");
    const std::string path = (folder / "data").string();
    write_data(path, {first_example(), second_example()});
    const std::string bytes = content(path);
    const std::string flipped = (folder / "flipped").string();
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        std::string changed = bytes;
        changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
        write_bytes(flipped, changed);
        INFO(bit);
        const std::string fault = fault_of(flipped);
        CHECK(fault.starts_with(flipped + ": "));
        CHECK_THAT(fault, ContainsSubstring("(found "));
    }
}

TEST_CASE("PretrainingData: a flipped bit under the right sum reads or is refused", "[ch15]") {
    const auto folder = scratch_folder("data-sealed");
    const std::string path = (folder / "data").string();
    write_data(path, {first_example(), second_example()});
    const std::string bytes = content(path).substr(0, content(path).size() - 32);
    const std::string flipped = (folder / "flipped").string();
    std::size_t refused = 0;
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        std::string changed = bytes;
        changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
        write_bytes(flipped, sealed(changed));
        const std::string fault = fault_of(flipped);  // nothing but FileError
        refused += fault.empty() ? 0 : 1;
        CHECK((fault.empty() || fault.starts_with(flipped + ": ")));
    }
    CHECK(refused > 8 * bytes.size() / 2);
}

TEST_CASE("PretrainingData: says what is wrong under the right sum", "[ch15]") {
    const auto folder = scratch_folder("data-wrong");
    const std::string path = (folder / "data").string();
    write_data(path, {first_example(), second_example()});
    const std::string good = content(path).substr(0, content(path).size() - 32);
    // The first example: 12 n, 16 first, 20 kind, 24 m, 28 tokens, 52 positions, 60 replacements.
    const auto fault_after = [&](const std::function<void(std::string&)>& change) {
        std::string bytes = good;
        change(bytes);
        const std::string wrong = (folder / "wrong").string();
        write_bytes(wrong, sealed(bytes));
        return fault_of(wrong);
    };
    const auto with = [&](std::size_t at, std::uint32_t x) {
        return fault_after([=](std::string& bytes) { put_u32(bytes, at, x); });
    };
    CHECK(with(12, 6).empty());
    CHECK_THAT(with(8, 2), ContainsSubstring("unknown version (found 2, expected 1)"));
    CHECK_THAT(with(12, 5), ContainsSubstring("index[1]"));
    CHECK_THAT(with(12, 0xFFFFFFFF), ContainsSubstring("index[0]"));
    CHECK_THAT(with(24, 0x80000000), ContainsSubstring("index[0]"));
    CHECK_THAT(with(16, 2), ContainsSubstring("[CLS] A [SEP] (found 2, expected 3 to 4)"));
    CHECK_THAT(with(16, 5), ContainsSubstring("(found 5, expected 3 to 4)"));
    CHECK_THAT(with(20, 2), ContainsSubstring("random next (found 2, expected 0 or 1)"));
    CHECK_THAT(with(28, 50), ContainsSubstring("example 0: token (found 50, expected 0 to 49)"));
    CHECK_THAT(with(28, 0xFFFFFFFF), ContainsSubstring("token (found -1, expected 0 to 49)"));
    CHECK_THAT(with(60, 50), ContainsSubstring("token (found 50"));
    CHECK_THAT(with(52, 4), ContainsSubstring("position (found 4, expected 5 to 5)"));
    CHECK_THAT(with(56, 6), ContainsSubstring("position (found 6, expected 2 to 5)"));
    const std::size_t index = good.size() - 16;
    CHECK_THAT(fault_after([=](std::string& b) { put_u64(b, index, ~std::uint64_t{0}); }),
               ContainsSubstring("index and facts do not fit"));
    CHECK_THAT(fault_after([=](std::string& b) { put_u64(b, index, 0); }),
               ContainsSubstring("index and facts do not fit"));
    CHECK_THAT(fault_after([=](std::string& b) { put_u64(b, index + 8, b.size()); }),
               ContainsSubstring("index and facts do not fit"));
    // An index without its first entry leaves bytes that belong to no example, or one in the way.
    const auto begin = get_little_endian<std::uint64_t>(std::string_view{good}.substr(index, 8));
    CHECK_THAT(fault_after([=](std::string& b) { put_u64(b, index, begin + 8); }),
               ContainsSubstring("index[0]"));
}

TEST_CASE("PretrainingData: what is no such file is refused by what it is", "[ch15]") {
    const auto folder = scratch_folder("data-other");
    const std::string path = (folder / "data").string();
    write_bytes(path, "one sentence a line\n");
    CHECK_THAT(fault_of(path), ContainsSubstring("not a file of pre-training examples"));
    write_bytes(path, "PK\x03\x04 and more of a zip archive");
    CHECK_THAT(fault_of(path), ContainsSubstring("zip"));
    write_data(path, {});
    CHECK_THAT(fault_of(path), ContainsSubstring("no example (found 0, expected at least 1)"));
    CHECK_THROWS_AS(PretrainingData{(folder / "missing").string()}, IoError);
    CHECK_THROWS_AS(PretrainingData{folder.string()}, FileError);
}

TEST_CASE("PretrainingData: examples outside the facts are refused", "[ch15]") {
    const std::string path = (scratch_folder("data-facts") / "data").string();
    PretrainingFacts facts = some_facts();
    facts.max_length = 6;
    write_data(path, {first_example(), second_example()}, facts);
    CHECK_THAT(fault_of(path), ContainsSubstring("example 1: tokens (found 7, expected 5 to 6)"));
    facts = some_facts();
    facts.masking.max_predictions = 1;
    write_data(path, {first_example()}, facts);
    CHECK_THAT(fault_of(path), ContainsSubstring("chosen tokens (found 2, expected at most 1)"));
    facts = some_facts();
    facts.dynamic_masking = true;
    write_data(path, {first_example()}, facts);
    CHECK_THAT(fault_of(path), ContainsSubstring("chosen tokens (found 2, expected at most 0)"));
}

TEST_CASE("PretrainingData: a file cut under the reader is refused", "[ch15]") {
    const std::string path = (scratch_folder("data-under") / "data").string();
    write_data(path, std::vector<PretrainingExample>(2000, first_example()));
    const PretrainingData data{path};
    CHECK(data.example(1999) == first_example());
    fs::resize_file(path, 100);
    CHECK_THROWS_AS(data.example(1999), FileError);
}

TEST_CASE("PretrainingDataWriter: nothing is there without commit", "[ch15]") {
    const auto folder = scratch_folder("data-commit");
    {
        PretrainingDataWriter writer{(folder / "data").string()};
        writer.add(first_example());
        PretrainingExample wrong = first_example();
        wrong.positions.pop_back();
        CHECK_THROWS_AS(writer.add(wrong), std::invalid_argument);
        PretrainingFacts facts = some_facts();
        facts.max_length = 4;
        CHECK_THROWS_WITH(writer.commit(facts), ContainsSubstring("found 4, expected 5 to"));
    }
    CHECK(fs::is_empty(folder));
    CHECK_THROWS_AS(PretrainingDataWriter("/no/such/folder/data"), IoError);
}

TEST_CASE("facts_json: reads back and refuses what is out of range", "[ch15]") {
    const PretrainingFacts facts = some_facts();
    const std::string json = facts_json(facts);
    CHECK(parse_facts("x", json) == facts);
    const auto fault_with = [&](const std::string& from, const std::string& to) {
        std::string changed = json;
        const std::size_t at = changed.find(from);
        REQUIRE(at != std::string::npos);
        changed.replace(at, from.size(), to);
        try {
            parse_facts("x", changed);
            return std::string{};
        } catch (const FileError& e) {
            return std::string{e.what()};
        }
    };
    CHECK_THAT(fault_with(R"("max_length":12)", R"("max_length":4)"),
               ContainsSubstring("x: facts: greatest length (found 4, expected 5 to 65536)"));
    CHECK_THAT(fault_with(R"("mask_prob":0.15)", R"("mask_prob":1)"),
               ContainsSubstring("expected above 0, below 1"));
    CHECK_THAT(fault_with(R"("short_seq_prob":0.3)", R"("short_seq_prob":2)"),
               ContainsSubstring("share of short examples"));
    CHECK_THAT(fault_with(R"("duplicates":2)", R"("duplicates":0)"), ContainsSubstring("found 0"));
    CHECK_THAT(fault_with(R"("vocab_size":50)", R"("vocab_size":0)"),
               ContainsSubstring("size of the vocabulary"));
    CHECK_THAT(fault_with(R"("vocabulary_sha256":")", R"("vocabulary_sha256":"A)"),
               ContainsSubstring("64 hexadecimal digits"));
    CHECK_THAT(fault_with(R"("seed":)", R"("sead":)"), ContainsSubstring("seed"));
}
