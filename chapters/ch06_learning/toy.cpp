#include "ch06_learning/toy.hpp"

#include <algorithm>

#include "ch06_learning/adam.hpp"
#include "ch06_learning/cross_entropy.hpp"
#include "ch06_learning/sgd.hpp"
#include "common/autograd/tape.hpp"
#include "common/tensor/elementwise.hpp"

namespace bert {

ToyData toy_data(Random& random, std::size_t count) {
    ToyData data{Tensor(Shape{count, toy_items, toy_colours + 1}), {}};
    for (std::size_t b = 0; b < count; ++b) {
        double loudest = -1.0;
        data.answers.push_back(0);
        for (std::size_t s = 0; s < toy_items; ++s) {
            const auto colour = static_cast<std::size_t>(random.below(toy_colours));
            const double loudness = random.uniform();
            data.items(b, s, colour) = 1;
            data.items(b, s, toy_colours) = static_cast<Real>(loudness);
            if (loudness <= loudest) continue;
            loudest = loudness;
            data.answers.back() = static_cast<std::int64_t>(colour);
        }
    }
    return data;
}

Attention ToyModel::operator()(const Tensor& items) const {
    const Tensor queries = broadcast_to(query, {items.dim(0), 1, toy_width});
    return attention(queries, key(items), value(items));
}

Tensor toy_loss(const ToyModel& model, const ToyData& data) {
    return cross_entropy(model(data.items).output, data.answers);
}

ToyModel random_toy_model(Random& random) {
    constexpr double stddev = 0.3;
    ToyModel model;
    model.query = normal(random, {1, toy_width}, 0.0, stddev);
    model.key = random_linear(random, toy_colours + 1, toy_width, stddev);
    model.value = random_linear(random, toy_colours + 1, toy_colours, stddev);
    return model;
}

double toy_accuracy(const ToyModel& model, const ToyData& data) {
    const NoGradient no_gradient;
    const Tensor logits = model(data.items).output;
    std::size_t right = 0;
    for (std::size_t b = 0; b < data.answers.size(); ++b) {
        const auto row = logits.row(b);
        const auto best = std::max_element(row.begin(), row.end()) - row.begin();
        if (best == data.answers[b]) ++right;
    }
    return static_cast<double>(right) / static_cast<double>(data.answers.size());
}

namespace {

// [training]
template <typename Optimiser>
ToyRun train(const std::string& name, ToyModel model, const ToyData& data, std::size_t num_steps,
             Optimiser optimiser, double learning_rate) {
    track_parameters(model);
    const std::vector<NamedParameter> parameters = parameters_of(model);
    std::vector<double> losses;
    for (std::size_t t = 0; t < num_steps; ++t) {
        const Tensor loss = toy_loss(model, data);                            // forwards
        const Gradients gradients = backward(loss);                           // backwards
        optimiser.step(parameters, gradients.of(parameters), learning_rate);  // downhill
        losses.push_back(static_cast<double>(*loss.data()));
    }
    return {name, losses, model};
}
// [training]

}  // namespace

ToyResult train_toys(std::size_t num_steps, std::uint64_t seed) {
    Random random{seed};
    ToyResult result;
    result.training = toy_data(random, 256);
    result.held_out = toy_data(random, 512);
    result.untrained = random_toy_model(random);
    const auto run = [&](const char* name, const auto& optimiser, double learning_rate) {
        result.runs.push_back(
            train(name, result.untrained, result.training, num_steps, optimiser, learning_rate));
    };
    run("gradient descent, rate 0.3", Sgd{}, 0.3);
    run("momentum 0.9, rate 0.3", Sgd{.momentum = 0.9, .velocities = {}}, 0.3);
    run("Adam, rate 0.03", Adam{}, 0.03);
    return result;
}

LineChart toy_chart(const ToyResult& result) {
    LineChart chart;
    chart.title = "Learning to look at the loudest item";
    chart.x_title = "step";
    chart.y_title = "loss";
    for (const ToyRun& run : result.runs) {
        Series series{run.name, {}, run.losses};
        for (std::size_t t = 0; t < run.losses.size(); ++t)
            series.x.push_back(static_cast<double>(t + 1));
        chart.series.push_back(series);
    }
    return chart;
}

}  // namespace bert
