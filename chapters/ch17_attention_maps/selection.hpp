// Some layers and heads of a dump, by their numbers in the model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/attention_map/attention_dump.hpp"

namespace bert {

/// Numbers as they are typed, "0,3" or "0-5" or "0,2-4,7", in that order; all there are for an
/// empty text. Throws UsageError naming the option for anything else, for a number that is not
/// there, for a range that falls, and for a number twice.
std::vector<std::int32_t> parse_selection(std::string_view option, std::string_view text,
                                          const std::vector<std::int32_t>& there);

/// The dump with these layers and heads only, in this order; everything else stays. Throws as
/// validate does, and std::invalid_argument for a number that the dump does not have, or none at
/// all.
AttentionDump select_maps(const AttentionDump& dump, const std::vector<std::int32_t>& layers,
                          const std::vector<std::int32_t>& heads);

}  // namespace bert
