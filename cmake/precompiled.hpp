// The headers that most sources need, read once for all of them (CMake: BERT_PRECOMPILE). Sources
// include what they use all the same; one build of CI goes without this file and sees to it.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
