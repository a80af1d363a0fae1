#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "common/io/file_error.hpp"
#include "common/io/half.hpp"
#include "common/io/safetensors.hpp"
#include "common/io/strict_json.hpp"

namespace bert {

namespace {

constexpr SafetensorsType own_type =
    std::is_same_v<Real, float> ? SafetensorsType::F32 : SafetensorsType::F64;

// Copied to where it is aligned, as the format does not align tensors.
template <typename Bits>
Bits load(const char* place) {
    Bits bits{};
    std::memcpy(&bits, place, sizeof(Bits));
    if constexpr (std::endian::native == std::endian::big) {
        Bits swapped = 0;
        for (std::size_t i = 0; i < sizeof(Bits); ++i) {
            swapped =
                static_cast<Bits>(static_cast<Bits>(swapped << 8) | ((bits >> (8 * i)) & 0xFF));
        }
        bits = swapped;
    }
    return bits;
}

template <typename Bits, typename Convert>
Tensor convert(const Shape& shape, std::string_view bytes, const Convert& number) {
    Tensor x = Tensor::for_overwrite(shape);
    Real* const values = x.mutable_data();
    const auto size = static_cast<std::ptrdiff_t>(x.size());
#pragma omp parallel for if (size > 65536)
    for (std::ptrdiff_t i = 0; i < size; ++i) {
        values[i] = static_cast<Real>(
            number(load<Bits>(bytes.data() + static_cast<std::size_t>(i) * sizeof(Bits))));
    }
    return x;
}

const std::vector<float>& halves() {
    static const std::vector<float> table = [] {
        std::vector<float> values(std::size_t{1} << 16);
        for (std::size_t bits = 0; bits < values.size(); ++bits) {
            values[bits] = half_value(static_cast<std::uint16_t>(bits));
        }
        return values;
    }();
    return table;
}

}  // namespace

SafetensorsFile::SafetensorsFile(std::string path, Links links)
    : file_(std::make_shared<const MappedFile>(std::move(path), links)),
      header_(parse_safetensors_header(file_->path(), file_->bytes())),
      by_name_(header_.entries.size()) {
    std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
    std::sort(by_name_.begin(), by_name_.end(), [this](std::size_t a, std::size_t b) {
        return entries()[a].name < entries()[b].name;
    });
    file_->require_intact();
}

const SafetensorsEntry* SafetensorsFile::find(std::string_view name) const {
    const auto found = std::lower_bound(
        by_name_.begin(), by_name_.end(), name,
        [this](std::size_t a, std::string_view b) { return entries()[a].name < b; });
    if (found == by_name_.end() || entries()[*found].name != name) return nullptr;
    return &entries()[*found];
}

std::string_view SafetensorsFile::bytes(const SafetensorsEntry& entry) const {
    return file_->bytes().substr(static_cast<std::size_t>(header_.data + entry.begin),
                                 static_cast<std::size_t>(entry.end - entry.begin));
}

Tensor SafetensorsFile::tensor(const SafetensorsEntry& entry) const {
    const std::string_view data = bytes(entry);
    const auto address = reinterpret_cast<std::uintptr_t>(data.data());
    if (entry.type == own_type && std::endian::native == std::endian::little &&
        address % alignof(Real) == 0) {
        const auto* const values = static_cast<const Real*>(static_cast<const void*>(data.data()));
        return Tensor::view_of(entry.shape, std::shared_ptr<const Real[]>{file_, values});
    }
    switch (entry.type) {
        case SafetensorsType::F16:
            return convert<std::uint16_t>(
                entry.shape, data, [&table = halves()](std::uint16_t bits) { return table[bits]; });
        case SafetensorsType::BF16:
            return convert<std::uint16_t>(entry.shape, data, bfloat16_value);
        case SafetensorsType::F32:
            return convert<std::uint32_t>(
                entry.shape, data, [](std::uint32_t bits) { return std::bit_cast<float>(bits); });
        case SafetensorsType::F64: {
            const auto number = [](std::uint64_t bits) { return std::bit_cast<double>(bits); };
            Tensor x = convert<std::uint64_t>(entry.shape, data, number);
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double exact = number(load<std::uint64_t>(data.data() + i * sizeof(double)));
                if (std::isinf(x.data()[i]) && std::isfinite(exact)) {
                    throw FileError{path(), "tensor " + shown(entry.name),
                                    "element " + std::to_string(i) + " is out of range",
                                    std::to_string(exact), "at most 3.4e38 in size"};
                }
            }
            return x;
        }
        default:
            throw FileError{path(), "tensor " + shown(entry.name), "not floating-point numbers",
                            std::string{to_string(entry.type)}, "F32, F16, BF16 or F64"};
    }
}

}  // namespace bert
