#include "ch14_bert/shards.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include "common/io/file_error.hpp"
#include "common/io/safetensors.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using bert::CheckpointFiles;
using bert::FileError;
using bert::Tensor;

namespace fs = std::filesystem;

namespace {

struct Folder {
    explicit Folder(const std::string& name) : path(bert::test::scratch_folder(name)) {}

    void text(const std::string& name, const std::string& content) const {
        std::ofstream{path / name, std::ios::binary} << content;
    }
    // A file with these tensors, each a single number.
    void shard(const std::string& name, const std::map<std::string, double>& numbers) const {
        bert::SafetensorsWriter writer;
        for (const auto& [tensor, number] : numbers)
            writer.add(tensor, Tensor{number});
        writer.write((path / name).string());
    }
    void index(const std::string& weight_map) const {
        text("model.safetensors.index.json",
             "{\"metadata\": {\"total_size\": 8}, \"weight_map\": {" + weight_map + "}}");
    }
    std::string fault() const {
        try {
            const CheckpointFiles files{path.string()};
        } catch (const FileError& e) {
            return e.what();
        }
        return "";
    }

    fs::path path;
};

}  // namespace

TEST_CASE("CheckpointFiles: one file by its name or by its folder", "[ch14]") {
    const Folder folder{"one_file"};
    folder.shard("model.safetensors", {{"a", 1.5}, {"b", 2}});
    folder.index("\"a\": \"none.safetensors\"");  // not looked at when the file is there
    for (const fs::path& path : {folder.path, folder.path / "model.safetensors"}) {
        const CheckpointFiles files{path.string()};
        CHECK(files.tensors().size() == 2);
        CHECK(files.files().size() == 1);
        REQUIRE(files.find("a") != nullptr);
        CHECK(files.find("a")->tensor() == Tensor{1.5});
        CHECK(files.find("b")->bytes() == std::string("\0\0\0\x40", 4));
        CHECK(files.find("c") == nullptr);
        CHECK_NOTHROW(files.require_intact());
    }
    const CheckpointFiles files{folder.path.string()};
    fs::last_write_time(folder.path / "model.safetensors", fs::file_time_type{});
    CHECK_THROWS_AS(files.require_intact(), FileError);
}

TEST_CASE("CheckpointFiles: tensors of several files are found where the index says", "[ch14]") {
    const Folder folder{"shards"};
    folder.shard("model-1.safetensors", {{"a", 1}, {"c", 3}});
    folder.shard("model-2.safetensors", {{"b", 2}});
    folder.index(R"("c": "model-1.safetensors", "b": "model-2.safetensors",
                    "a": "model-1.safetensors")");
    const CheckpointFiles files{folder.path.string()};
    CHECK(files.files().size() == 2);
    CHECK(files.tensors().size() == 3);
    CHECK(files.find("a")->tensor() == Tensor{1.0});
    CHECK(files.find("b")->tensor() == Tensor{2.0});
    CHECK(files.find("c")->tensor() == Tensor{3.0});
    CHECK(fs::path{files.find("b")->file->path()}.filename() == "model-2.safetensors");
}

TEST_CASE("CheckpointFiles: an index that leads out of the folder is refused", "[ch14]") {
    const Folder folder{"out"};
    folder.shard("good.safetensors", {{"a", 1}});
    fs::create_directory(folder.path / "below");
    fs::copy_file(folder.path / "good.safetensors", folder.path / "below" / "x.safetensors");
    for (const std::string name : {"../out/good.safetensors", "/etc/passwd", "below/x.safetensors",
                                   "", ".", "..", "good.safetensors\\u0000", "..\\\\x"}) {
        INFO(name);
        folder.index("\"a\": \"" + name + "\"");
        CHECK_THAT(folder.fault(),
                   ContainsSubstring("index.json: weight_map.a: not a plain file name (found the "
                                     "string \""));
    }
    fs::create_symlink("below/x.safetensors", folder.path / "link.safetensors");
    folder.index(R"("a": "link.safetensors")");
    CHECK_THAT(folder.fault(), ContainsSubstring("link.safetensors: file: is a symbolic link"));
    folder.index(R"("a": "below")");
    CHECK_THAT(folder.fault(), ContainsSubstring("found a directory"));
    folder.index(R"("a": 7)");
    CHECK_THAT(folder.fault(), ContainsSubstring("weight_map.a: wrong kind of value (found 7"));
    folder.index(R"("a": "good.safetensors", "a": "good.safetensors")");
    CHECK_THAT(folder.fault(), ContainsSubstring("weight_map.a: duplicate key"));
    folder.text("model.safetensors.index.json", "{}");
    CHECK_THAT(folder.fault(), ContainsSubstring("expected the key \"weight_map\""));
}

TEST_CASE("CheckpointFiles: files and index that disagree are refused", "[ch14]") {
    const Folder folder{"disagree"};
    folder.shard("1.safetensors", {{"a", 1}});
    folder.shard("2.safetensors", {{"b", 2}, {"a", 3}});
    folder.index(R"("a": "1.safetensors", "b": "3.safetensors")");
    CHECK_THAT(folder.fault(), ContainsSubstring("weight_map: a file is missing (found no "
                                                 "\"3.safetensors\", expected it beside the index, "
                                                 "with \"b\")"));
    folder.index(R"("a": "1.safetensors", "c": "1.safetensors")");
    CHECK_THAT(folder.fault(), ContainsSubstring("1.safetensors: tensor \"c\": not in this file"));
    folder.index(R"("a": "1.safetensors", "b": "2.safetensors")");
    CHECK_THAT(folder.fault(), ContainsSubstring("2.safetensors: tensor \"a\": the index does not "
                                                 "place it here"));
    folder.index(R"("b": "2.safetensors")");
    CHECK_THAT(folder.fault(), ContainsSubstring("tensor \"a\": the index does not place it here"));
    std::string many;
    for (int i = 0; i < 501; ++i) {
        many += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":\"" + std::to_string(i) + "\"";
    }
    folder.index(many);
    CHECK_THAT(folder.fault(), ContainsSubstring("too many files"));
    folder.text("2.safetensors", "<html></html>");
    folder.index(R"("a": "1.safetensors", "b": "2.safetensors")");
    CHECK_THAT(folder.fault(), ContainsSubstring("2.safetensors: header length: not a safetensors "
                                                 "file but an HTML page"));
}

TEST_CASE("CheckpointFiles: a pickle is not read and the message says what to do", "[ch14]") {
    const Folder folder{"pickle"};
    CHECK_THAT(folder.fault(), ContainsSubstring("folder: no weights (found neither, expected "
                                                 "model.safetensors or model.safetensors.index"));
    folder.text("pytorch_model.bin", "PK\x03\x04");
    CHECK_THAT(folder.fault(), ContainsSubstring("pytorch_model.bin: a Python pickle") &&
                                   ContainsSubstring("torch.load('pytorch_model.bin'") &&
                                   ContainsSubstring("(found no model.safetensors, expected"));
    folder.shard("model.safetensors", {{"a", 1}});
    CHECK(folder.fault() == "");
    CHECK_THROWS_AS(CheckpointFiles{(folder.path / "none").string()}, bert::IoError);
}
