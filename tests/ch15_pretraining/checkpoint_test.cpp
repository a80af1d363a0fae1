#include "ch15_pretraining/pretraining_checkpoint.hpp"

#include <fstream>
#include <functional>
#include <limits>
#include <set>

#include "ch15_pretraining/checkpoint_sums.hpp"
#include "ch15_pretraining/pretraining_batch.hpp"
#include "common/autograd/tape.hpp"
#include "common/io/file_error.hpp"
#include "common/io/mapped_file.hpp"
#include "tests/ch15_pretraining/small_pretraining.hpp"
#include "tests/support/catch.hpp"

using namespace bert;
using namespace bert::test;

namespace {

const PretrainingOptions some_options{.steps = 10, .learning_rate = 1e-2, .warmup = 0};

PretrainingBatch some_batch() {
    Random random{3};
    std::vector<PretrainingExample> examples;
    for (int i = 0; i < 4; ++i)
        examples.push_back(small_example(random, false));
    return make_pretraining_batch(examples, 0);
}

PretrainingCheckpoint some_checkpoint(std::uint64_t steps) {
    PretrainingCheckpoint checkpoint{start_pretraining(small_config(), some_options),
                                     {{"batch size", "4"}, {"seed", "1"}}};
    const PretrainingBatch batch = some_batch();
    for (std::uint64_t step = 0; step < steps; ++step)
        pretraining_step(checkpoint.state, {&batch, 1}, some_options);
    return checkpoint;
}

void append(std::string& bytes, const Tensor& x) {
    bytes.append(reinterpret_cast<const char*>(x.data()), x.size() * sizeof(Real));
}

std::string bytes_of(const PretrainingCheckpoint& checkpoint) {
    std::string bytes;
    const PretrainingState& state = checkpoint.state;
    for_each_parameter(state.bert, [&](const std::string&, const Tensor& x) { append(bytes, x); });
    for (const auto* moments : {&state.adam.first_moments, &state.adam.second_moments})
        for (const Tensor& moment : *moments)
            append(bytes, moment);
    return bytes + std::to_string(state.step) + " " + std::to_string(state.adam.steps) + " " +
           std::to_string(state.dropout_positions[0]) + " " +
           std::to_string(state.dropout_positions[1]);
}

std::string saved(const PretrainingCheckpoint& checkpoint) {
    const std::string path =
        (scratch_folder("pretraining_checkpoint") / "step.safetensors").string();
    save_pretraining_checkpoint(path, checkpoint);
    return path;
}

// The file written anew with other content, under sums that fit it.
void check_refused_after(const std::function<void(std::map<std::string, std::string>&,
                                                  std::vector<NamedTensor>&)>& change,
                         const std::string& message) {
    const std::string path = saved(some_checkpoint(2));
    std::vector<NamedTensor> tensors;
    std::map<std::string, std::string> metadata;
    {
        const SafetensorsFile file{path};
        tensors = read_with_sums(file);
        metadata = file.metadata();
    }
    std::erase_if(metadata, [](const auto& x) { return x.first.starts_with("sha256"); });
    change(metadata, tensors);
    add_sums(metadata, tensors);
    SafetensorsWriter writer;
    for (const auto& [key, value] : metadata)
        writer.set_metadata(key, value);
    for (const NamedTensor& x : tensors)
        writer.add(x.name, x.tensor,
                   sizeof(Real) == sizeof(float) ? SafetensorsType::F32 : SafetensorsType::F64);
    writer.write(path);
    INFO(message);
    CHECK_NOTHROW(verify_pretraining_checkpoint(path));
    CHECK_THROWS_AS(load_pretraining_checkpoint(path, some_options), FileError);
    CHECK_THROWS_WITH(load_pretraining_checkpoint(path, some_options),
                      ContainsSubstring(path + ": ") && ContainsSubstring(message));
}

}  // namespace

TEST_CASE("save_pretraining_checkpoint: what is loaded is what was saved", "[ch15]") {
    for (const std::uint64_t steps : {0U, 1U, 3U}) {
        const PretrainingCheckpoint checkpoint = some_checkpoint(steps);
        const std::string path = saved(checkpoint);
        CHECK_NOTHROW(verify_pretraining_checkpoint(path));
        const PretrainingCheckpoint loaded = load_pretraining_checkpoint(path, some_options);
        CHECK((bytes_of(loaded) == bytes_of(checkpoint)));
        CHECK(loaded.settings == checkpoint.settings);
        CHECK(loaded.state.bert.config == checkpoint.state.bert.config);
        CHECK(loaded.state.adam.settings.epsilon == pretraining_adam(some_options).epsilon);
        CHECK(is_tracked(loaded.state.bert.model.embeddings.word_embeddings));
        save_pretraining_checkpoint(path + "2", loaded);
        CHECK((content(path + "2") == content(path)));
    }
}

TEST_CASE("load_pretraining_checkpoint: the steps that follow are the same", "[ch15]") {
    const PretrainingBatch batch = some_batch();
    for (const std::uint64_t steps : {0U, 2U}) {
        PretrainingCheckpoint checkpoint = some_checkpoint(steps);
        PretrainingCheckpoint loaded = load_pretraining_checkpoint(saved(checkpoint), some_options);
        for (int i = 0; i < 3; ++i) {
            pretraining_step(checkpoint.state, {&batch, 1}, some_options);
            pretraining_step(loaded.state, {&batch, 1}, some_options);
        }
        CHECK((bytes_of(loaded) == bytes_of(checkpoint)));
    }
}

TEST_CASE("load_pretraining_checkpoint: nothing of it lies in the file", "[ch15]") {
    const PretrainingCheckpoint checkpoint = some_checkpoint(1);
    const std::string path = saved(checkpoint);
    const PretrainingCheckpoint loaded = load_pretraining_checkpoint(path, some_options);
    std::filesystem::resize_file(path, 0);
    CHECK((bytes_of(loaded) == bytes_of(checkpoint)));
    CHECK_NOTHROW(require_mapped_files_intact());
}

TEST_CASE("save_pretraining_checkpoint: a number that is not finite leaves the file", "[ch15]") {
    PretrainingCheckpoint checkpoint = some_checkpoint(2);
    const std::string path = saved(checkpoint);
    const std::string before = content(path);
    checkpoint.state.adam.first_moments[0](3, 2) = std::numeric_limits<Real>::infinity();
    CHECK_THROWS_AS(save_pretraining_checkpoint(path, checkpoint), NumericError);
    CHECK_THROWS_WITH(save_pretraining_checkpoint(path, checkpoint),
                      ContainsSubstring("first_moment/bert.embeddings.word_embeddings.weight"));
    checkpoint = some_checkpoint(2);
    checkpoint.state.bert.seq_relationship->bias(1) = std::numeric_limits<Real>::quiet_NaN();
    CHECK_THROWS_AS(save_pretraining_checkpoint(path, checkpoint), NumericError);
    CHECK((content(path) == before));
}

TEST_CASE("load_pretraining_checkpoint: a file cut off anywhere is refused", "[ch15]") {
    const std::string path = saved(some_checkpoint(1));
    const std::string whole = content(path);
    const std::string part = path + ".part";
    for (std::size_t i = 0; i < 40; ++i) {
        std::ofstream{part, std::ios::binary} << whole.substr(0, whole.size() * i / 40);
        CHECK_THROWS_AS(load_pretraining_checkpoint(part, some_options), FileError);
        CHECK_THROWS_AS(verify_pretraining_checkpoint(part), FileError);
    }
    write_file(part, whole.substr(0, whole.size() - 1));
    CHECK_THROWS_AS(load_pretraining_checkpoint(part, some_options), FileError);
    write_file(part, whole + '\0');
    CHECK_THROWS_AS(load_pretraining_checkpoint(part, some_options), FileError);
}

TEST_CASE("load_pretraining_checkpoint: every flipped bit is refused", "[ch15]") {
    const std::string path = saved(some_checkpoint(1));
    std::string bytes = content(path);
    const std::string damaged = path + ".damaged";
    std::uint64_t header = 0;
    for (std::size_t i = 8; i > 0; --i)
        header = header * 256 + static_cast<unsigned char>(bytes[i - 1]);
    Random random{4};
    std::set<std::string> places;
    for (std::size_t i = 0; i < 900; ++i) {
        // Every seventh byte of the header in turn, with any of its bits; then the numbers.
        const std::size_t place =
            i < 600 ? (i * 7) % (8 + header) : 8 + header + random.below(bytes.size() - 8 - header);
        const auto bit = static_cast<char>(1 << random.below(8));
        bytes[place] = static_cast<char>(bytes[place] ^ bit);
        std::ofstream{damaged, std::ios::binary} << bytes;
        bytes[place] = static_cast<char>(bytes[place] ^ bit);
        INFO("byte " << place << " bit " << int{bit});
        try {
            load_pretraining_checkpoint(damaged, some_options);
            FAIL_CHECK("not refused");
        } catch (const FileError& error) {
            const std::string message = error.what();
            CHECK(message.starts_with(damaged + ": "));
            if (i >= 600) CHECK_THAT(message, ContainsSubstring("checksum mismatch in "));
            places.insert(message.substr(damaged.size(), 60));
        }
    }
    CHECK(places.size() > 20);
}

TEST_CASE("load_pretraining_checkpoint: what is no checkpoint is refused", "[ch15]") {
    const std::string path = (scratch_folder("pretraining_other") / "x.safetensors").string();
    CHECK_THROWS_AS(load_pretraining_checkpoint(path, some_options), IoError);
    SafetensorsWriter writer;
    writer.add("x", Tensor(Shape{2}, {1, 2}));
    writer.write(path);
    CHECK_THROWS_WITH(load_pretraining_checkpoint(path, some_options),
                      ContainsSubstring("version is missing"));
    using Metadata = std::map<std::string, std::string>;
    using Tensors = std::vector<NamedTensor>;
    check_refused_after([](Metadata& m, Tensors&) { m.erase("step"); }, "step is missing");
    check_refused_after([](Metadata& m, Tensors&) { m["step"] = "-1"; }, "step: not a whole");
    check_refused_after([](Metadata& m, Tensors&) { m["step"] = "0"; }, "first_moment/");
    check_refused_after([](Metadata& m, Tensors&) { m["dropout position"] = "1x"; },
                        "dropout position: not a whole number");
    check_refused_after([](Metadata& m, Tensors&) { m["config"] = "{}"; }, "vocab_size");
    check_refused_after([](Metadata&, Tensors& t) { t.pop_back(); }, "missing, or another shape");
    check_refused_after([](Metadata&, Tensors& t) { t[0].name = "more"; },
                        "missing, or another shape");
    check_refused_after(
        [](Metadata&, Tensors& t) {
            t.push_back({"zz", Tensor(Shape{1})});
        },
        "tensor zz: unexpected");
    check_refused_after(
        [](Metadata&, Tensors& t) {
            t[0].tensor = t[0].tensor.reshaped({1, t[0].tensor.size()});
        },
        "missing, or another shape");
    check_refused_after(
        [](Metadata&, Tensors& t) {
            t[0].tensor.mutable_data()[0] = std::numeric_limits<Real>::quiet_NaN();
        },
        "not finite");
    check_refused_after(
        [](Metadata&, Tensors& t) {
            for (NamedTensor& x : t)
                if (x.name.starts_with("second_moment/")) x.tensor.mutable_data()[0] = -1;
        },
        "a negative mean of squares (found -1, expected at least 0)");
}

TEST_CASE("load_pretraining_checkpoint: another version or type of numbers is refused", "[ch15]") {
    const std::string path = saved(some_checkpoint(0));
    const SafetensorsFile file{path};
    SafetensorsWriter writer;
    for (const auto& [key, value] : file.metadata())
        writer.set_metadata(key, key == "version" ? "2" : value);
    writer.write(path + "2");
    CHECK_THROWS_WITH(load_pretraining_checkpoint(path + "2", some_options),
                      ContainsSubstring("version: another version (found 2, expected 1)"));
    writer.set_metadata("version", "1");
    writer.add("x", Tensor(Shape{2}, {1, 2}), SafetensorsType::F16);
    writer.write(path + "2");
    CHECK_THROWS_WITH(load_pretraining_checkpoint(path + "2", some_options),
                      ContainsSubstring("tensor x: another type of numbers (found F16"));
}

TEST_CASE("verify_pretraining_checkpoint: shapes are part of the sum", "[ch15]") {
    const std::string path = saved(some_checkpoint(0));
    const SafetensorsFile file{path};
    SafetensorsWriter writer;
    for (const auto& [key, value] : file.metadata())
        writer.set_metadata(key, value);
    for (const SafetensorsEntry& entry : file.entries())
        writer.add_bytes(entry.name, entry.type, Shape(entry.shape.rbegin(), entry.shape.rend()),
                         file.bytes(entry));
    writer.write(path + "2");
    CHECK_THROWS_WITH(verify_pretraining_checkpoint(path + "2"),
                      ContainsSubstring("checksum mismatch in the header"));
}
