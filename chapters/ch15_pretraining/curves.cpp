#include "ch15_pretraining/curves.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "common/io/atomic_file.hpp"

namespace bert {

namespace {

Series means(std::string name, const std::vector<LoggedStep>& steps, double LoggedStep::*value) {
    Series series{std::move(name), {}, {}};
    const std::size_t window = 1 + (std::max<std::size_t>(steps.size(), 1) - 1) / most_curve_points;
    for (std::size_t begin = 0; begin < steps.size(); begin += window) {
        const std::size_t end = std::min(begin + window, steps.size());
        double sum = 0.0;
        for (std::size_t i = begin; i < end; ++i)
            sum += steps[i].*value;
        series.x.push_back(static_cast<double>(steps[begin].step + steps[end - 1].step) / 2);
        series.y.push_back(sum / static_cast<double>(end - begin));
    }
    return series;
}

void add_validations(LineChart& chart, std::string name, const PretrainingLog& log,
                     double PretrainingEvaluation::*value) {
    if (log.validations.empty()) return;
    Series series{std::move(name), {}, {}};
    for (const LoggedValidation& validation : log.validations) {
        series.x.push_back(static_cast<double>(validation.step));
        series.y.push_back(validation.evaluation.*value);
    }
    chart.series.push_back(std::move(series));
}

}  // namespace

LineChart loss_chart(const PretrainingLog& log) {
    LineChart chart{.title = "Losses of pre-training", .x_title = "step", .y_title = "loss"};
    chart.series = {means("masked tokens", log.steps, &LoggedStep::mlm_loss),
                    means("next sentence", log.steps, &LoggedStep::nsp_loss)};
    add_validations(chart, "masked tokens, held out", log, &PretrainingEvaluation::mlm_loss);
    add_validations(chart, "next sentence, held out", log, &PretrainingEvaluation::nsp_loss);
    return chart;
}

LineChart accuracy_chart(const PretrainingLog& log) {
    LineChart chart{
        .title = "Accuracies of pre-training", .x_title = "step", .y_title = "share right"};
    chart.series = {means("masked tokens", log.steps, &LoggedStep::mlm_accuracy),
                    means("next sentence", log.steps, &LoggedStep::nsp_accuracy)};
    add_validations(chart, "masked tokens, held out", log, &PretrainingEvaluation::mlm_accuracy);
    add_validations(chart, "next sentence, held out", log, &PretrainingEvaluation::nsp_accuracy);
    return chart;
}

void write_curves(const std::string& folder, const PretrainingLog& log) {
    write_file(folder + "/loss.svg", line_chart_svg(loss_chart(log)));
    write_file(folder + "/accuracy.svg", line_chart_svg(accuracy_chart(log)));
}

}  // namespace bert
