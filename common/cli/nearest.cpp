#include "common/cli/nearest.hpp"

#include <algorithm>
#include <numeric>

namespace bert {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    // row[j]: distance from the part of a read so far to the first j bytes of b.
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row.back();
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
    std::string nearest;
    std::size_t smallest = 0;
    for (const std::string& candidate : known) {
        const std::size_t most = candidate.size() / 3;
        if (word.size() > candidate.size() + most) continue;
        const std::size_t distance = edit_distance(word, candidate);
        if (distance <= most && (nearest.empty() || distance < smallest)) {
            nearest = candidate;
            smallest = distance;
        }
    }
    return nearest;
}

}  // namespace bert
