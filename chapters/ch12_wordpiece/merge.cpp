#include "ch12_wordpiece/merge.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <stdexcept>

#include "common/cli/program.hpp"
#include "common/io/utf8.hpp"

namespace bert {

// x = 2^k m with m around 1, s = (m - 1) / (m + 1):
// log x = k log 2 + 2 (s + s^3 / 3 + s^5 / 5 + ..), where s^2 < 0.03 and the 13th term is below
// 1e-19. std::log may differ in its last bit from one machine to the next, and with it the
// vocabulary.
double portable_log(double x) {
    int k = 0;
    double m = std::frexp(x, &k);  // [1/2, 1)
    if (m < std::numbers::sqrt2 / 2) {
        m *= 2;
        --k;
    }
    const double s = (m - 1) / (m + 1);
    double sum = 0;
    for (int n = 23; n >= 1; n -= 2)
        sum = sum * (s * s) + 1.0 / n;
    return k * std::numbers::ln2 + 2 * s * sum;
}

// [score]
double merge_score(MergeScore score, const PairCounts& counts) {
    double result = 0;
    // EXERCISE BEGIN 12-merge-score
    // STEP count   n
    // STEP ratio   n / (n_a n_b)
    // STEP gain    n log(n N / (n_a n_b)), with portable_log
    const auto n = static_cast<double>(counts.pair);
    const double both = static_cast<double>(counts.left) * static_cast<double>(counts.right);
    result = n;
    if (score == MergeScore::ratio) result = n / both;
    if (score == MergeScore::likelihood_gain)
        result = n * portable_log(n * static_cast<double>(counts.total) / both);
    // STUB: static_cast<void>(score); static_cast<void>(counts);
    // EXERCISE END
    return result;
}
// [score]

std::string merged(std::string_view left, std::string_view right) {
    return std::string{left}.append(right.substr(continuation_mark.size()));
}

bool first_of_equals(std::string_view left_1, std::string_view right_1, std::string_view left_2,
                     std::string_view right_2) {
    const int order = merged(left_1, right_1).compare(merged(left_2, right_2));
    return order < 0 || (order == 0 && left_1.size() < left_2.size());
}

std::vector<std::string> characters_of(std::string_view word) {
    const std::optional<std::u32string> code_points = utf8_to_code_points(word);
    if (!code_points) {
        throw std::invalid_argument{"word \"" + printable(word) + "\": not UTF-8"};
    }
    std::vector<std::string> characters(code_points->size());
    for (std::size_t i = 0; i < characters.size(); ++i)
        append_utf8(characters[i], (*code_points)[i]);
    return characters;
}

std::vector<std::string> first_pieces(std::string_view word) {
    std::vector<std::string> pieces = characters_of(word);
    for (std::size_t i = 1; i < pieces.size(); ++i)
        pieces[i].insert(0, continuation_mark);
    return pieces;
}

void join(std::vector<std::string>& pieces, const std::string& left, const std::string& right,
          const std::string& joined) {
    std::size_t kept = 0;
    // EXERCISE BEGIN 12-join
    // STEP walk   over the pieces; `kept` is how many are in their new place
    // STEP both   where left and right stand side by side, put `joined` and pass over two
    for (std::size_t i = 0; i < pieces.size(); ++i, ++kept) {
        const bool both = i + 1 < pieces.size() && pieces[i] == left && pieces[i + 1] == right;
        pieces[kept] = both ? joined : pieces[i];
        if (both) ++i;
    }
    // STUB: static_cast<void>(left); static_cast<void>(right); static_cast<void>(joined);
    // EXERCISE END
    pieces.resize(kept);
}

}  // namespace bert
