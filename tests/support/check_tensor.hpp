// Checks on whole tensors, and where the tests find their files.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "common/tensor/tensor.hpp"

namespace bert::test {

/// The larger of two tolerances for the float build, the smaller for -DREAL=double.
constexpr double by_precision(double for_float, double for_double) {
    return sizeof(Real) == sizeof(float) ? for_float : for_double;
}

/// The largest |actual - expected|. Infinite when the shapes differ or a number is NaN, so that no
/// comparison with a tolerance can pass by accident.
double max_error(const Tensor& actual, const Tensor& expected);

/// Fails the running test unless max_error <= tolerance; prints error and tolerance side by side.
void check_close(const std::string& what, const Tensor& actual, const Tensor& expected,
                 double tolerance);

/// The arrays of data/golden/NAME.npz.
std::map<std::string, Tensor> golden(const std::string& name);

/// A new empty folder of this test's own below the build folder.
std::filesystem::path scratch_folder(const std::string& name);

}  // namespace bert::test
