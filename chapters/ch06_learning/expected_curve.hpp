// "Is my loss right?": a band around the loss of a training that is known to work.
//
// A curve of the project lies in data/curves/NAME.json: for some steps t, between which numbers the
// mean loss of the `window` steps up to t should be. It was made from several seeds, so that only
// the seed may differ, not the model, the data or the recipe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bert {

struct CurvePoint {
    std::uint64_t step;  // from 1
    double low;
    double high;
};

struct ExpectedCurve {
    std::string about;   // what was trained, one sentence
    std::size_t window;  // steps in a mean
    std::vector<CurvePoint> points;
};

/// Throws IoError when the file does not open, FileError when it is no such curve.
ExpectedCurve read_curve(const std::string& path);

/// The curve of this name among the project's. Throws UsageError naming those there are.
ExpectedCurve project_curve(const std::string& name);

/// Where one point of a curve was compared.
struct CurveFinding {
    CurvePoint expected;
    double mean;  // of the losses

    bool is_inside() const { return mean >= expected.low && mean <= expected.high; }
};

/// The points that the losses reach; losses[i] is that of step i + 1. Throws std::invalid_argument
/// when they reach none.
std::vector<CurveFinding> compare_with_curve(const ExpectedCurve& curve,
                                             const std::vector<double>& losses);

/// What the findings say, a line each, and what such a curve often comes from.
std::string curve_report(const ExpectedCurve& curve, const std::vector<CurveFinding>& findings);

/// The losses of a log: one JSON object a line with a number "loss". Throws IoError, and FileError
/// naming the line.
std::vector<double> read_losses(const std::string& path);

/// Losses as such a log, with steps from 1.
std::string loss_log(const std::vector<double>& losses);

/// Compares a log with a curve of the project and returns the report. Throws CheckFailed with it
/// when a point is outside, and as the functions above.
std::string check_losses(const std::string& log, const std::string& curve);

}  // namespace bert
