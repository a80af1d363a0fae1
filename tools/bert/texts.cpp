#include "tools/bert/texts.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "common/cli/program.hpp"
#include "common/io/file_error.hpp"
#include "common/io/input_file.hpp"
#include "common/text/lenient_utf8.hpp"

namespace bert {

/// Lines of a regular file, or of standard input, that end in LF or CRLF.
class LineReader {
  public:
    explicit LineReader(const std::string& path) : name_(path == "-" ? "standard input" : path) {
        if (path != "-") file_.emplace(path);
    }

    const std::string& name() const { return name_; }

    bool next(std::string& line) {
        std::size_t looked_at = 0;
        for (;;) {
            const std::size_t end = buffer_.find('\n', at_ + looked_at);
            if (end != std::string::npos) return take(line, end, end + 1);
            looked_at = buffer_.size() - at_;
            if (looked_at > most_line_bytes) refuse();
            if (!read_more()) break;
        }
        if (at_ == buffer_.size()) return false;
        return take(line, buffer_.size(), buffer_.size());
    }

  private:
    static constexpr std::size_t block = std::size_t{1} << 18;

    bool take(std::string& line, std::size_t end, std::size_t next) {
        if (end - at_ > most_line_bytes) refuse();
        ++number_;
        line.assign(buffer_, at_, end - at_);
        at_ = next;
        if (next > end && line.ends_with('\r')) line.pop_back();
        return true;
    }

    [[noreturn]] void refuse() const {
        throw FileError{name_, fmt::format("line {}", number_ + 1), "too long",
                        fmt::format("more than {} bytes", most_line_bytes),
                        fmt::format("at most {}", most_line_bytes)};
    }

    bool read_more() {
        buffer_.erase(0, at_);
        at_ = 0;
        if (!file_) return read_standard_input();
        const std::uint64_t count = std::min<std::uint64_t>(block, file_->size() - offset_);
        buffer_ += file_->read(offset_, count);
        offset_ += count;
        return count > 0;
    }

    bool read_standard_input() {
        const std::size_t before = buffer_.size();
        buffer_.resize(before + block);
        ssize_t count = 0;
        do {
            struct pollfd input {
                STDIN_FILENO, POLLIN, 0
            };
            poll(&input, 1, -1);  // for an input whose owner has set it not to wait
            count = ::read(STDIN_FILENO, buffer_.data() + before, block);
        } while (count < 0 && (errno == EINTR || errno == EAGAIN));
        if (count < 0) throw IoError{fmt::format("standard input: {}", std::strerror(errno))};
        buffer_.resize(before + static_cast<std::size_t>(count));
        return count > 0;
    }

    std::string name_;
    std::optional<InputFile> file_;
    std::uint64_t offset_ = 0;
    std::string buffer_;
    std::size_t at_ = 0;      // the next line begins here
    std::size_t number_ = 0;  // of lines so far
};

namespace {

// At TAB. Returns false when there is a second one.
bool split_pair(std::string text, TextPair& pair) {
    const std::size_t tab = text.find('\t');
    if (tab == std::string::npos) {
        pair.first = std::move(text);
        return true;
    }
    if (text.find('\t', tab + 1) != std::string::npos) return false;
    pair.second = text.substr(tab + 1);
    text.resize(tab);
    pair.first = std::move(text);
    return true;
}

}  // namespace

void TextOptions::add_to(Command& command) {
    command.arguments = "TEXT";
    command.arguments_description =
        "...  The texts, A<TAB>B a pair; -, or none: lines of standard input";
    command.options.push_back(
        {"--text-file", "FILE", "One example a line; A<TAB>B is a pair", &text_file});
    command.options.push_back({"--pair", "B", "The second text, with one TEXT", &pair, true});
}

std::string TextOptions::source(const std::vector<std::string>& arguments) const {
    if (text_file) {
        if (!arguments.empty())
            throw UsageError{"--text-file: there is a text among the arguments too"};
        if (pair) throw UsageError{"--pair: goes with one text, not with --text-file"};
        return *text_file;
    }
    const bool asks_for_input =
        std::find(arguments.begin(), arguments.end(), "-") != arguments.end();
    if (asks_for_input && arguments.size() > 1)
        throw UsageError{"-: standard input goes without other texts"};
    const bool is_input = asks_for_input || arguments.empty();
    if (pair && (is_input || arguments.size() != 1))
        throw UsageError{
            fmt::format("--pair: goes with one text (found {})", is_input ? 0 : arguments.size())};
    return is_input ? "-" : "";
}

Examples::Examples(const TextOptions& options, const Invocation& invocation)
    : invocation_(invocation), pair_(options.pair) {
    const std::string source = options.source(invocation.arguments);
    if (source.empty()) return;
    lines_ = std::make_unique<LineReader>(source);
    answers_each_line_ = source == "-" && isatty(STDIN_FILENO) == 1;
    if (answers_each_line_) invocation.tell("one text a line, Ctrl-D at the end:");
}

Examples::~Examples() = default;

bool Examples::next_text(std::string& text) {
    if (lines_) return lines_->next(text);
    if (number_ == invocation_.arguments.size()) return false;
    text = invocation_.arguments[number_];
    return true;
}

std::vector<Example> Examples::next(std::size_t count, std::size_t bytes) {
    std::vector<Example> examples;
    std::string text;
    if (answers_each_line_) count = 1;
    for (std::size_t taken = 0; examples.size() < count && taken < bytes && next_text(text);) {
        ++number_;
        taken += text.size();
        bad_utf8_ += count_bad_utf8(text);
        Example example{{}, number_};
        const bool is_split = split_pair(std::move(text), example.text);
        if (!is_split && lines_)
            throw FileError{lines_->name(), fmt::format("line {}", number_), "a pair has one TAB",
                            "more", "A<TAB>B"};
        if (!is_split) throw UsageError{place(number_) + ": a pair has one TAB (found more)"};
        if (pair_) {
            if (example.text.second)
                throw UsageError{"--pair: the text has a TAB, so it is a pair already"};
            bad_utf8_ += count_bad_utf8(*pair_);
            example.text.second = pair_;
        }
        examples.push_back(std::move(example));
    }
    return examples;
}

std::string Examples::place(std::size_t number) const {
    return lines_ ? fmt::format("{}: line {}", lines_->name(), number)
                  : fmt::format("text {}", number);
}

void Examples::require_some() const {
    if (number_ > 0) return;
    throw FileError{lines_ ? lines_->name() : "the texts", "line 1", "no text", "no line",
                    "at least one"};
}

void Examples::warn_of_bad_utf8() const {
    if (bad_utf8_ == 0) return;
    const std::string where = lines_ ? lines_->name() : "the texts";
    invocation_.warn(fmt::format("{}: {} part{} not UTF-8, read as U+FFFD", where, bad_utf8_,
                                 bad_utf8_ == 1 ? " is" : "s are"));
}

}  // namespace bert
