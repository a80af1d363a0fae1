#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/plot/terminal.hpp"
#include "common/plot/visible_text.hpp"

namespace bert {

namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string{} : std::string{value};
}

bool names_utf8(std::string locale) {
    std::transform(locale.begin(), locale.end(), locale.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

bool wants_colour(int fd) {
    if (!variable("NO_COLOR").empty()) return false;
    const std::string force = variable("CLICOLOR_FORCE");
    if (!force.empty() && force != "0") return true;
    const std::string terminal = variable("TERM");
    return !terminal.empty() && terminal != "dumb" && isatty(fd) == 1;
}

}  // namespace

TerminalStyle detect_terminal_style(int fd) {
    TerminalStyle style;
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const std::string locale = variable(name);
        if (locale.empty()) continue;
        style.unicode = names_utf8(locale);
        break;
    }
    style.colour = wants_colour(fd);
    const std::string depth = variable("COLORTERM");
    style.true_colour = depth == "truecolor" || depth == "24bit";
    winsize size{};
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) style.columns = size.ws_col;
    return style;
}

std::string terminal_text(std::string_view text, std::size_t width, const TerminalStyle& style) {
    return style.unicode ? shortened(visible_text(text), width, "…")
                         : shortened(visible_ascii(text), width, "...");
}

}  // namespace bert
