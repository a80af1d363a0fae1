#include "ch09_translation/model_file.hpp"

#include <filesystem>
#include <functional>
#include <limits>
#include <string>

#include "common/io/atomic_file.hpp"
#include "common/io/file_error.hpp"
#include "tests/ch09_translation/model_content.hpp"
#include "tests/ch09_translation/small_training.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/shell.hpp"

using namespace bert;
using namespace bert::test;

namespace {

TranslationModel small_model(EncoderSize layers = {1, 8, 2, 12}) {
    const TrainingData data = small_data();
    Random random{1};
    return {random_transformer(random, {data.source.size(), data.target.size(), 9, layers}),
            data.source, data.target};
}

std::string saved(const std::filesystem::path& folder, const TranslationModel& model) {
    const std::string path = (folder / "model.npz").string();
    save_model(path, model);
    return path;
}

// A sound file with one change is refused, naming the file and this.
void check_refused_after(const std::function<void(Content&)>& change, const std::string& message) {
    const std::string path = saved(scratch_folder("model_file"), small_model());
    Content content = read_content(path);
    change(content);
    write_content(path, content);
    INFO(message);
    CHECK_THROWS_AS(load_model(path), FileError);
    CHECK_THROWS_WITH(load_model(path),
                      ContainsSubstring(path + ": ") && ContainsSubstring(message));
}

}  // namespace

TEST_CASE("save_model: what is loaded is what was saved", "[ch09]") {
    for (const EncoderSize& layers :
         {EncoderSize{1, 8, 2, 12},
          EncoderSize{2, 6, 3, 5, Activation::gelu_tanh, NormOrder::pre}}) {
        const TranslationModel model = small_model(layers);
        const std::string path = saved(scratch_folder("model_file"), model);
        const TranslationModel loaded = load_model(path);
        CHECK(bytes_of(loaded.transformer) == bytes_of(model.transformer));
        CHECK(loaded.source.tokens() == model.source.tokens());
        CHECK(loaded.target.tokens() == model.target.tokens());
        const TokenBatch source = pad_sentences({{3, 4, 2}});
        const TokenBatch input = pad_sentences({{1, 5}});
        CHECK(max_error(loaded.transformer.logits(source, input),
                        model.transformer.logits(source, input)) == 0.0);
        const std::string again = path + "2";
        save_model(again, loaded);
        CHECK(content(again) == content(path));
    }
}

TEST_CASE("save_model: a number that is not finite is not saved", "[ch09]") {
    const auto folder = scratch_folder("model_file");
    TranslationModel model = small_model();
    const std::string path = saved(folder, model);
    const std::string before = content(path);
    for (const Real wrong :
         {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()}) {
        model.transformer.decoder.layers[0].feed_forward.inner.bias(3) = wrong;
        CHECK_THROWS_AS(save_model(path, model), NumericError);
        CHECK_THROWS_WITH(save_model(path, model),
                          ContainsSubstring("decoder.layers.0.feed_forward.inner.bias"));
    }
    CHECK(content(path) == before);
    CHECK_THROWS_AS(save_model((folder / "none" / "model.npz").string(), small_model()), IoError);
}

TEST_CASE("load_model: a file cut off anywhere is refused", "[ch09]") {
    const std::string path = saved(scratch_folder("model_file"), small_model());
    const std::string whole = content(path);
    const std::string part = path + ".part";
    for (std::size_t i = 0; i < 40; ++i) {
        write_file(part, whole.substr(0, whole.size() * i / 40));
        INFO(i);
        CHECK_THROWS_AS(load_model(part), FileError);
        CHECK_THROWS_WITH(load_model(part), ContainsSubstring(part + ": "));
    }
    write_file(part, whole.substr(0, whole.size() - 1));
    CHECK_THROWS_AS(load_model(part), FileError);
}

TEST_CASE("load_model: one wrong byte anywhere is refused or changes nothing", "[ch09]") {
    const TranslationModel model = small_model();
    const std::string path = saved(scratch_folder("model_file"), model);
    const std::string whole = content(path);
    const std::string damaged = path + ".damaged";
    std::size_t refused = 0;
    Random random{3};
    for (std::size_t i = 0; i < 100; ++i) {
        std::string bytes = whole;
        const std::size_t place = random.below(bytes.size());
        bytes[place] = static_cast<char>(bytes[place] ^ (1 << random.below(8)));
        write_file(damaged, bytes);
        INFO("byte " << place);
        try {
            const TranslationModel loaded = load_model(damaged);
            CHECK((bytes_of(loaded.transformer) == bytes_of(model.transformer)));
        } catch (const FileError& error) {
            CHECK_THAT(error.what(), ContainsSubstring(damaged + ": "));
            ++refused;
        }
    }
    CHECK(refused >= 80);  // the rest are dates and fillings of the archive
}

TEST_CASE("load_model: what is no such file is refused", "[ch09]") {
    const auto folder = scratch_folder("model_file");
    const std::string path = (folder / "other").string();
    CHECK_THROWS_AS(load_model(path), IoError);
    for (const char* text : {"", "{}", "PK", "a text of no importance, of more than 22 bytes"}) {
        write_file(path, text);
        CHECK_THROWS_AS(load_model(path), FileError);
    }
    NpzWriter writer;
    writer.add("parameter/source_embedding", Tensor(Shape{3, 4}));
    writer.write(path);
    CHECK_THROWS_AS(load_model(path), FileError);
    CHECK_THROWS_WITH(load_model(path), ContainsSubstring("format: missing"));
}

TEST_CASE("load_model: another shape is refused with both shapes named", "[ch09]") {
    check_refused_after(
        [](Content& c) {
            Tensor& x = c.tensors.at("parameter/encoder.layers.0.feed_forward.inner.weight");
            x = x.reshaped({8, 12});
        },
        "parameter/encoder.layers.0.feed_forward.inner.weight: another shape (found (8, 12), "
        "expected (12, 8))");
    check_refused_after(
        [](Content& c) {
            Tensor& x = c.tensors.at("parameter/generator.bias");
            x = x.reshaped({1, x.size()});
        },
        "parameter/generator.bias: another shape");
}

TEST_CASE("load_model: numbers that are missing or too many are refused", "[ch09]") {
    const std::string count = "parameters: their number does not fit the sizes (found ";
    check_refused_after([](Content& c) { c.tensors.erase("parameter/generator.bias"); }, count);
    check_refused_after([](Content& c) { c.tensors["parameter/more"] = Tensor(Shape{5}); }, count);
    check_refused_after(
        [](Content& c) { c.tensors["parameter/generator.bias"] = Tensor(Shape{1}); }, count);
    check_refused_after(
        [](Content& c) {  // as many numbers under another name
            auto node = c.tensors.extract("parameter/generator.bias");
            node.key() = "parameter/generator.bies";
            c.tensors.insert(std::move(node));
        },
        "parameter/generator.bias: missing");
    check_refused_after([](Content& c) { c.tensors["more"] = Tensor(Shape{5}); },
                        "more: unexpected");
    check_refused_after([](Content& c) { c.tensors["parameter/empty"] = Tensor(Shape{0}); },
                        "parameter/empty: unexpected");
    for (const char* name : {"sizes", "format", "source_vocabulary", "target_vocabulary"}) {
        check_refused_after(
            [name](Content& c) {
                c.ints.erase(name);
                c.strings.erase(name);
            },
            std::string{name} + ": missing");
    }
}

TEST_CASE("load_model: numbers that are not finite are refused", "[ch09]") {
    for (const Real wrong :
         {std::numeric_limits<Real>::quiet_NaN(), -std::numeric_limits<Real>::infinity()}) {
        check_refused_after(
            [wrong](Content& c) { c.tensors.at("parameter/target_embedding")(2, 1) = wrong; },
            "parameter/target_embedding");
    }
}

TEST_CASE("load_model: other kinds and versions of file are refused", "[ch09]") {
    check_refused_after([](Content& c) { c.strings["format"] = {"attention-to-bert encoder"}; },
                        "format: another kind of file (found attention-to-bert encoder");
    check_refused_after(
        [](Content& c) {
            c.strings["format"] = {"a", "b"};
        },
        "format: another kind of file");
    check_refused_after([](Content& c) { c.ints["sizes"][0] = 2; },
                        "sizes: version out of range (found 2, expected 1 to 1)");
    check_refused_after(
        [](Content& c) {
            c.strings.erase("format");
            c.ints["format"] = {1};
        },
        "format");
    check_refused_after(
        [](Content& c) {
            c.ints.erase("sizes");
            c.tensors["sizes"] = Tensor(Shape{8});
        },
        "sizes");
}

TEST_CASE("load_model: sizes that no file has are refused before they take memory", "[ch09]") {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = 0; i < 8; ++i) {
        for (const std::int64_t value : {most, least, std::int64_t{-1}, std::int64_t{1} << 32})
            check_refused_after([&](Content& c) { c.ints["sizes"][i] = value; }, "out of range");
    }
    for (std::size_t i = 1; i < 5; ++i) {
        check_refused_after([&](Content& c) { c.ints["sizes"][i] = 0; }, "out of range");
    }
    const std::string count = "parameters: their number does not fit the sizes";
    check_refused_after([](Content& c) { c.ints["sizes"][1] = 1000; }, count);
    check_refused_after([](Content& c) { c.ints["sizes"][2] = 65536; }, count);
    check_refused_after([](Content& c) { c.ints["sizes"][4] = 1048576; }, count);
    check_refused_after([](Content& c) { c.ints["sizes"][7] = 1; }, count);  // pre-norm has more
    check_refused_after([](Content& c) { c.ints["sizes"][3] = 3; },
                        "sizes: width is not a multiple of heads (found 8 and 3");
    check_refused_after([](Content& c) { c.ints["sizes"].pop_back(); },
                        "sizes: wrong number of entries (found 7, expected 8)");
    check_refused_after([](Content& c) { c.ints["sizes"].clear(); },
                        "sizes: wrong number of entries (found 0, expected 8)");
}

TEST_CASE("load_model: vocabularies that do not fit are refused", "[ch09]") {
    const std::string count = "parameters: their number does not fit the sizes";
    check_refused_after([](Content& c) { c.strings["source_vocabulary"].pop_back(); }, count);
    check_refused_after([](Content& c) { c.strings["target_vocabulary"].push_back("word"); },
                        count);
    check_refused_after([](Content& c) { c.strings["target_vocabulary"][4] = "two words"; },
                        "target_vocabulary: ");
    check_refused_after(
        [](Content& c) { c.strings["target_vocabulary"][4] = c.strings["target_vocabulary"][5]; },
        "target_vocabulary: ");
    check_refused_after([](Content& c) { c.strings["source_vocabulary"][0] = "word"; },
                        "source_vocabulary: ");
    check_refused_after([](Content& c) { c.strings["source_vocabulary"].clear(); },
                        "source_vocabulary: ");
}
