// The word that was probably meant.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bert {

/// The fewest bytes to insert, delete or replace that make one word the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known word closest to `word`, the first of several; empty when none is close: at most one
/// edit for every three bytes of the known word.
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

}  // namespace bert
