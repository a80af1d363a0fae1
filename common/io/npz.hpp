// NumPy's files: .npy holds one array, .npz a zip archive of named ones.
//
// Written files are the same bytes for the same arrays: entries are stored, not compressed, in the
// order they were added, dated 1980-01-01, little-endian, in C order, the numbers of each at a
// multiple of 64 bytes. numpy.load reads them without pickle.
//
// Read files are not trusted. Sizes are checked before memory is taken, check sums are compared,
// and what is not understood is refused with FileError, naming path and entry. Reading takes no
// more memory than the file has bytes, and a few MiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/tensor/tensor.hpp"

namespace bert {

/// How a tensor's numbers are stored: half, single or double precision.
enum class NpyFloat { f2, f4, f8 };

class NpzWriter {
  public:
    /// Each throws std::invalid_argument for a name that is empty, longer than 1000 bytes, taken,
    /// not UTF-8 or with control characters, and after 10000 arrays; ShapeError when the shape
    /// needs another number of values, or has more than eight dimensions.
    void add(const std::string& name, const Tensor& x, NpyFloat type = NpyFloat::f4);
    void add_ints(const std::string& name, const Shape& shape, std::vector<std::int32_t> values);
    void add_ints(const std::string& name, const Shape& shape, std::vector<std::int64_t> values);
    /// UTF-8 strings, as <U of the longest one's length. Throws std::invalid_argument too for a
    /// string that is not UTF-8 or ends in a NUL, which NumPy would drop.
    void add_strings(const std::string& name, const Shape& shape, std::vector<std::string> values);

    /// Writes all of them as one .npz file. Throws IoError.
    void write(const std::string& path) const;

    struct Entry {
        std::string name;
        std::string dtype;
        Shape shape;
        std::variant<Tensor, std::vector<std::int32_t>, std::vector<std::int64_t>,
                     std::vector<std::string>>
            values;
    };

  private:
    void append(Entry entry);

    std::vector<Entry> entries_;
};

/// One array as a .npy file. Throws IoError.
void write_npy(const std::string& path, const Tensor& x, NpyFloat type = NpyFloat::f4);

/// An array as it lies in a file.
class NpyArray {
  public:
    NpyArray(std::string path, std::string where, std::string dtype, Shape shape,
             std::string bytes);

    /// "<f4"; one of <f2 <f4 <f8 <i4 <i8 |u1 |b1, or <U with the length of the strings.
    const std::string& dtype() const { return dtype_; }
    const Shape& shape() const { return shape_; }
    std::size_t size() const;
    /// The elements in C order, little-endian.
    std::string_view bytes() const { return bytes_; }

    /// The numbers, rounded to Real. Throws FileError for strings, and for a finite number that
    /// Real cannot hold.
    Tensor to_tensor() const;
    /// Whole numbers. Throws FileError for strings and floating-point numbers.
    std::vector<std::int64_t> to_ints() const;
    /// Strings as UTF-8, without the NULs that fill them up. Throws FileError for numbers, and for
    /// code points that do not exist.
    std::vector<std::string> to_strings() const;

  private:
    std::string path_;
    std::string where_;
    std::string dtype_;
    Shape shape_;
    std::string bytes_;
};

/// The arrays of a .npz file by name; the .npy endings are left out. At most 10000 of them.
/// Throws IoError when the file does not open, FileError when it is not as described above.
std::map<std::string, NpyArray> read_npz(const std::string& path);

/// The array of a .npy file. Throws likewise.
NpyArray read_npy(const std::string& path);

/// The tensors of a file: .npz, or .json as read_json_tensors (json_file.hpp) reads it. Throws
/// FileError too for another ending, and for an array of strings.
std::map<std::string, Tensor> read_tensors(const std::string& path);

}  // namespace bert
