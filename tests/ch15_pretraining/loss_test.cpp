#include <cmath>
#include <stdexcept>

#include "ch06_learning/gradient_check.hpp"
#include "ch07_encoder/dropout.hpp"
#include "ch15_pretraining/pretraining_loss.hpp"
#include "common/autograd/tape.hpp"
#include "tests/ch15_pretraining/small_bert.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using namespace bert::test;
using Catch::Matchers::WithinAbs;

namespace {

Bert small_bert(std::uint64_t seed = 1) {
    Random random{seed};
    return random_bert(random, small_config());
}

// All logits equal: it knows nothing.
Bert ignorant_bert() {
    Bert bert = small_bert();
    bert.predictions->norm.weight = Tensor(bert.predictions->norm.weight.shape());
    bert.seq_relationship->weight = Tensor(bert.seq_relationship->weight.shape());
    return bert;
}

}  // namespace

TEST_CASE("N38: the loss of a model that knows nothing is ln V + ln 2", "[ch15]") {
    const PretrainingLoss loss = pretraining_loss(ignorant_bert(), small_batch(1));
    const double error = by_precision(4e-7, 1e-14);  // seen: 1.2e-7
    CHECK_THAT(*loss.loss.data(), WithinAbs(std::log(37.0) + std::log(2.0), error));
    CHECK_THAT(loss.counts.mean_mlm_loss(), WithinAbs(std::log(37.0), error));
    CHECK_THAT(loss.counts.mean_nsp_loss(), WithinAbs(std::log(2.0), error));
    // A small random one is near it.
    const double random =
        static_cast<double>(*pretraining_loss(small_bert(), small_batch(1)).loss.data());
    CHECK_THAT(random, WithinAbs(std::log(37.0) + std::log(2.0), 0.05));
}

TEST_CASE("pretraining_loss: counts tokens and examples and right answers", "[ch15]") {
    Bert bert = ignorant_bert();
    bert.predictions->bias(7) = 50;  // always says token 7
    bert.seq_relationship->bias(1) = 50;
    PretrainingBatch batch = small_batch(1);
    batch.labels = {7, 7, 7, 8, 7, 7, 9, 7, 7, 7, 7, 7};
    batch.next_labels = {1, 0, 0, 1};
    const PretrainingLoss loss = pretraining_loss(bert, batch);
    CHECK(loss.counts.tokens == 12);
    CHECK(loss.counts.examples == 4);
    CHECK(loss.counts.mlm_right == 10);
    CHECK(loss.counts.nsp_right == 2);
    // Wrong ones cost 50 each.
    CHECK_THAT(loss.counts.mlm_loss, WithinAbs(100.0, 1e-4));
    CHECK_THAT(loss.counts.nsp_loss, WithinAbs(100.0, 1e-4));
    CHECK_THAT(*loss.loss.data(), WithinAbs(100.0 / 12 + 100.0 / 4, 1e-4));
    const PretrainingLoss weighted = pretraining_loss(bert, batch, {}, {.mlm = 3.0, .nsp = 0.5});
    CHECK_THAT(*weighted.loss.data(), WithinAbs(300.0 / 12 + 50.0 / 4, 1e-4));
    CHECK(weighted.counts.mlm_loss == loss.counts.mlm_loss);

    PretrainingCounts sum = loss.counts;
    sum += loss.counts;
    CHECK(sum.tokens == 24);
    CHECK(sum.examples == 8);
    CHECK(sum.mlm_right == 20);
    CHECK(sum.nsp_right == 4);
    CHECK_THAT(sum.mean_mlm_loss(), WithinAbs(100.0 / 12, 1e-5));
    CHECK_THAT(sum.mean_loss(), WithinAbs(100.0 / 12 + 100.0 / 4, 1e-5));
    CHECK(PretrainingCounts{}.mean_loss() == 0.0);
}

TEST_CASE("pretraining_loss: only chosen tokens count", "[ch15]") {
    const Bert bert = small_bert();
    PretrainingBatch batch = small_batch(1);
    // The same places chosen again from the logits of the whole batch.
    const BertOutput output = bert.model(batch.input);
    const Tensor all = bert.prediction_logits(output.last_hidden_state);
    double expected = 0.0;
    for (std::size_t i = 0; i < batch.places.size(); ++i) {
        const auto row = all.row(static_cast<std::size_t>(batch.places[i]));
        double sum = 0.0;
        for (const Real logit : row)
            sum += std::exp(static_cast<double>(logit));
        expected +=
            std::log(sum) - static_cast<double>(row[static_cast<std::size_t>(batch.labels[i])]);
    }
    CHECK_THAT(pretraining_loss(bert, batch).counts.mlm_loss,
               WithinAbs(expected, by_precision(4e-5, 1e-12)));
}

TEST_CASE("pretraining_loss: a batch in which nothing is chosen has the next sentence loss alone",
          "[ch15]") {
    Bert bert = small_bert();
    track_parameters(bert);
    PretrainingBatch batch = small_batch(1);
    batch.places.clear();
    batch.labels.clear();
    const PretrainingLoss loss = pretraining_loss(bert, batch);
    CHECK(loss.counts.mlm_loss == 0.0);
    CHECK_THAT(*loss.loss.data(), WithinAbs(loss.counts.mean_nsp_loss(), 1e-7));
    const Gradients gradients = backward(loss.loss);
    CHECK(gradients.of(bert.predictions->bias) == Tensor(Shape{37}));
}

TEST_CASE("pretraining_loss: needs pooler and heads", "[ch15]") {
    Bert bert = small_bert();
    bert.predictions.reset();
    CHECK_THROWS_AS(pretraining_loss(bert, small_batch(1)), std::logic_error);
    bert = small_bert();
    bert.seq_relationship.reset();
    CHECK_THROWS_AS(pretraining_loss(bert, small_batch(1)), std::logic_error);
    bert = small_bert();
    bert.model.pooler.reset();
    CHECK_THROWS_AS(pretraining_loss(bert, small_batch(1)), std::logic_error);
}

TEST_CASE("pretraining_loss: every gradient equals central differences", "[ch15]") {
    if constexpr (sizeof(Real) == sizeof(float)) return;
    Bert bert = small_bert(3);
    Random random{4};
    for_each_parameter(bert, [&](const std::string&, Tensor& x) {  // biases of their own
        x = x + normal(random, x.shape(), 0.0, 0.1);
    });
    const PretrainingBatch batch = small_batch(5, 3);
    const auto loss = [&] {
        Dropout hidden{0.1, Random{6, 1}};
        Dropout weights{0.1, Random{6, 2}};
        return pretraining_loss(bert, batch, {.dropout = &hidden, .attention_dropout = &weights})
            .loss;
    };
    for (const GradientError& error : check_gradients(loss, parameters_of(bert))) {
        INFO(error.name << ": norm " << error.norm);
        CHECK(error.relative <= 1e-8);
    }
}
