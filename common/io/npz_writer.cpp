#include <algorithm>
#include <bit>
#include <functional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "common/io/atomic_file.hpp"
#include "common/io/crc32.hpp"
#include "common/io/half.hpp"
#include "common/io/little_endian.hpp"
#include "common/io/npy_format.hpp"
#include "common/io/npz.hpp"
#include "common/io/utf8.hpp"
#include "common/io/zip_format.hpp"
#include "common/io/zip_writer.hpp"

namespace bert {

namespace {

using Sink = std::function<void(std::string_view)>;
using Entry = NpzWriter::Entry;

// Appends one value's bytes after another and passes them on in pieces.
template <typename Values, typename Append>
void emit_values(const Values& values, const Sink& sink, Append append) {
    constexpr std::size_t piece = std::size_t{1} << 16;
    std::string bytes;
    for (const auto& value : values) {
        append(bytes, value);
        if (bytes.size() < piece) continue;
        sink(bytes);
        bytes.clear();
    }
    sink(bytes);
}

void emit_tensor(const Tensor& x, std::string_view dtype, const Sink& sink) {
    if (dtype == "<f2") {
        return emit_values(x.values(), sink, [](std::string& bytes, Real value) {
            append_little_endian(bytes, half_bits(value));
        });
    }
    if (dtype == "<f4") {
        return emit_values(x.values(), sink, [](std::string& bytes, Real value) {
            append_little_endian(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
        });
    }
    emit_values(x.values(), sink, [](std::string& bytes, Real value) {
        append_little_endian(bytes, std::bit_cast<std::uint64_t>(static_cast<double>(value)));
    });
}

template <typename Int>
void emit_ints(const std::vector<Int>& values, const Sink& sink) {
    emit_values(values, sink, [](std::string& bytes, Int value) {
        append_little_endian(bytes, static_cast<std::make_unsigned_t<Int>>(value));
    });
}

void emit_strings(const std::vector<std::string>& values, std::size_t width, const Sink& sink) {
    emit_values(values, sink, [width](std::string& bytes, const std::string& value) {
        std::u32string code_points = utf8_to_code_points(value).value();
        code_points.resize(width, U'\0');
        for (const char32_t c : code_points) {
            append_little_endian(bytes, static_cast<std::uint32_t>(c));
        }
    });
}

// The bytes of an entry as a .npy file.
void emit_npy(const Entry& entry, const Sink& sink) {
    sink(npy_header_text(entry.dtype, entry.shape));
    if (const auto* x = std::get_if<Tensor>(&entry.values)) emit_tensor(*x, entry.dtype, sink);
    if (const auto* x = std::get_if<1>(&entry.values)) emit_ints(*x, sink);
    if (const auto* x = std::get_if<2>(&entry.values)) emit_ints(*x, sink);
    if (const auto* x = std::get_if<3>(&entry.values)) {
        emit_strings(*x, npy_item_size(entry.dtype) / 4, sink);
    }
}

const char* dtype_of(NpyFloat type) {
    if (type == NpyFloat::f2) return "<f2";
    return type == NpyFloat::f4 ? "<f4" : "<f8";
}

void require_name(const std::string& name) {
    const bool control = std::any_of(name.begin(), name.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == '\x7F';
    });
    if (name.empty() || name.size() + npy_ending.size() > zip_max_name || control ||
        !utf8_to_code_points(name)) {
        throw std::invalid_argument{
            "NpzWriter: a name must be 1 to 1000 bytes of UTF-8 without control characters "
            "(found " +
            name.substr(0, 100) + ")"};
    }
}

void require_count(const std::string& name, const Shape& shape, std::size_t count) {
    if (shape.size() > npy_max_rank) {
        throw ShapeError{"NpzWriter: " + name + " " + to_string(shape) +
                         " has more than eight dimensions"};
    }
    if (element_count(shape) != count) {
        throw ShapeError{"NpzWriter: " + name + " " + to_string(shape) + " needs " +
                         std::to_string(element_count(shape)) + " values, " +
                         std::to_string(count) + " given"};
    }
}

// The greatest number of code points, at least 1: NumPy has no strings of none.
std::size_t width_of(const std::string& name, const std::vector<std::string>& values) {
    std::size_t width = 1;
    for (const std::string& value : values) {
        const auto code_points = utf8_to_code_points(value);
        if (!code_points || value.ends_with('\0')) {
            throw std::invalid_argument{"NpzWriter: a string of " + name +
                                        " is not UTF-8, or ends in a NUL"};
        }
        width = std::max(width, code_points->size());
    }
    return width;
}

}  // namespace

void NpzWriter::append(Entry entry) {
    require_name(entry.name);
    if (entries_.size() == npz_max_entries) {
        throw std::invalid_argument{"NpzWriter: more than 10000 arrays"};
    }
    if (std::any_of(entries_.begin(), entries_.end(),
                    [&](const Entry& other) { return other.name == entry.name; })) {
        throw std::invalid_argument{"NpzWriter: the name " + entry.name + " is taken"};
    }
    entries_.push_back(std::move(entry));
}

void NpzWriter::add(const std::string& name, const Tensor& x, NpyFloat type) {
    require_count(name, x.shape(), x.size());
    append({name, dtype_of(type), x.shape(), x});
}

void NpzWriter::add_ints(const std::string& name, const Shape& shape,
                         std::vector<std::int32_t> values) {
    require_count(name, shape, values.size());
    append({name, "<i4", shape, std::move(values)});
}

void NpzWriter::add_ints(const std::string& name, const Shape& shape,
                         std::vector<std::int64_t> values) {
    require_count(name, shape, values.size());
    append({name, "<i8", shape, std::move(values)});
}

void NpzWriter::add_strings(const std::string& name, const Shape& shape,
                            std::vector<std::string> values) {
    require_count(name, shape, values.size());
    const std::string dtype = "<U" + std::to_string(width_of(name, values));
    append({name, dtype, shape, std::move(values)});
}

void NpzWriter::write(const std::string& path) const {
    AtomicFile file{path};
    std::string directory;
    std::uint64_t offset = 0;
    for (const Entry& entry : entries_) {
        ZipEntry placed{.name = entry.name + std::string{npy_ending}, .header = offset};
        // The check sum stands before the bytes: they are made twice rather than kept.
        emit_npy(entry, [&](std::string_view bytes) {
            placed.crc = crc32(placed.crc, bytes);
            placed.size += bytes.size();
        });
        const std::string header = zip_local_header(placed);
        file.write(header);
        emit_npy(entry, [&](std::string_view bytes) { file.write(bytes); });
        offset += header.size() + placed.size;
        directory += zip_central_header(placed);
    }
    file.write(directory);
    file.write(zip_end(entries_.size(), offset, directory.size()));
    file.commit();
}

void write_npy(const std::string& path, const Tensor& x, NpyFloat type) {
    require_count("write_npy", x.shape(), x.size());
    AtomicFile file{path};
    emit_npy({"", dtype_of(type), x.shape(), x},
             [&](std::string_view bytes) { file.write(bytes); });
    file.commit();
}

}  // namespace bert
