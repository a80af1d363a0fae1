#include "ch06_learning/expected_curve.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "common/cli/program.hpp"

namespace bert {

std::vector<CurveFinding> compare_with_curve(const ExpectedCurve& curve,
                                             const std::vector<double>& losses) {
    std::vector<CurveFinding> findings;
    for (const CurvePoint& point : curve.points) {
        const auto end = static_cast<std::size_t>(point.step);
        if (end > losses.size()) break;
        const std::size_t begin = end - std::min(end, curve.window);
        const auto at = [&](std::size_t i) {
            return losses.begin() + static_cast<std::ptrdiff_t>(i);
        };
        const double sum = std::accumulate(at(begin), at(end), 0.0);
        findings.push_back({point, sum / static_cast<double>(end - begin)});
    }
    if (findings.empty()) {
        throw std::invalid_argument{
            fmt::format("loss curve: too short to compare (found {} steps, expected at least {})",
                        losses.size(), curve.points.front().step)};
    }
    return findings;
}

std::string curve_report(const ExpectedCurve& curve, const std::vector<CurveFinding>& findings) {
    std::string report = fmt::format("{}; means of {} steps\n", curve.about, curve.window);
    report += fmt::format("{:>8}{:>10}{:>10}{:>10}\n", "step", "loss", "low", "high");
    std::size_t above = 0;
    std::size_t below = 0;
    for (const CurveFinding& f : findings) {
        const bool is_below = f.mean < f.expected.low;
        below += is_below ? 1 : 0;
        above += f.is_inside() || is_below ? 0 : 1;
        report += fmt::format("{:>8}{:>10.4f}{:>10.4f}{:>10.4f}{}\n", f.expected.step, f.mean,
                              f.expected.low, f.expected.high,
                              f.is_inside() ? ""
                              : is_below    ? "  below"
                                            : "  above");
    }
    if (above > 0) {
        report +=
            "Above the band: a learning rate that is too small or too large, gradients that do not "
            "arrive, labels shifted by one, padding that counts.\n";
    }
    if (below > 0) {
        report +=
            "Below the band: the model sees what it should predict (a missing causal mask), or the "
            "loss leaves something out (label smoothing, words that count).\n";
    }
    return report;
}

std::string loss_log(const std::vector<double>& losses) {
    std::string log;
    for (std::size_t i = 0; i < losses.size(); ++i)
        log += fmt::format("{{\"step\":{},\"loss\":{:.9g}}}\n", i + 1, losses[i]);
    return log;
}

std::string check_losses(const std::string& log, const std::string& curve_name) {
    const ExpectedCurve curve = project_curve(curve_name);
    const std::vector<CurveFinding> findings = compare_with_curve(curve, read_losses(log));
    const std::string report = curve_report(curve, findings);
    const auto outside = std::find_if(findings.begin(), findings.end(),
                                      [](const CurveFinding& f) { return !f.is_inside(); });
    if (outside == findings.end())
        return report + fmt::format("All {} points are inside the band.\n", findings.size());
    fmt::print("{}", report);
    throw CheckFailed{fmt::format(
        "{}: step {}: loss outside the band (found {:.4f}, expected {:.4f} to {:.4f})", log,
        outside->expected.step, outside->mean, outside->expected.low, outside->expected.high)};
}

}  // namespace bert
