#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "common/io/file_error.hpp"
#include "common/io/half.hpp"
#include "common/io/input_file.hpp"
#include "common/io/little_endian.hpp"
#include "common/io/npy_format.hpp"
#include "common/io/npz.hpp"
#include "common/io/utf8.hpp"

namespace bert {

namespace {

// Calls read(element's bytes) for each element and gives what it returns.
template <typename T, typename Read>
std::vector<T> each_element(std::string_view bytes, std::size_t item_size, Read read) {
    std::vector<T> values;
    values.reserve(bytes.size() / item_size);
    for (; !bytes.empty(); bytes.remove_prefix(item_size)) {
        values.push_back(read(bytes.substr(0, item_size)));
    }
    return values;
}

std::int32_t int32_at(std::string_view bytes) {
    return static_cast<std::int32_t>(get_little_endian<std::uint32_t>(bytes));
}

std::int64_t int64_at(std::string_view bytes) {
    return static_cast<std::int64_t>(get_little_endian<std::uint64_t>(bytes));
}

}  // namespace

NpyArray::NpyArray(std::string path, std::string where, std::string dtype, Shape shape,
                   std::string bytes)
    : path_(std::move(path)),
      where_(std::move(where)),
      dtype_(std::move(dtype)),
      shape_(std::move(shape)),
      bytes_(std::move(bytes)) {}

std::size_t NpyArray::size() const {
    return bytes_.size() / npy_item_size(dtype_);
}

Tensor NpyArray::to_tensor() const {
    const auto convert = [&](auto read) {
        return Tensor(shape_, each_element<Real>(bytes_, npy_item_size(dtype_), read));
    };
    if (dtype_ == "<f2") {
        return convert([](std::string_view b) {
            return static_cast<Real>(half_value(get_little_endian<std::uint16_t>(b)));
        });
    }
    if (dtype_ == "<f4") {
        return convert([](std::string_view b) {
            return static_cast<Real>(std::bit_cast<float>(get_little_endian<std::uint32_t>(b)));
        });
    }
    if (dtype_ == "<f8") {
        return convert([this](std::string_view b) {
            const auto x = std::bit_cast<double>(get_little_endian<std::uint64_t>(b));
            const Real rounded = static_cast<Real>(x);
            if (std::isfinite(x) && !std::isfinite(rounded)) {
                throw FileError{path_, where_, "a number is out of range", std::to_string(x),
                                "at most 3.4e38 in size"};
            }
            return rounded;
        });
    }
    if (dtype_.starts_with("<U")) {
        throw FileError{path_, where_, "not numbers", dtype_, "a number type"};
    }
    const std::vector<std::int64_t> ints = to_ints();
    std::vector<Real> values(ints.size());
    for (std::size_t i = 0; i < ints.size(); ++i)
        values[i] = static_cast<Real>(ints[i]);
    return Tensor(shape_, std::move(values));
}

std::vector<std::int64_t> NpyArray::to_ints() const {
    const auto convert = [&](auto read) {
        return each_element<std::int64_t>(bytes_, npy_item_size(dtype_), read);
    };
    if (dtype_ == "<i4") return convert(int32_at);
    if (dtype_ == "<i8") return convert(int64_at);
    if (dtype_ == "|u1") {
        return convert([](std::string_view b) { return static_cast<unsigned char>(b[0]); });
    }
    if (dtype_ == "|b1") {
        return convert([](std::string_view b) { return b[0] != 0 ? 1 : 0; });
    }
    throw FileError{path_, where_, "not whole numbers", dtype_, "<i4, <i8, |u1 or |b1"};
}

std::vector<std::string> NpyArray::to_strings() const {
    if (!dtype_.starts_with("<U")) {
        throw FileError{path_, where_, "not strings", dtype_, "<U with a length"};
    }
    return each_element<std::string>(bytes_, npy_item_size(dtype_), [this](std::string_view b) {
        std::size_t length = b.size() / 4;
        while (length > 0 && get_little_endian<std::uint32_t>(b.substr(4 * (length - 1))) == 0) {
            --length;
        }
        std::string text;
        for (std::size_t i = 0; i < length; ++i) {
            const auto code_point = get_little_endian<std::uint32_t>(b.substr(4 * i));
            if (!append_utf8(text, code_point)) {
                throw FileError{path_, where_, "a character that does not exist",
                                std::to_string(code_point), "a Unicode code point"};
            }
        }
        return text;
    });
}

NpyArray read_npy(const std::string& path) {
    const InputFile file{path};
    const std::string where = "array";
    const std::string beginning =
        file.read(0, std::min<std::uint64_t>(file.size(), npy_header_limit));
    const NpyHeader header = parse_npy_header(path, where, beginning, file.size());
    return {path, where, header.dtype, header.shape,
            file.read(header.bytes, file.size() - header.bytes)};
}

}  // namespace bert
