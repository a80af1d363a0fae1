// Blanks as Hugging Face's added tokens take them along: Unicode's White_Space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bert {

/// The bytes of the blanks that a text begins with.
std::size_t blank_bytes_at_start(std::string_view text);

/// The number of blanks that it ends with.
std::uint32_t blanks_at_end(std::string_view text);

}  // namespace bert
