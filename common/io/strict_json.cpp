#include "common/io/strict_json.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "common/io/file_error.hpp"
#include "common/io/input_file.hpp"
#include "common/io/json_fault.hpp"
#include "common/io/json_file.hpp"
#include "common/plot/visible_text.hpp"

namespace bert {

namespace {

using nlohmann::json;

constexpr std::size_t max_depth = 128;
constexpr std::size_t max_open_keys = 1000000;
constexpr std::size_t max_values = 500000;

bool is_plain(std::string_view key) {
    constexpr std::string_view letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    return !key.empty() && key.find_first_not_of(letters) == std::string_view::npos;
}

std::string below(const std::string& place, std::string_view key) {
    return (place.empty() ? "" : place + ".") + (is_plain(key) ? std::string{key} : shown(key));
}

std::string below(const std::string& place, std::size_t index) {
    return place + "[" + std::to_string(index) + "]";
}

std::string or_top(const std::string& place) {
    return place.empty() ? "top" : place;
}

}  // namespace

// Takes the parser's events, adds what strictness asks for, and passes them on.
class JsonWalk {
  public:
    JsonWalk(const std::string& path, std::string_view text, const JsonVisitor& visit)
        : path_(path), text_(text), visit_(visit) {}

    bool null() { return value({.kind = JsonEvent::Kind::null}); }
    bool boolean(bool b) { return value({.kind = JsonEvent::Kind::boolean, .boolean = b}); }
    bool string(const std::string& s) {
        return value({.kind = JsonEvent::Kind::string, .text = s});
    }
    bool binary(const json::binary_t&) { return false; }
    bool number_unsigned(std::uint64_t x) {
        const std::string digits = std::to_string(x);
        return value({.kind = JsonEvent::Kind::number,
                      .whole = x,
                      .number = static_cast<double>(x),
                      .text = digits});
    }
    // Negative, or -0, which the library takes for a whole number too.
    bool number_integer(std::int64_t x) {
        const std::string digits = x == 0 ? "-0" : std::to_string(x);
        return value({.kind = JsonEvent::Kind::number,
                      .number = x == 0 ? -0.0 : static_cast<double>(x),
                      .text = digits});
    }
    bool number_float(double x, const std::string& digits) {
        return value({.kind = JsonEvent::Kind::number, .number = x, .text = digits});
    }

    bool start_object(std::size_t) { return begin({.kind = JsonEvent::Kind::begin_object}); }
    bool end_object() { return end({.kind = JsonEvent::Kind::end_object}); }
    bool start_array(std::size_t) { return begin({.kind = JsonEvent::Kind::begin_array}); }
    bool end_array() { return end({.kind = JsonEvent::Kind::end_array}); }

    bool key(const std::string& name) {
        const auto [place, is_new] = keys_.back().insert(name);
        place_.levels_.back().key = *place;
        if (!is_new) {
            throw FileError{path_, place_.where(), "duplicate key", "another one",
                            "each key once in an object"};
        }
        if (++open_keys_ > max_open_keys) {
            throw FileError{path_, place_.where(), "too many keys", "more",
                            "at most " + std::to_string(max_open_keys)};
        }
        visit_({.kind = JsonEvent::Kind::key, .text = name}, place_);
        return true;
    }

    bool parse_error(std::size_t position, const std::string& last,
                     const nlohmann::detail::exception& error) {
        throw_not_json(path_, text_, position, last, error.what());
    }

  private:
    bool value(const JsonEvent& event) {
        visit_(event, place_);
        advance();
        return true;
    }

    bool begin(const JsonEvent& event) {
        if (place_.depth() == max_depth) {
            throw FileError{path_, place_.where(), "nested too deep", "another level",
                            "a depth of at most " + std::to_string(max_depth)};
        }
        visit_(event, place_);
        place_.levels_.push_back({.is_object = event.kind == JsonEvent::Kind::begin_object});
        keys_.emplace_back();
        return true;
    }

    bool end(const JsonEvent& event) {
        open_keys_ -= keys_.back().size();
        keys_.pop_back();
        place_.levels_.pop_back();
        visit_(event, place_);
        advance();
        return true;
    }

    void advance() {
        if (place_.depth() > 0) ++place_.levels_.back().index;
    }

    const std::string& path_;
    std::string_view text_;
    const JsonVisitor& visit_;
    JsonPlace place_;
    std::vector<std::unordered_set<std::string>> keys_;  // of each open object, and of arrays none
    std::size_t open_keys_ = 0;
};

// Keeps the events as a tree; the open arrays and objects are a stack of values.
class JsonTreeBuilder {
  public:
    explicit JsonTreeBuilder(const std::string& path)
        : path_(std::make_shared<const std::string>(path)) {}

    void take(const JsonEvent& event, const JsonPlace& place) {
        using Kind = JsonEvent::Kind;
        if (event.kind == Kind::key) {
            open_.back().keys_.emplace_back(event.text);
        } else if (event.kind == Kind::end_array || event.kind == Kind::end_object) {
            JsonValue closed = std::move(open_.back());
            open_.pop_back();
            add(std::move(closed));
        } else {
            JsonValue value = value_of(event);
            value.where_ = counted_place(place);
            const bool opens = event.kind == Kind::begin_array || event.kind == Kind::begin_object;
            if (opens) {
                open_.push_back(std::move(value));
            } else {
                add(std::move(value));
            }
        }
    }

    JsonValue result() { return std::move(result_); }

  private:
    JsonValue value_of(const JsonEvent& event) {
        JsonValue value;
        value.path_ = path_;
        value.boolean_ = event.boolean;
        value.unsigned_ = event.whole;
        value.number_ = event.number;
        value.text_ = event.text;
        switch (event.kind) {
            case JsonEvent::Kind::boolean:
                value.kind_ = JsonValue::Kind::boolean;
                break;
            case JsonEvent::Kind::number:
                value.kind_ = JsonValue::Kind::number;
                break;
            case JsonEvent::Kind::string:
                value.kind_ = JsonValue::Kind::string;
                break;
            case JsonEvent::Kind::begin_array:
                value.kind_ = JsonValue::Kind::array;
                break;
            case JsonEvent::Kind::begin_object:
                value.kind_ = JsonValue::Kind::object;
                break;
            default:
                value.kind_ = JsonValue::Kind::null;
        }
        return value;
    }

    std::string counted_place(const JsonPlace& place) {
        std::string where = place.where();
        if (++count_ > max_values) {
            throw FileError{*path_, where, "too many values", "more",
                            "at most " + std::to_string(max_values)};
        }
        return where;
    }

    void add(JsonValue value) {
        if (open_.empty()) {
            result_ = std::move(value);
        } else {
            open_.back().items_.push_back(std::move(value));
        }
    }

    std::shared_ptr<const std::string> path_;
    std::vector<JsonValue> open_;
    JsonValue result_;
    std::size_t count_ = 0;
};

std::string shown(std::string_view text) {
    constexpr std::size_t most = 60;
    return "\"" + shortened(visible_text(text.substr(0, 4 * most)), most, "...") + "\"";
}

std::string JsonPlace::where() const {
    std::string place;
    for (const Level& level : levels_) {
        place = level.is_object ? below(place, level.key) : below(place, level.index);
    }
    if (place.size() > 200) place = place.substr(0, 100) + "..." + place.substr(place.size() - 40);
    return or_top(place);
}

void walk_json(const std::string& path, std::string_view text, const JsonVisitor& visit) {
    // The library skips a byte order mark, and takes a NUL for the end of the text.
    if (text.starts_with("\xEF\xBB\xBF")) {
        throw FileError{path, "line 1, column 1", "not JSON", "a byte order mark", "a value"};
    }
    const std::size_t nul = text.find('\0');
    if (nul != std::string_view::npos) {
        throw_not_json(path, text, nul + 1, std::string_view{"\0", 1}, "a NUL byte; expected JSON");
    }
    JsonWalk walk{path, text, visit};
    json::sax_parse(text, &walk);
}

JsonValue parse_json(const std::string& path, std::string_view text) {
    JsonTreeBuilder builder{path};
    walk_json(path, text, [&builder](const JsonEvent& event, const JsonPlace& place) {
        builder.take(event, place);
    });
    return builder.result();
}

JsonValue read_json_file(const std::string& path, std::uint64_t max_bytes) {
    return parse_json(path, read_file(path, max_bytes));
}

std::string to_string(JsonValue::Kind kind) {
    constexpr std::array<const char*, 6> names{"null",     "true or false", "a number",
                                               "a string", "a list",        "an object"};
    return names.at(static_cast<std::size_t>(kind));
}

void JsonValue::refuse(const std::string& what, const std::string& expected) const {
    std::string found;
    switch (kind_) {
        case Kind::boolean:
            found = boolean_ ? "true" : "false";
            break;
        case Kind::number:
            found = text_.size() <= 60 ? text_ : text_.substr(0, 60) + "...";
            break;
        case Kind::string:
            found = "the string " + shown(text_);
            break;
        default:
            found = bert::to_string(kind_);
    }
    throw FileError{path(), where(), what, found, expected};
}

void JsonValue::require(Kind kind, const std::string& expected) const {
    if (kind_ != kind) refuse("wrong kind of value", expected);
}

bool JsonValue::to_bool() const {
    require(Kind::boolean, "true or false");
    return boolean_;
}

std::uint64_t JsonValue::to_unsigned() const {
    if (!unsigned_) refuse("not a whole number", "digits only, below 2^64");
    return *unsigned_;
}

double JsonValue::to_double() const {
    require(Kind::number, "a number");
    return number_;
}

const std::string& JsonValue::to_string() const {
    require(Kind::string, "a string");
    return text_;
}

const std::vector<JsonValue>& JsonValue::items() const {
    if (kind_ != Kind::array) require(Kind::object, "a list or an object");
    return items_;
}

const std::vector<std::string>& JsonValue::keys() const {
    require(Kind::object, "an object");
    return keys_;
}

const JsonValue* JsonValue::find(std::string_view key) const {
    const auto found = std::find(keys().begin(), keys().end(), key);
    if (found == keys().end()) return nullptr;
    return &items_[static_cast<std::size_t>(found - keys().begin())];
}

const JsonValue& JsonValue::at(std::string_view key) const {
    const JsonValue* const value = find(key);
    if (value == nullptr) {
        throw FileError{path(), where(), "a key is missing", "none", "the key " + shown(key)};
    }
    return *value;
}

std::string JsonValue::to_json() const {
    switch (kind_) {
        case Kind::null:
            return "null";
        case Kind::boolean:
            return boolean_ ? "true" : "false";
        case Kind::number:
            return text_;
        case Kind::string:
            return json_string(text_);
        default:
            break;
    }
    std::string text;
    for (std::size_t i = 0; i < items_.size(); ++i) {
        if (i > 0) text += ", ";
        if (kind_ == Kind::object) text += json_string(keys_[i]) + ": ";
        text += items_[i].to_json();
    }
    return kind_ == Kind::object ? "{" + text + "}" : "[" + text + "]";
}

}  // namespace bert
