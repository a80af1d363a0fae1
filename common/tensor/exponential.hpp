// Many exponentials at once, fast enough for vocabularies.
#pragma once

#include <cstddef>

#include "common/tensor/tensor.hpp"

namespace bert {

/// y[i] = exp(x[i] - shift) for i < size; returns their sum. For differences up to 0: below -87.3
/// (float) the result is 0, and so it is for -infinity; NaN and differences above 88 are not for
/// this function, whose result then is any number. Relative error in float below 2e-7, in double
/// that of std::exp. y may be x.
double shifted_exponentials(const Real* x, Real shift, std::size_t size, Real* y);

}  // namespace bert
