#include "ch17_attention_maps/head_kind.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace bert {

// [kind]
HeadKind kind_of(const HeadSummary& head) {
    // In the order of HeadKind.
    const std::array<double, 4> shares{head.previous, head.next, head.self, head.cls + head.sep};
    const auto most = std::max_element(shares.begin(), shares.end());
    if (*most >= 0.5) return static_cast<HeadKind>(most - shares.begin());
    if (head.entropy >= 0.8 * head.largest_entropy) return HeadKind::broad;
    return HeadKind::other;
}
// [kind]

const char* name_of(HeadKind kind) {
    constexpr std::array<const char*, 6> names{"previous",  "next",  "self",
                                               "delimiter", "broad", "-"};
    return names[static_cast<std::size_t>(kind)];
}

}  // namespace bert
