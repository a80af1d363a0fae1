#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <set>
#include <stdexcept>
#include <system_error>

#include "ch14_bert/checkpoint.hpp"
#include "ch14_bert/checkpoint_tensors.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/file_error.hpp"
#include "common/io/input_file.hpp"

namespace bert {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largest_copied = std::uint64_t{64} << 20;

// Text files that go with the weights.
constexpr std::array<const char*, 5> copied = {"vocab.txt", "tokenizer_config.json",
                                               "tokenizer.json", "special_tokens_map.json",
                                               "added_tokens.json"};

// A BertModel's own files have no prefix; with anything beside it they need one.
bool is_bare_model(const CheckpointFiles& files, const CurrentTensors& tensors) {
    for (const auto& [name, tensor] : tensors)
        if (!name.starts_with("bert.")) return false;
    for (const auto& [name, tensor] : files.tensors())
        if (name.starts_with("bert.")) return false;
    return true;
}

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(fs::symlink_status(path, ignored));
}

void add_to(SafetensorsWriter& writer, const std::string& name, const CheckpointTensor& tensor,
            std::optional<SafetensorsType> type) {
    const SafetensorsEntry& entry = *tensor.entry;
    if (!type || !is_float(entry.type) || entry.type == *type) {
        writer.add_bytes(name, entry.type, entry.shape, tensor.bytes());
        return;
    }
    const Tensor x = tensor.tensor();
    constexpr double largest_half = 65504.0;  // beyond it the writer gives infinity
    for (const Real number : x.values()) {
        if (*type == SafetensorsType::F16 && std::abs(static_cast<double>(number)) > largest_half)
            throw NumericError{"convert_checkpoint: " + name +
                               " has a number that F16 cannot hold"};
    }
    writer.add(name, x, *type);
}

// A file that stays beside the new ones would be taken for one of them.
void require_no_others(const fs::path& from, const fs::path& to) {
    const auto refuse_left = [&](const char* name, bool is_written) {
        if (is_written || !is_there(to / name)) return;
        throw std::invalid_argument{"convert_checkpoint: " + to.string() + " has a " + name +
                                    " that does not belong to " + from.string()};
    };
    refuse_left("model.safetensors.index.json", false);
    for (const char* name : copied)
        refuse_left(name, is_there(from / name));
}

void copy_text_files(const fs::path& from, const fs::path& to) {
    for (const char* name : copied)
        if (is_there(from / name))
            write_file((to / name).string(), read_file((from / name).string(), largest_copied));
}

// Calls write(); where that fails, a folder that was not there before is gone again.
void in_folder(const fs::path& to, const std::function<void()>& write) {
    std::error_code fault;
    const bool is_new = fs::create_directories(to, fault);
    if (fault) throw IoError{to.string() + ": cannot make the folder: " + fault.message()};
    try {
        write();
    } catch (...) {
        if (!is_new) throw;
        for (const char* name : {"model.safetensors", "config.json"})
            fs::remove(to / name, fault);
        for (const char* name : copied)
            fs::remove(to / name, fault);
        fs::remove(to, fault);
        throw;
    }
}

}  // namespace

void convert_checkpoint(const std::string& from, const std::string& to,
                        std::optional<SafetensorsType> type) {
    if (type && (!is_float(*type) || *type == SafetensorsType::F64))
        throw std::invalid_argument{"convert_checkpoint: type (found " +
                                    std::string{to_string(*type)} + ", expected F16, BF16 or F32)"};
    require_no_others(from, to);
    auto [config, files, tensors, parts, notes] = open_checkpoint(from);
    if (!parts.own_decoder) {
        const std::set<std::string> untied{notes.untied.begin(), notes.untied.end()};
        for (const char* name : {"cls.predictions.decoder.weight", "cls.predictions.decoder.bias"})
            if (!untied.contains(name)) tensors.erase(name);
    }
    const std::size_t prefix = is_bare_model(files, tensors) ? std::string{"bert."}.size() : 0;
    SafetensorsWriter writer;
    for (const auto& [name, tensor] : tensors)
        add_to(writer, name.substr(prefix), tensor, type);
    in_folder(to, [&, &files = files, &config = config] {
        try {
            writer.write(to + "/model.safetensors");
            files.require_intact();
        } catch (...) {
            files.require_intact();  // when that is the reason, it is the one to tell
            throw;
        }
        write_bert_config(to + "/config.json", config);
        copy_text_files(from, to);
    });
}

}  // namespace bert
