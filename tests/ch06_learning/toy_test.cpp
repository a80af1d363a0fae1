#include "ch06_learning/toy.hpp"

#include <cmath>
#include <limits>

#include "ch06_learning/gradient_check.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;

TEST_CASE("toy_data: one colour an item and the answer is the colour of the loudest", "[ch06]") {
    Random random{1};
    const ToyData data = toy_data(random, 100);
    REQUIRE(data.items.shape() == Shape{100, toy_items, toy_colours + 1});
    REQUIRE(data.answers.size() == 100);
    std::vector<int> how_often(toy_colours);
    for (std::size_t b = 0; b < 100; ++b) {
        Real loudest = -1;
        for (std::size_t s = 0; s < toy_items; ++s) {
            Real colours = 0;
            for (std::size_t c = 0; c < toy_colours; ++c) {
                CHECK((data.items(b, s, c) == 0 || data.items(b, s, c) == 1));
                colours += data.items(b, s, c);
            }
            CHECK(colours == 1);
            const Real loudness = data.items(b, s, toy_colours);
            CHECK((loudness >= 0 && loudness < 1));
            loudest = std::max(loudest, loudness);
        }
        const auto answer = static_cast<std::size_t>(data.answers[b]);
        ++how_often.at(answer);
        bool found = false;
        for (std::size_t s = 0; s < toy_items; ++s) {
            found = found ||
                    (data.items(b, s, toy_colours) == loudest && data.items(b, s, answer) == 1);
        }
        CHECK(found);
    }
    for (const int count : how_often)
        CHECK(count > 10);
}

TEST_CASE("ToyModel: a model that knows the answer worked by hand", "[ch06]") {
    // Key 1 is 40 times the loudness, the query asks for it: score 40 / sqrt(4) = 20 times the
    // loudness. The value is the colour.
    ToyModel model{Tensor(Shape{1, toy_width}),
                   {Tensor(Shape{toy_width, toy_colours + 1}), {}},
                   {Tensor(Shape{toy_colours, toy_colours + 1}), {}}};
    model.query(0, 0) = 1;
    model.key.weight(0, toy_colours) = 40;
    for (std::size_t c = 0; c < toy_colours; ++c)
        model.value.weight(c, c) = 1;
    ToyData data{Tensor(Shape{1, toy_items, toy_colours + 1}), {2}};
    data.items(0, 0, 2) = 1;  // loudness 0.05: weight e / (e + 4)
    data.items(0, 0, toy_colours) = static_cast<Real>(0.05);
    for (std::size_t s = 1; s < toy_items; ++s)
        data.items(0, s, 0) = 1;
    const auto [output, weights] = model(data.items);
    CHECK(output.shape() == Shape{1, 1, toy_colours});
    CHECK(weights.shape() == Shape{1, 1, toy_items});
    const double loud = std::exp(1.0) / (std::exp(1.0) + 4);
    const double tolerance = by_precision(5e-7, 1e-15);  // largest errors seen: 1.1e-7, 2.2e-16
    CHECK_THAT(weights(0, 0, 0), WithinAbs(loud, tolerance));
    CHECK_THAT(output(0, 0, 2), WithinAbs(loud, tolerance));
    CHECK_THAT(output(0, 0, 0), WithinAbs(1 - loud, tolerance));
    // Logits 1 - loud, 0, loud, 0.
    const double sum = std::exp(1 - loud) + std::exp(loud) + 2;
    CHECK_THAT(*toy_loss(model, data).data(), WithinAbs(std::log(sum) - loud, tolerance));
    CHECK(toy_accuracy(model, data) == 0);  // 0.595 for colour 0, 0.405 for colour 2
    data.items(0, 0, toy_colours) = 1;
    CHECK(toy_accuracy(model, data) == 1);
}

TEST_CASE("ToyModel: its gradients equal central differences", "[ch06]") {
    Random random{2};
    const ToyData data = toy_data(random, 5);
    ToyModel model = random_toy_model(random);
    REQUIRE(parameter_count(model) ==
            toy_width + (toy_width + toy_colours) * (toy_colours + 1) + toy_width + toy_colours);
    const auto errors = check_gradients([&] { return toy_loss(model, data); }, parameters_of(model),
                                        by_precision(0.03, 1e-3));
    REQUIRE(errors.size() == 5);
    for (const GradientError& error : errors) {
        INFO(error.name << " " << error.relative);
        if (error.name == "key.bias") {
            // It adds the same to every score, which changes no weight: its gradient is 0.
            CHECK(error.norm < by_precision(4e-6, 4e-12));  // largest seen: 0, 0
            continue;
        }
        CHECK(error.norm > 0.01);
        CHECK(error.relative < by_precision(1.6e-3, 1e-10));  // largest seen: 4.1e-4, 0
    }
}

TEST_CASE("train_toys: every optimiser learns and looks at the loudest item", "[ch06]") {
    const ToyResult result = train_toys(200);
    REQUIRE(result.runs.size() == 3);
    CHECK(toy_accuracy(result.untrained, result.held_out) < 0.4);
    const double least[] = {0.7, 0.97, 0.97};
    for (std::size_t r = 0; r < 3; ++r) {
        const ToyRun& run = result.runs[r];
        INFO(run.name);
        REQUIRE(run.losses.size() == 200);
        CHECK_THAT(run.losses[0],
                   WithinAbs(*toy_loss(result.untrained, result.training).data(), 0));
        CHECK(run.losses[199] < 0.75);
        CHECK(toy_accuracy(run.model, result.held_out) >= least[r]);
    }
    // Momentum is ahead of plain descent at the same rate, and Adam too.
    CHECK(result.runs[1].losses[199] < result.runs[0].losses[199] / 5);
    CHECK(result.runs[2].losses[199] < result.runs[0].losses[199] / 5);
    // Attention lies on the loudest of the items.
    const Tensor weights = result.runs[2].model(result.held_out.items).weights;
    std::size_t looked_at = 0;
    for (std::size_t b = 0; b < 512; ++b) {
        std::size_t loudest = 0;
        for (std::size_t s = 1; s < toy_items; ++s) {
            if (result.held_out.items(b, s, toy_colours) >
                result.held_out.items(b, loudest, toy_colours))
                loudest = s;
        }
        if (weights(b, 0, loudest) > Real{0.5}) ++looked_at;
    }
    CHECK(looked_at > 480);
}

TEST_CASE("train_toys: held-out examples are not those that were trained on", "[ch06]") {
    const ToyResult result = train_toys(2);
    CHECK(result.training.answers.size() == 256);
    CHECK(result.held_out.answers.size() == 512);
    for (std::size_t b = 0; b < 256; ++b)
        CHECK(result.training.items(b, 0, toy_colours) != result.held_out.items(b, 0, toy_colours));
}

TEST_CASE("train_toys: the same numbers every time", "[ch06]") {
    const ToyResult a = train_toys(20);
    const ToyResult b = train_toys(20);
    for (std::size_t r = 0; r < 3; ++r) {
        CHECK(a.runs[r].losses == b.runs[r].losses);
        CHECK(a.runs[r].model.key.weight == b.runs[r].model.key.weight);
    }
}

TEST_CASE("toy_chart: a curve for each run over its steps", "[ch06]") {
    const LineChart chart = toy_chart(train_toys(3));
    REQUIRE(chart.series.size() == 3);
    CHECK(chart.series[1].name == "momentum 0.9, rate 0.3");
    CHECK(chart.series[1].x == std::vector<double>{1, 2, 3});
    CHECK(chart.series[1].y.size() == 3);
    CHECK(chart.x_title == "step");
    CHECK(chart.y_title == "loss");
}
