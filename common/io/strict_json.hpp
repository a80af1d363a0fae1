// JSON that is not trusted, read strictly: RFC 8259 and nothing beyond it.
//
// Refused with FileError, with line and column, or with the place as in "a.b".shape[1]: what is not
// JSON, text behind the value, comments, a byte order mark, bytes that are not UTF-8, half a
// surrogate pair, the same key twice in one object (after unescaping, at any depth), more than 128
// levels, more than a million keys in open objects. Nothing recurses on the text's depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bert {

/// A value of a JSON file that knows its place there. Numbers keep their text.
class JsonValue {
  public:
    enum class Kind { null, boolean, number, string, array, object };

    Kind kind() const { return kind_; }
    bool is_null() const { return kind_ == Kind::null; }

    /// Each throws FileError naming file, place, and what is there instead.
    bool to_bool() const;
    /// A number written in digits only, below 2^64: 768, but not -1, 768.0 or 7.68e2.
    std::uint64_t to_unsigned() const;
    /// Any number; finite, for what a double cannot hold is refused when it is read.
    double to_double() const;
    const std::string& to_string() const;
    /// The values of an array, or of an object in the order of the file.
    const std::vector<JsonValue>& items() const;
    /// The keys of an object, one for each item.
    const std::vector<std::string>& keys() const;
    /// An object's value; null when it has no such key. Looks at each key in turn.
    const JsonValue* find(std::string_view key) const;
    /// The same; throws FileError when it is not there.
    const JsonValue& at(std::string_view key) const;

    /// The file, and the place in it: "top", hidden_size, id2label.0, "a.b".shape[1].
    const std::string& path() const { return *path_; }
    const std::string& where() const { return where_; }
    /// The value as JSON on one line, numbers as they were written.
    std::string to_json() const;
    /// Throws FileError: this value is not what it should be.
    [[noreturn]] void refuse(const std::string& what, const std::string& expected) const;

  private:
    friend class JsonTreeBuilder;
    void require(Kind kind, const std::string& expected) const;

    Kind kind_ = Kind::null;
    bool boolean_ = false;
    std::optional<std::uint64_t> unsigned_;
    double number_ = 0;
    std::string text_;  // of a string, unescaped; of a number, as written
    std::vector<std::string> keys_;
    std::vector<JsonValue> items_;
    std::shared_ptr<const std::string> path_;
    std::string where_;
};

/// "null", "true", "a number", "a string", "a list", "an object".
std::string to_string(JsonValue::Kind kind);

/// The one value of this text; `path` is for the errors. Throws FileError too above half a million
/// values.
JsonValue parse_json(const std::string& path, std::string_view text);

/// The same of a file. Throws IoError when it does not open, FileError above max_bytes, before
/// anything is read.
JsonValue read_json_file(const std::string& path, std::uint64_t max_bytes = std::uint64_t{1} << 20);

/// One step through a JSON text, for what is too large to be kept as a tree.
struct JsonEvent {
    enum class Kind {
        null,
        boolean,
        number,
        string,
        key,
        begin_array,
        end_array,
        begin_object,
        end_object
    };
    Kind kind = Kind::null;
    bool boolean = false;
    /// A number written in digits only, below 2^64.
    std::optional<std::uint64_t> whole = {};
    double number = 0;
    /// A key or string, unescaped, or a number as written; good during the call.
    std::string_view text = {};
};

/// Where the walk is: the keys and indices of the open objects and arrays.
class JsonPlace {
  public:
    struct Level {
        bool is_object = false;
        std::string_view key = {};  // the last one
        std::size_t index = 0;      // of the value, in an array or an object
    };

    /// Open objects and arrays. At the event that begins one it is not counted yet, and at the one
    /// that ends it no longer.
    std::size_t depth() const { return levels_.size(); }
    /// "top", or the keys and indices that lead here, shortened.
    std::string where() const;

  private:
    friend class JsonWalk;
    std::vector<Level> levels_;
};

using JsonVisitor = std::function<void(const JsonEvent&, const JsonPlace&)>;

/// Calls visit for each step. What visit throws ends the walk.
void walk_json(const std::string& path, std::string_view text, const JsonVisitor& visit);

/// Text of a file as a JSON string for an error: controls escaped, at most about 60 characters.
std::string shown(std::string_view text);

}  // namespace bert
