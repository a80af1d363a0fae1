#include "ch17_attention_maps/selection.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

#include "common/cli/program.hpp"
#include "common/tensor/layout.hpp"

namespace bert {

namespace {

// "0, 1, 2 or 5", at most the first sixteen of them.
std::string list_of(const std::vector<std::int32_t>& numbers) {
    constexpr std::size_t most = 16;
    std::string text;
    for (std::size_t i = 0; i < std::min(numbers.size(), most); ++i)
        text += fmt::format("{}{}", i == 0 ? "" : ", ", numbers[i]);
    return text + (numbers.size() > most ? ", ..." : "");
}

[[noreturn]] void refuse(std::string_view option, std::string_view found,
                         const std::string& expected) {
    throw UsageError{
        fmt::format("{}: found '{}', expected {}", option, printable(found), expected)};
}

std::optional<std::int32_t> number_of(std::string_view text) {
    std::int32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || text.front() == '-') return {};
    return number;
}

bool contains(const std::vector<std::int32_t>& numbers, std::int32_t number) {
    return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

// "3" or "3-5", checked against the ends only: a range has at most as many numbers as are there.
void add_part(std::string_view option, std::string_view part,
              const std::vector<std::int32_t>& there, std::vector<std::int32_t>& chosen) {
    const std::size_t dash = part.find('-');
    const std::optional<std::int32_t> first = number_of(part.substr(0, dash));
    const std::optional<std::int32_t> last =
        dash == std::string_view::npos ? first : number_of(part.substr(dash + 1));
    if (!first || !last) refuse(option, part, "numbers and ranges, such as 0,3 or 0-5");
    if (*last < *first) refuse(option, part, "the smaller number first");
    for (const std::int32_t end : {*first, *last}) {
        if (!contains(there, end)) refuse(option, part, list_of(there));
    }
    for (std::int32_t number = *first; number <= *last; ++number) {
        if (!contains(there, number)) refuse(option, std::to_string(number), list_of(there));
        if (contains(chosen, number)) refuse(option, part, fmt::format("{} once", number));
        chosen.push_back(number);
    }
}

// The parts along one axis that have these numbers.
Tensor select(const Tensor& x, int axis, const std::vector<std::int32_t>& there,
              const std::vector<std::int32_t>& chosen) {
    std::vector<Tensor> parts;
    for (const std::int32_t number : chosen) {
        const auto at = std::find(there.begin(), there.end(), number);
        if (at == there.end()) {
            throw std::invalid_argument{
                fmt::format("select_maps: no layer or head {} (found {})", number, list_of(there))};
        }
        const auto index = static_cast<std::size_t>(at - there.begin());
        parts.push_back(slice(x, axis, index, index + 1));
    }
    if (parts.empty()) throw std::invalid_argument{"select_maps: no layers or no heads chosen"};
    return concat(parts, axis);
}

}  // namespace

std::vector<std::int32_t> parse_selection(std::string_view option, std::string_view text,
                                          const std::vector<std::int32_t>& there) {
    if (text.empty()) return there;
    std::vector<std::int32_t> chosen;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        add_part(option, text.substr(begin, end - begin), there, chosen);
        begin = end + 1;
    }
    return chosen;
}

AttentionDump select_maps(const AttentionDump& dump, const std::vector<std::int32_t>& layers,
                          const std::vector<std::int32_t>& heads) {
    validate(dump);
    AttentionDump selected = dump;
    selected.layers = layers;
    selected.heads = heads;
    const auto select_from = [&](const Tensor& x) {
        return select(select(x, 0, dump.layers, layers), 2, dump.heads, heads);
    };
    selected.attentions = select_from(dump.attentions);
    for (std::optional<Tensor>* array : {&selected.scores, &selected.queries, &selected.keys,
                                         &selected.values, &selected.value_norms}) {
        if (*array) *array = select_from(**array);
    }
    return selected;
}

}  // namespace bert
