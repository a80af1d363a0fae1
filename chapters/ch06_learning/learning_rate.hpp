// Learning rates that change with the step t, which counts from 1.
//
//     t <= W        peak * t / W                              warm-up, W steps
//     t > W         peak                                      constant
//                   peak * (N + 1 - t) / (N + 1 - W)          linear decay, N steps in all
//                   peak * sqrt(W / t)                        inverse root
//
// Early gradients are large and say little, and Adam's means of them are means of few: small steps
// at first keep a network from being thrown far off. All are continuous at t = W.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bert {

/// Each throws std::invalid_argument unless the step is at least 1 and the peak above 0 and finite.
/// A warm-up of 0 starts at the peak.
double warmup_then_constant(std::uint64_t step, double peak, std::uint64_t warmup);

/// Above 0 for every step from 1 to N = total; 0 would be the next. Throws also unless warmup <
/// total, and for a step after the last.
double warmup_then_linear(std::uint64_t step, double peak, std::uint64_t warmup,
                          std::uint64_t total);

/// Throws also for a warm-up of 0.
double warmup_then_inverse_root(std::uint64_t step, double peak, std::uint64_t warmup);

/// The schedule of Vaswani et al. 2017, section 5.3, with D = width:
///
///     D^-0.5 * min(t^-0.5, t * W^-1.5)
///
/// which is warmup_then_inverse_root with the peak 1 / sqrt(D W). Throws std::invalid_argument
/// unless all three are at least 1.
double transformer_rate(std::uint64_t step, std::size_t width, std::uint64_t warmup);

}  // namespace bert
