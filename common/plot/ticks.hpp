// Round numbers for axes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bert {

struct Tick {
    double value;
    std::string label;
};

/// About `count` multiples of 1, 2 or 5 times a power of ten inside [low, high], all with the same
/// number of decimals. Empty unless low < high and both are finite.
std::vector<Tick> linear_ticks(double low, double high, std::size_t count);

/// Powers of ten inside [low, high], at most about `count`; 2 and 5 times them as well when fewer
/// than three would remain. Empty unless 0 < low < high and both are finite.
std::vector<Tick> log_ticks(double low, double high, std::size_t count);

/// A number with this many decimals; with an exponent when it is a million or more.
std::string number_label(double x, int decimals);

}  // namespace bert
