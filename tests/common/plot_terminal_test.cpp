#include "common/plot/terminal.hpp"

#include <fcntl.h>
#include <stdlib.h>  // setenv, posix_openpt
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>

#include "common/plot/visible_text.hpp"
#include "tests/support/catch.hpp"

using bert::Heatmap;
using bert::Tensor;
using bert::TerminalStyle;

namespace {

// Sets or unsets variables of the environment until the end of the test.
class Environment {
  public:
    Environment() {
        for (const char* name :
             {"LC_ALL", "LC_CTYPE", "LANG", "TERM", "COLORTERM", "NO_COLOR", "CLICOLOR_FORCE"}) {
            const char* value = std::getenv(name);
            before_.emplace_back(
                name, value == nullptr ? std::nullopt : std::optional<std::string>{value});
            unsetenv(name);
        }
    }
    ~Environment() {
        for (const auto& [name, value] : before_) {
            value ? setenv(name, value->c_str(), 1) : unsetenv(name);
        }
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

    void set(const char* name, const char* value) const { setenv(name, value, 1); }

  private:
    std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

// A terminal without a screen, 77 columns wide. A bare chroot has none: fd is -1 then.
class PseudoTerminal {
  public:
    PseudoTerminal() : fd(posix_openpt(O_RDWR | O_NOCTTY)) {
        if (fd < 0) {
            WARN("no pseudo terminals on this machine: what needs one is not tested");
            return;
        }
        winsize size{};
        size.ws_col = 77;
        REQUIRE(ioctl(fd, TIOCSWINSZ, &size) == 0);
    }
    ~PseudoTerminal() {
        if (exists()) close(fd);
    }
    PseudoTerminal(const PseudoTerminal&) = delete;
    PseudoTerminal& operator=(const PseudoTerminal&) = delete;

    bool exists() const { return fd >= 0; }

    const int fd;
};

Heatmap small_heatmap() {
    return {.values = Tensor{{0.0, 0.25}, {0.5, 1.0}},
            .row_names = {"cat", "sat"},
            .column_names = {"the", "cat"},
            .title = "Weights",
            .row_title = "target",
            .column_title = "source"};
}

std::size_t widest_line(const std::string& text) {
    std::istringstream lines{text};
    std::size_t widest = 0;
    for (std::string line; std::getline(lines, line);) {
        widest = std::max(widest, bert::display_width(line));
    }
    return widest;
}

}  // namespace

TEST_CASE("detect_terminal_style: colour needs a terminal that is not dumb", "[plot]") {
    const Environment environment;
    const PseudoTerminal terminal;
    const int file = open("/dev/null", O_WRONLY);
    REQUIRE(file >= 0);
    CHECK_FALSE(bert::detect_terminal_style(terminal.fd).colour);  // TERM is not set
    environment.set("TERM", "xterm");
    CHECK(bert::detect_terminal_style(terminal.fd).colour == terminal.exists());
    CHECK_FALSE(bert::detect_terminal_style(file).colour);
    CHECK_FALSE(bert::detect_terminal_style(-1).colour);
    CHECK(bert::detect_terminal_style(terminal.fd).columns == (terminal.exists() ? 77 : 100));
    environment.set("TERM", "dumb");
    CHECK_FALSE(bert::detect_terminal_style(terminal.fd).colour);
    CHECK(bert::detect_terminal_style(file).columns == 100);
    close(file);
}

TEST_CASE("detect_terminal_style: NO_COLOR wins over CLICOLOR_FORCE", "[plot]") {
    const Environment environment;
    const PseudoTerminal terminal;
    environment.set("TERM", "xterm");
    environment.set("NO_COLOR", "");
    CHECK(bert::detect_terminal_style(terminal.fd).colour == terminal.exists());  // as if unset
    environment.set("NO_COLOR", "1");
    CHECK_FALSE(bert::detect_terminal_style(terminal.fd).colour);
    environment.set("CLICOLOR_FORCE", "1");
    CHECK_FALSE(bert::detect_terminal_style(terminal.fd).colour);
    unsetenv("NO_COLOR");
    CHECK(bert::detect_terminal_style(-1).colour);
    environment.set("CLICOLOR_FORCE", "0");
    CHECK_FALSE(bert::detect_terminal_style(-1).colour);
    CHECK_FALSE(bert::detect_terminal_style(-1).true_colour);
    environment.set("COLORTERM", "truecolor");
    CHECK(bert::detect_terminal_style(-1).true_colour);
}

TEST_CASE("detect_terminal_style: the first locale variable that is set decides", "[plot]") {
    const Environment environment;
    CHECK_FALSE(bert::detect_terminal_style(-1).unicode);
    environment.set("LANG", "en_US.UTF-8");
    CHECK(bert::detect_terminal_style(-1).unicode);
    environment.set("LC_CTYPE", "C");
    CHECK_FALSE(bert::detect_terminal_style(-1).unicode);
    environment.set("LC_ALL", "C.utf8");
    CHECK(bert::detect_terminal_style(-1).unicode);
    environment.set("LC_ALL", "");
    CHECK_FALSE(bert::detect_terminal_style(-1).unicode);
    environment.set("LC_CTYPE", "");
    CHECK(bert::detect_terminal_style(-1).unicode);
}

TEST_CASE("terminal_heatmap: shades and numbers in ASCII", "[plot]") {
    CHECK(bert::terminal_heatmap(small_heatmap(), {}) ==
          "Weights\n"
          "rows: target, columns: source\n"
          "        the      cat\n"
          "cat    0.00  :: 0.25\n"
          "sat ++ 0.50  @@ 1.00\n"
          "scale: 0.00 [  ..::--==++**##%%@@] 1.00\n");
}

TEST_CASE("terminal_heatmap: shades in Unicode", "[plot]") {
    CHECK(bert::terminal_heatmap(small_heatmap(), {.unicode = true}) ==
          "Weights\n"
          "rows: target, columns: source\n"
          "        the      cat\n"
          "cat    0.00  ░░ 0.25\n"
          "sat ▒▒ 0.50  ██ 1.00\n"
          "scale: 0.00 [  ░░▒▒▓▓██] 1.00\n");
}

TEST_CASE("terminal_heatmap: colours are backgrounds that end with each cell", "[plot]") {
    const std::string coded = bert::terminal_heatmap(small_heatmap(), {.colour = true});
    CHECK_THAT(coded, ContainsSubstring("cat \x1b[38;5;231;48;5;53m 0.00 \x1b[0m"));
    CHECK_THAT(coded, ContainsSubstring("\x1b[38;5;16;48;5;220m 1.00 \x1b[0m\n"));
    const std::string exact =
        bert::terminal_heatmap(small_heatmap(), {.colour = true, .true_colour = true});
    CHECK_THAT(exact, ContainsSubstring("\x1b[38;5;16;48;2;253;231;37m 1.00 \x1b[0m\n"));
}

TEST_CASE("terminal_heatmap: without colour there is no escape byte whatever the names", "[plot]") {
    Heatmap heatmap = small_heatmap();
    heatmap.title = "\x1b]0;owned\a";
    heatmap.row_title = "\x9b\x1b[2J";
    heatmap.row_names = {"\x1b[31mred", "\u202egnp.exe"};
    heatmap.column_names = {"a\nb\rc", "\xff\xfe"};
    for (const bool unicode : {false, true}) {
        const std::string text = bert::terminal_heatmap(heatmap, {.unicode = unicode});
        CHECK(std::none_of(text.begin(), text.end(), [](char c) {
            return (c >= '\0' && c < ' ' && c != '\n') || c == '\x7f';
        }));
        CHECK(text.find("\u202e") == std::string::npos);
        CHECK(std::count(text.begin(), text.end(), '\n') == 6);
        CHECK_THAT(text, ContainsSubstring("\\x1B[31mred"));
        const bool ascii =
            std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
        CHECK(ascii == !unicode);
    }
}

TEST_CASE("terminal_heatmap: no line is wider than the terminal", "[plot]") {
    Heatmap heatmap;
    heatmap.title = std::string(300, 't');
    for (const std::size_t columns : {1U, 2U, 12U, 13U, 40U, 512U}) {
        heatmap.values = Tensor(bert::Shape{3, columns});
        heatmap.row_names = {"猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫", "b", "c"};
        heatmap.column_names = std::vector<std::string>(columns, "something quite long 猫");
        for (const std::size_t width : {40U, 80U, 100U, 200U}) {
            for (const bool unicode : {false, true}) {
                const std::string text =
                    bert::terminal_heatmap(heatmap, {.unicode = unicode, .columns = width});
                CHECK(widest_line(text) <= width);
                const bool cut = text.find("are left out") != std::string::npos;
                CHECK(cut == (columns == 512U || (columns == 40U && width < 100U)));
            }
        }
        CHECK_NOTHROW(bert::terminal_heatmap(heatmap, {.columns = 0}));
    }
}

TEST_CASE("terminal_heatmap: more than twelve columns have no numbers", "[plot]") {
    Heatmap heatmap;
    for (const std::size_t columns : {12U, 13U}) {
        heatmap.values = Tensor(bert::Shape{1, columns});
        const std::string text = bert::terminal_heatmap(heatmap, {.columns = 200});
        CHECK((text.find("0.00  ") != std::string::npos) == (columns == 12U));
    }
}

TEST_CASE("terminal_heatmap: names run downwards over narrow cells", "[plot]") {
    Heatmap heatmap;
    heatmap.values = Tensor(bert::Shape{1, 13});
    heatmap.row_names = {"x"};
    heatmap.column_names = std::vector<std::string>(13, "b");
    heatmap.column_names[0] = "abc";
    heatmap.column_names[12] = "e\u0301猫";
    CHECK_THAT(bert::terminal_heatmap(heatmap, {.unicode = true}),
               ContainsSubstring("  a\n"
                                 "  b                       e\u0301\n"
                                 "  c b b b b b b b b b b b 猫\n"
                                 "x ▒▒"));
}

TEST_CASE("terminal_heatmap: what heatmap_svg refuses is refused here", "[plot]") {
    Heatmap heatmap = small_heatmap();
    heatmap.row_names.emplace_back("more");
    CHECK_THROWS_AS(bert::terminal_heatmap(heatmap, {}), bert::ShapeError);
}

TEST_CASE("terminal_line_chart: a falling curve starts at the top left", "[plot]") {
    const bert::LineChart chart{.title = "Loss\x1b",
                                .x_title = "step",
                                .y_title = "nats",
                                .series = {{"train", {0, 1, 2}, {2, 1, 0}}, {"b\n", {1}, {1}}}};
    const std::string text = bert::terminal_line_chart(chart, {.columns = 60});
    CHECK(widest_line(text) <= 60);
    CHECK_THAT(text, ContainsSubstring("Loss\\x1B\nnats\n"));
    CHECK(text.find("|*") < text.size() / 3);
    CHECK_THAT(text, ContainsSubstring("* train\n+ b\\x0A\n"));
    CHECK(std::count(text.begin(), text.end(), '\n') == 2 + 16 + 2 + 1 + 2);
    CHECK(text.find('*') < text.find(" +"));
    CHECK_NOTHROW(bert::terminal_line_chart({}, {.columns = 0}));
}
