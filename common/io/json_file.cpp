#include "common/io/json_file.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "common/io/file_error.hpp"
#include "common/io/input_file.hpp"
#include "common/io/json_fault.hpp"
#include "common/io/npz.hpp"

namespace bert {

namespace {

using nlohmann::json;

constexpr std::size_t max_rank = 4;
constexpr std::uint64_t max_bytes = std::uint64_t{16} << 20;

std::string shortened(const std::string& text) {
    constexpr std::size_t most = 60;
    return text.size() <= most ? text : text.substr(0, most) + "...";
}

// Takes the parser's events and builds the tensors; refuses at the first event that does not fit,
// so that neither depth nor width of the text can take more memory than its numbers.
class TensorBuilder {
  public:
    TensorBuilder(const std::string& path, std::string_view text) : path_(path), text_(text) {}

    std::map<std::string, Tensor> take() { return std::move(tensors_); }

    bool null() { refuse("null"); }
    bool boolean(bool value) { refuse(value ? "true" : "false"); }
    bool string(const std::string& value) { refuse(shortened(json_string(value))); }
    bool binary(const json::binary_t&) { refuse("bytes"); }
    bool number_integer(std::int64_t value) { return number(static_cast<double>(value)); }
    bool number_unsigned(std::uint64_t value) { return number(static_cast<double>(value)); }
    bool number_float(double value, const std::string&) { return number(value); }

    bool start_object(std::size_t) {
        if (in_object_) refuse("an object");
        in_object_ = true;
        return true;
    }
    bool end_object() { return true; }

    bool key(const std::string& name) {
        name_ = name;
        if (tensors_.contains(name)) fail("a name twice", "another", "each name once");
        rank_known_ = false;
        lengths_.fill(0);
        return true;
    }

    bool start_array(std::size_t) {
        if (!in_object_) refuse("a list");
        if (depth_ == max_rank) fail("lists too deep", "a fifth level", "at most 4");
        if (rank_known_ && depth_ == rank_) fail("not as deep everywhere", "a list", "a number");
        counts_[depth_++] = 0;
        return true;
    }

    bool end_array() {
        const std::size_t count = counts_[--depth_];
        if (count == 0) fail("a list is empty", "no entries", "one or more");
        std::size_t& length = lengths_[depth_];
        if (length != 0 && count != length) {
            fail("a list differs in length from the one before", std::to_string(count),
                 std::to_string(length));
        }
        length = count;
        return value_ends();
    }

    bool parse_error(std::size_t position, const std::string& last,
                     const nlohmann::detail::exception& error) {
        throw_not_json(path_, text_, position, last, error.what());
    }

  private:
    [[noreturn]] void fail(const std::string& what, const std::string& found,
                           const std::string& expected) const {
        std::string where = in_object_ ? shortened(json_string(name_)) : "top";
        for (std::size_t level = 0; level < depth_; ++level) {
            where += "[" + std::to_string(counts_[level]) + "]";
        }
        throw FileError{path_, where, what, found, expected};
    }

    [[noreturn]] void refuse(const std::string& found) const {
        if (!in_object_) fail("wrong kind of value", found, "an object of names to tensors");
        fail("wrong kind of value", found, "a number or a list of numbers");
    }

    bool number(double value) {
        if (!in_object_) refuse("a number");
        if (!rank_known_) rank_ = depth_;
        rank_known_ = true;
        if (depth_ != rank_) fail("not as deep everywhere", "a number", "a list");
        const Real rounded = static_cast<Real>(value);
        if (!std::isfinite(rounded)) {
            fail("a number is out of range", std::to_string(value), "at most 3.4e38 in size");
        }
        values_.push_back(rounded);
        return value_ends();
    }

    bool value_ends() {
        if (depth_ > 0) {
            ++counts_[depth_ - 1];
            return true;
        }
        Shape shape(lengths_.begin(), lengths_.begin() + static_cast<std::ptrdiff_t>(rank_));
        values_.shrink_to_fit();
        tensors_.emplace(name_, Tensor(std::move(shape), std::exchange(values_, {})));
        return true;
    }

    const std::string& path_;
    std::string_view text_;
    std::map<std::string, Tensor> tensors_;
    bool in_object_ = false;
    std::string name_;
    std::vector<Real> values_;
    bool rank_known_ = false;
    std::size_t rank_ = 0;
    std::size_t depth_ = 0;                        // lists that are open
    std::array<std::size_t, max_rank> counts_{};   // entries so far of each open list
    std::array<std::size_t, max_rank> lengths_{};  // length of the lists of each level; 0: none yet
};

}  // namespace

std::map<std::string, Tensor> read_json_tensors(const std::string& path) {
    const std::string text = read_file(path, max_bytes);
    TensorBuilder builder{path, text};
    json::sax_parse(text, &builder);
    return builder.take();
}

std::string json_string(std::string_view text) {
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::map<std::string, Tensor> read_tensors(const std::string& path) {
    if (path.ends_with(".json")) return read_json_tensors(path);
    if (!path.ends_with(".npz")) {
        throw FileError{path, "name", "unknown kind of file", "this ending", ".npz or .json"};
    }
    std::map<std::string, Tensor> tensors;
    std::map<std::string, NpyArray> arrays = read_npz(path);
    // One array at a time is there twice.
    while (!arrays.empty()) {
        const auto first = arrays.begin();
        tensors.emplace(first->first, first->second.to_tensor());
        arrays.erase(first);
    }
    return tensors;
}

}  // namespace bert
