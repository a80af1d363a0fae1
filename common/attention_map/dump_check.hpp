// What can be wrong with an attention dump, told in parts, so that a writer and a reader can each
// say it in their own form.
#pragma once

#include <optional>
#include <string>

#include "common/attention_map/attention_dump.hpp"

namespace bert {

struct DumpFault {
    enum class Kind { shape, number, argument };
    Kind kind;
    std::string where;  // "attentions(0, 0, 1, 2, :)"
    std::string what;
    std::string found;
    std::string expected;
};

/// The first fault, if any. Sums of weights may be off by sum_tolerance.
std::optional<DumpFault> find_fault(const AttentionDump& dump, double sum_tolerance);

constexpr double sum_tolerance_f4 = 1e-5;
constexpr double sum_tolerance_f2 = 1e-3;  // 512 weights of 11 bits: 2^-11 and a little

}  // namespace bert
