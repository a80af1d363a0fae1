#include "common/io/npy_dictionary.hpp"

#include <charconv>
#include <cstddef>
#include <system_error>

#include "common/io/file_error.hpp"

namespace bert {

namespace {

// Reads the dictionary from left to right; fail() names the place.
class HeaderParser {
  public:
    HeaderParser(const std::string& path, const std::string& where, std::string_view text)
        : path_(path), where_(where), text_(text) {}

    NpyHeader parse() {
        NpyHeader header;
        bool seen[3] = {};
        take('{');
        while (!accept('}')) {
            const std::string key = quoted();
            const std::size_t field = key == "descr" ? 0 : key == "fortran_order" ? 1 : 2;
            if (field == 2 && key != "shape") fail("an unknown key", key, "shape");
            if (seen[field]) fail("a key twice", key, "each key once");
            seen[field] = true;
            take(':');
            if (field == 0) header.dtype = dtype();
            if (field == 1) c_order();
            if (field == 2) header.shape = shape();
            if (!accept(',')) {
                take('}');
                break;
            }
        }
        if (!seen[0] || !seen[1] || !seen[2]) {
            fail("a key is missing", "the end", "descr, fortran_order and shape");
        }
        skip_blanks();
        if (at_ != text_.size()) fail("text after the dictionary", next(), "blanks");
        return header;
    }

  private:
    [[noreturn]] void fail(const std::string& what, const std::string& found,
                           const std::string& expected) const {
        throw FileError{path_, where_, "npy header: " + what, found, expected};
    }

    // What stands here, for a message: one character, or its number.
    std::string next() const {
        if (at_ >= text_.size()) return "the end";
        const char c = text_[at_];
        if (c > ' ' && c < '\x7F') return std::string{c};
        return "byte " + std::to_string(static_cast<unsigned char>(c));
    }

    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n'))
            ++at_;
    }

    bool accept(char c) {
        skip_blanks();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    void take(char c) {
        if (!accept(c)) fail("a wrong character", next(), std::string{c});
    }

    std::string quoted() {
        const char quote = accept('"') ? '"' : '\'';
        if (quote == '\'') take('\'');
        const std::size_t begin = at_;
        constexpr std::size_t longest = 32;
        while (at_ < text_.size() && text_[at_] != quote) {
            const char c = text_[at_];
            if (c < ' ' || c > '~' || c == '\\' || at_ - begin == longest) {
                fail("a bad name", next(), "a short name in quotes");
            }
            ++at_;
        }
        const std::string name{text_.substr(begin, at_ - begin)};
        take(quote);
        return name;
    }

    std::string dtype() {
        skip_blanks();
        if (at_ < text_.size() && text_[at_] == '[') {
            fail("descr is a structure", "[", "one number type");
        }
        const std::string name = quoted();
        if (npy_item_size(name) == 0) {
            fail(name == "|O" ? "Python objects are not read" : "an unknown descr", name,
                 "<f2, <f4, <f8, <i4, <i8, |u1, |b1 or <U with a length");
        }
        return name;
    }

    void c_order() {
        skip_blanks();
        const std::string_view rest = text_.substr(at_);
        if (rest.starts_with("True")) {
            fail("columns come first", "fortran_order True",
                 "False, as numpy.ascontiguousarray makes it");
        }
        if (!rest.starts_with("False")) fail("fortran_order", next(), "False");
        at_ += std::string_view{"False"}.size();
    }

    Shape shape() {
        Shape shape;
        take('(');
        bool comma = true;
        while (!accept(')')) {
            // "(3)" is a number in Python; only "(3,)" is a shape.
            if (!comma) fail("shape", next(), ",");
            if (shape.size() == npy_max_rank) fail("too many dimensions", "more", "at most 8");
            shape.push_back(whole_number());
            comma = accept(',');
            if (!comma && shape.size() == 1) fail("shape", next(), ",");
        }
        return shape;
    }

    std::size_t whole_number() {
        skip_blanks();
        const char* const begin = text_.data() + at_;
        const char* const end = text_.data() + text_.size();
        std::size_t value = 0;
        const auto [stop, error] = std::from_chars(begin, end, value);
        if (error == std::errc::result_out_of_range) {
            fail("a dimension is too large", std::string(begin, stop), "less than 2^64");
        }
        if (stop == begin || (*begin == '0' && stop - begin > 1)) {
            fail("shape", next(), "a whole number");
        }
        at_ += static_cast<std::size_t>(stop - begin);
        return value;
    }

    const std::string& path_;
    const std::string& where_;
    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_dictionary(const std::string& path, const std::string& where,
                               std::string_view text) {
    return HeaderParser{path, where, text}.parse();
}

}  // namespace bert
