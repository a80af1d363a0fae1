// Whether the address sanitizer watches: all takes several times as long then, freed memory stays
// taken, and a limit on addresses ends the program.
#pragma once

namespace bert::test {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
constexpr bool sanitized = __has_feature(address_sanitizer);
#else
constexpr bool sanitized = false;
#endif

}  // namespace bert::test
