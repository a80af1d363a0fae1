#include "common/io/safetensors_format.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "common/io/file_error.hpp"
#include "common/io/file_kind.hpp"
#include "common/io/little_endian.hpp"
#include "common/io/strict_json.hpp"

namespace bert {

namespace {

using Kind = JsonEvent::Kind;

constexpr std::array<std::pair<std::string_view, std::size_t>, 22> types{{
    {"BOOL", 8},        {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},
    {"I8", 8},          {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8},
    {"F8_E5M2FNUZ", 8}, {"I16", 16},    {"U16", 16},    {"F16", 16},    {"BF16", 16},
    {"I32", 32},        {"U32", 32},    {"F32", 32},    {"C64", 64},    {"F64", 64},
    {"I64", 64},        {"U64", 64},
}};

std::optional<SafetensorsType> type_of(std::string_view name) {
    const auto found = std::find_if(types.begin(), types.end(),
                                    [name](const auto& type) { return type.first == name; });
    if (found == types.end()) return std::nullopt;
    return static_cast<SafetensorsType>(found - types.begin());
}

std::string all_types() {
    std::string names;
    for (const auto& type : types) {
        names += (names.empty() ? "" : " ") + std::string{type.first};
    }
    return names;
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    if (b != 0 && a > std::numeric_limits<std::uint64_t>::max() / b) {
        throw std::length_error{"more than 2^64 bits"};
    }
    return a * b;
}

// Takes the header's JSON step by step. Depth 1 holds names and tensors, depth 2 a tensor's fields
// or the metadata, depth 3 the numbers of shape and data_offsets; what is deeper belongs to fields
// that are not known, and may be anything.
class HeaderReader {
  public:
    explicit HeaderReader(std::string path) : path_(std::move(path)) {}

    void take(const JsonEvent& event, const JsonPlace& place) {
        place_ = &place;
        switch (place.depth()) {
            case 0:
                if (event.kind != Kind::begin_object && event.kind != Kind::end_object) {
                    fail("the header is no object", found(event), "names with tensors");
                }
                break;
            case 1:
                event.kind == Kind::key ? take_name(event.text) : take_tensor(event);
                break;
            case 2:
                in_metadata_ ? take_metadata(event) : take_field(event);
                break;
            case 3:
                if (!in_metadata_ && field_ != Field::other) take_number(event);
                break;
            default:
                break;
        }
    }

    SafetensorsHeader header;

  private:
    enum class Field { dtype, shape, data_offsets, other };

    [[noreturn]] void fail(const std::string& what, const std::string& found,
                           const std::string& expected) const {
        throw FileError{path_, place_->where(), what, found, expected};
    }

    static std::string found(const JsonEvent& event) {
        switch (event.kind) {
            case Kind::null:
                return "null";
            case Kind::boolean:
                return event.boolean ? "true" : "false";
            case Kind::number:
                return std::string{event.text.substr(0, 60)};
            case Kind::begin_array:
                return "a list";
            case Kind::begin_object:
                return "an object";
            default:
                return "the string " + shown(event.text);
        }
    }

    void take_name(std::string_view name) {
        in_metadata_ = name == "__metadata__";
        if (in_metadata_) return;
        const auto is_control = [](char c) {
            return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
        };
        if (std::any_of(name.begin(), name.end(), is_control)) {
            fail("a control character in a tensor's name", "one", "none");
        }
        if (header.entries.size() == safetensors_tensor_limit) {
            fail("too many tensors", "more", "at most " + std::to_string(safetensors_tensor_limit));
        }
        header.entries.push_back({.name = std::string{name}, .shape = {}});
        has_ = {};
        offsets_.clear();
    }

    void take_tensor(const JsonEvent& event) {
        if (event.kind == Kind::begin_object) return;
        if (in_metadata_) {
            if (event.kind == Kind::null || event.kind == Kind::end_object) return;
            fail("the metadata is no object", found(event), "an object of strings");
        }
        if (event.kind != Kind::end_object) {
            fail("no tensor", found(event), "an object with dtype, shape and data_offsets");
        }
        close_tensor();
    }

    void take_metadata(const JsonEvent& event) {
        if (event.kind == Kind::key) {
            key_ = event.text;
        } else if (event.kind == Kind::string) {
            header.metadata.emplace(std::move(key_), event.text);
        } else {
            fail("a value of the metadata is no string", found(event), "a string");
        }
    }

    void take_field(const JsonEvent& event) {
        SafetensorsEntry& entry = header.entries.back();
        if (event.kind == Kind::key) {
            field_ = event.text == "dtype"          ? Field::dtype
                     : event.text == "shape"        ? Field::shape
                     : event.text == "data_offsets" ? Field::data_offsets
                                                    : Field::other;
            if (field_ != Field::other) has_.at(static_cast<std::size_t>(field_)) = true;
        } else if (field_ == Field::dtype) {
            const std::optional<SafetensorsType> type =
                event.kind == Kind::string ? type_of(event.text) : std::nullopt;
            if (!type) fail("unknown dtype", found(event), "one of " + all_types());
            entry.type = *type;
        } else if (field_ != Field::other && event.kind == Kind::end_array) {
            if (field_ == Field::data_offsets && offsets_.size() != 2) wrong_offset_count("fewer");
        } else if (field_ != Field::other && event.kind != Kind::begin_array) {
            fail("wrong kind of value", found(event), "a list of whole numbers");
        }
    }

    void take_number(const JsonEvent& event) {
        if (!event.whole) {
            fail("not a whole number", found(event), "digits only, below 2^64");
        }
        Shape& shape = header.entries.back().shape;
        if (field_ == Field::data_offsets) {
            if (offsets_.size() == 2) wrong_offset_count("a third");
            offsets_.push_back(*event.whole);
        } else {
            if (shape.size() == safetensors_rank_limit) {
                fail("too many dimensions", "a ninth", "a rank of at most 8");
            }
            shape.push_back(static_cast<std::size_t>(*event.whole));
        }
    }

    [[noreturn]] void wrong_offset_count(const std::string& count) const {
        fail("wrong number of offsets", count, "two, begin and end");
    }

    void close_tensor() {
        constexpr std::array<const char*, 3> names{"dtype", "shape", "data_offsets"};
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (!has_.at(i)) fail("a field is missing", "none", names.at(i));
        }
        SafetensorsEntry& entry = header.entries.back();
        std::uint64_t bytes = 0;
        const std::string size =
            to_string(entry.shape) + " of " + std::string{to_string(entry.type)};
        try {
            bytes = safetensors_bytes(entry.type, entry.shape);
        } catch (const std::length_error&) {
            fail("the shape is too large", size, "a size below 2^64 bits");
        } catch (const std::invalid_argument&) {
            fail("not a whole number of bytes", size, "a multiple of 8 bits");
        }
        entry.begin = offsets_[0];
        entry.end = offsets_[1];
        const std::string span = std::to_string(entry.begin) + " to " + std::to_string(entry.end);
        if (entry.begin > entry.end) fail("offsets the wrong way round", span, "begin <= end");
        if (entry.end - entry.begin != bytes) {
            fail("shape and offsets do not fit", std::to_string(entry.end - entry.begin) + " bytes",
                 std::to_string(bytes) + " bytes for " + size);
        }
    }

    std::string path_;
    const JsonPlace* place_ = nullptr;
    bool in_metadata_ = false;
    Field field_ = Field::other;
    std::array<bool, 3> has_{};
    std::vector<std::uint64_t> offsets_;
    std::string key_;
};

// The tensors lie side by side, from the end of the header to the end of the file.
void check_layout(const std::string& path, std::vector<SafetensorsEntry>& entries,
                  std::uint64_t data_size) {
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
        return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
    });
    std::uint64_t end = 0;
    const SafetensorsEntry* before = nullptr;
    for (const SafetensorsEntry& entry : entries) {
        if (entry.begin != end) {
            const std::string neighbour =
                before == nullptr ? "the header" : "tensor " + shown(before->name);
            throw FileError{path, "tensor " + shown(entry.name),
                            (entry.begin > end ? "a gap behind " : "overlaps ") + neighbour,
                            "begin " + std::to_string(entry.begin), std::to_string(end)};
        }
        end = entry.end;
        before = &entry;
    }
    if (end != data_size) {
        throw FileError{path, "end of the file",
                        end < data_size ? "bytes behind the last tensor" : "the file is cut short",
                        std::to_string(data_size) + " bytes of tensors", std::to_string(end)};
    }
}

std::uint64_t header_length(const std::string& path, std::string_view file) {
    const auto fail = [&](const std::string& what, const std::string& found,
                          const std::string& expected) {
        const std::string kind = file_kind(file);
        throw FileError{path, "header length",
                        kind.empty() ? what : "not a safetensors file but " + kind, found,
                        expected};
    };
    const std::uint64_t size = file.size();
    if (size < 8) {
        fail("too small for the 8 bytes of the header's length", std::to_string(size) + " bytes",
             "8 or more");
    }
    const auto length = get_little_endian<std::uint64_t>(file);
    if (length > safetensors_header_limit || length > size - 8) {
        std::uint64_t swapped = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            swapped = swapped << 8 | static_cast<unsigned char>(file[i]);
        }
        fail(swapped <= size - 8 ? "the header's length looks big-endian"
                                 : "the header is longer than is allowed",
             std::to_string(length),
             "at most " +
                 std::to_string(std::min<std::uint64_t>(safetensors_header_limit, size - 8)) +
                 " in a file of " + std::to_string(size) + " bytes");
    }
    return length;
}

}  // namespace

std::string_view to_string(SafetensorsType type) {
    return types.at(static_cast<std::size_t>(type)).first;
}

std::size_t bits_of(SafetensorsType type) {
    return types.at(static_cast<std::size_t>(type)).second;
}

std::uint64_t safetensors_bytes(SafetensorsType type, const Shape& shape) {
    std::uint64_t bits = bits_of(type);
    bool is_empty = false;
    for (const std::size_t size : shape) {
        is_empty = is_empty || size == 0;
        if (size != 0) bits = product(bits, size);
    }
    if (is_empty) return 0;
    if (bits % 8 != 0) throw std::invalid_argument{"not a whole number of bytes"};
    return bits / 8;
}

SafetensorsHeader parse_safetensors_header(const std::string& path, std::string_view file) {
    const std::uint64_t length = header_length(path, file);
    const std::string header_path = path + ": header";
    HeaderReader reader{header_path};
    walk_json(
        header_path, file.substr(8, static_cast<std::size_t>(length)),
        [&reader](const JsonEvent& event, const JsonPlace& place) { reader.take(event, place); });
    reader.header.data = 8 + length;
    check_layout(path, reader.header.entries, file.size() - reader.header.data);
    return std::move(reader.header);
}

}  // namespace bert
