#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "common/io/atomic_file.hpp"
#include "common/io/half.hpp"
#include "common/io/json_file.hpp"
#include "common/io/little_endian.hpp"
#include "common/io/safetensors.hpp"
#include "common/io/strict_json.hpp"
#include "common/io/utf8.hpp"

namespace bert {

namespace {

void append_number(std::string& bytes, SafetensorsType type, Real x) {
    switch (type) {
        case SafetensorsType::F16:
            return append_little_endian(bytes, half_bits(x));
        case SafetensorsType::BF16:
            return append_little_endian(bytes, bfloat16_bits(x));
        case SafetensorsType::F32:
            return append_little_endian(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(x)));
        default:
            return append_little_endian(bytes,
                                        std::bit_cast<std::uint64_t>(static_cast<double>(x)));
    }
}

// A step at a time, so that no tensor is in memory twice.
void write_numbers(AtomicFile& file, SafetensorsType type, const Tensor& x) {
    const bool is_own = type == SafetensorsType::F32 && std::is_same_v<Real, float> &&
                        std::endian::native == std::endian::little;
    if (is_own) {
        const auto* const bytes = static_cast<const char*>(static_cast<const void*>(x.data()));
        file.write({bytes, x.size() * sizeof(Real)});
        return;
    }
    constexpr std::size_t step = 65536;
    std::string bytes;
    for (std::size_t begin = 0; begin < x.size(); begin += step) {
        bytes.clear();
        const std::size_t end = std::min(begin + step, x.size());
        for (std::size_t i = begin; i < end; ++i)
            append_number(bytes, type, x.data()[i]);
        file.write(bytes);
    }
}

bool is_name(const std::string& name) {
    return name != "__metadata__" && utf8_to_code_points(name).has_value() &&
           std::none_of(name.begin(), name.end(),
                        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

std::string list_of(const Shape& shape) {
    std::string text = "[";
    for (const std::size_t size : shape) {
        text += (text.size() == 1 ? "" : ",") + std::to_string(size);
    }
    return text + "]";
}

}  // namespace

void SafetensorsWriter::put(std::string name, Entry entry) {
    if (!is_name(name)) {
        throw std::invalid_argument{"SafetensorsWriter: " + shown(name) +
                                    " cannot be a tensor's name"};
    }
    if (entries_.size() == safetensors_tensor_limit) {
        throw std::invalid_argument{"SafetensorsWriter: more than " +
                                    std::to_string(safetensors_tensor_limit) + " tensors"};
    }
    if (entry.shape.size() > safetensors_rank_limit) {
        throw ShapeError{"SafetensorsWriter: shape " + to_string(entry.shape) +
                         " has more than 8 dimensions"};
    }
    const auto [place, is_new] = entries_.try_emplace(std::move(name), std::move(entry));
    if (!is_new) {
        throw std::invalid_argument{"SafetensorsWriter: " + shown(place->first) +
                                    " is there already"};
    }
}

void SafetensorsWriter::add(std::string name, Tensor x, SafetensorsType type) {
    using enum SafetensorsType;
    if (type != F16 && type != BF16 && type != F32 && type != F64) {
        throw std::invalid_argument{"SafetensorsWriter: numbers as " +
                                    std::string{to_string(type)} +
                                    " (expected F16, BF16, F32 or F64)"};
    }
    Shape shape = x.shape();
    put(std::move(name), {type, std::move(shape), {}, std::move(x)});
}

void SafetensorsWriter::add_bytes(std::string name, SafetensorsType type, Shape shape,
                                  std::string_view bytes) {
    const std::uint64_t size = safetensors_bytes(type, shape);
    if (size != bytes.size()) {
        throw ShapeError{"SafetensorsWriter: shape " + to_string(shape) + " of " +
                         std::string{to_string(type)} + " needs " + std::to_string(size) +
                         " bytes, " + std::to_string(bytes.size()) + " given"};
    }
    put(std::move(name), {type, std::move(shape), bytes, Tensor{}});
}

void SafetensorsWriter::set_metadata(const std::string& key, std::string value) {
    if (!utf8_to_code_points(key) || !utf8_to_code_points(value)) {
        throw std::invalid_argument{"SafetensorsWriter: metadata " + shown(key) + " is not UTF-8"};
    }
    metadata_[key] = std::move(value);
}

std::string SafetensorsWriter::header(
    const std::vector<std::pair<std::string_view, const Entry*>>& sorted) const {
    std::string text = "{\"__metadata__\":{";
    for (const auto& [key, value] : metadata_) {
        if (text.back() != '{') text += ',';
        text += json_string(key) + ':' + json_string(value);
    }
    text += '}';
    std::uint64_t begin = 0;
    for (const auto& [name, entry] : sorted) {
        const std::uint64_t end = begin + safetensors_bytes(entry->type, entry->shape);
        text += ',' + json_string(name) + ":{\"dtype\":\"" + std::string{to_string(entry->type)} +
                "\",\"shape\":" + list_of(entry->shape) + ",\"data_offsets\":[" +
                std::to_string(begin) + ',' + std::to_string(end) + "]}";
        begin = end;
    }
    text += '}';
    text.append((8 - text.size() % 8) % 8, ' ');
    if (text.size() > safetensors_header_limit) {
        throw std::length_error{"SafetensorsWriter: a header of " + std::to_string(text.size()) +
                                " bytes"};
    }
    return text;
}

void SafetensorsWriter::write(const std::string& path) const {
    std::vector<std::pair<std::string_view, const Entry*>> sorted;
    for (const auto& [name, entry] : entries_)
        sorted.emplace_back(name, &entry);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second->type > b.second->type; });
    const std::string text = header(sorted);
    std::string length;
    append_little_endian(length, static_cast<std::uint64_t>(text.size()));
    AtomicFile file{path};
    file.write(length);
    file.write(text);
    for (const auto& [name, entry] : sorted) {
        if (entry->tensor.size() == 0) {
            file.write(entry->bytes);
        } else {
            write_numbers(file, entry->type, entry->tensor);
        }
    }
    file.commit();
}

}  // namespace bert
