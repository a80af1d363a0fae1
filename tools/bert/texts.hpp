// The examples that a command works on: arguments, or lines of a file or of standard input.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ch13_bert_input/batch.hpp"
#include "tools/bert/command.hpp"

namespace bert {

/// No line may be longer: its pieces have to fit into memory.
constexpr std::size_t most_line_bytes = std::size_t{16} << 20;

struct TextOptions {
    std::optional<std::string> text_file;  // --text-file
    std::optional<std::string> pair;       // --pair

    /// Adds both to a command.
    void add_to(Command& command);

    /// The file that the texts are read from, - for standard input; empty: they are arguments.
    /// Throws UsageError when two of the three are asked for, or --pair without exactly one
    /// argument.
    std::string source(const std::vector<std::string>& arguments) const;
};

struct Example {
    TextPair text;
    std::size_t number = 0;  // from 1
};

class LineReader;

class Examples {
  public:
    /// Throws UsageError as TextOptions::source() does.
    Examples(const TextOptions& options, const Invocation& invocation);
    ~Examples();
    Examples(const Examples&) = delete;
    Examples& operator=(const Examples&) = delete;

    /// The next examples: at most `count`, one when they are typed, and no further one after
    /// `bytes` of text; none at the end. Throws IoError when reading fails; FileError naming the
    /// line for a second TAB and for a line above most_line_bytes, UsageError for a second TAB in
    /// an argument.
    std::vector<Example> next(std::size_t count, std::size_t bytes = std::size_t{1} << 20);

    /// "text 2"; "FILE: line 3".
    std::string place(std::size_t number) const;

    /// Says once on standard error how much of what was read is not UTF-8.
    void warn_of_bad_utf8() const;
    /// Throws FileError when nothing was read.
    void require_some() const;

  private:
    bool next_text(std::string& text);

    const Invocation& invocation_;
    std::optional<std::string> pair_;
    std::unique_ptr<LineReader> lines_;  // null: arguments
    bool answers_each_line_ = false;     // somebody types
    std::size_t number_ = 0;             // of examples so far
    std::size_t bad_utf8_ = 0;
};

}  // namespace bert
