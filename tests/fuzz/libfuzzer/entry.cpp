// What libFuzzer calls. FUZZ_TARGET: a function of targets.hpp.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const void* const bytes = data;
    bert::test::FUZZ_TARGET({static_cast<const char*>(bytes), size});
    return 0;
}
