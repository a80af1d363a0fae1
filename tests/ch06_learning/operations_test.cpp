// Every operation of common and of chapters 2 to 6 against central differences.
#include <functional>
#include <limits>
#include <vector>

#include "ch02_scaled_dot_product/softmax.hpp"
#include "ch03_masks/masks.hpp"
#include "ch04_multi_head/multi_head.hpp"
#include "ch06_learning/cross_entropy.hpp"
#include "ch06_learning/gradient_check.hpp"
#include "common/random/random.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/functions.hpp"
#include "common/tensor/gather.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/matmul.hpp"
#include "common/tensor/reduce.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using test::by_precision;
using Inputs = std::vector<Tensor>;

namespace {

// Numbers between 0.5 and 2 of either sign: nothing near a kink or a zero.
Inputs random_inputs(const std::vector<Shape>& shapes) {
    Random random{62};
    Inputs inputs;
    for (const Shape& shape : shapes) {
        Tensor x = uniform(random, shape, 0.5, 2.0);
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (random.below(2) == 0) x.mutable_data()[i] *= -1;
        }
        inputs.push_back(x);
    }
    return inputs;
}

// Largest error seen: 9e-12 in double, 2e-3 in float.
void check_operation(const std::vector<Shape>& shapes, const Operation& operation,
                     double step = by_precision(1e-1, 1e-3)) {
    const double error = operation_gradient_error(operation, random_inputs(shapes), step);
    CHECK(error <= by_precision(2e-2, 1e-8));
}

}  // namespace

TEST_CASE("gradients: sum difference product with every kind of broadcasting", "[ch06]") {
    const std::vector<std::vector<Shape>> pairs = {
        {{3, 4}, {3, 4}}, {{3, 4}, {4}},    {{4}, {3, 4}},          {{3, 1}, {1, 4}},
        {{1}, {1}},       {{2, 3, 1}, {5}}, {{2, 1, 3}, {2, 4, 3}}, {{}, {3, 2}},
        {{1, 1, 1}, {}},  {{5, 1}, {5, 1}}, {{2, 3, 4}, {3, 1}}};
    for (const auto& shapes : pairs) {
        check_operation(shapes, [](const Inputs& x) { return x[0] + x[1]; });
        check_operation(shapes, [](const Inputs& x) { return x[0] - x[1]; });
        check_operation(shapes, [](const Inputs& x) { return x[0] * x[1]; });
    }
    check_operation({{3, 4}}, [](const Inputs& x) { return x[0] * x[0] * Real{3} + Real{2}; });
    check_operation({{3, 4}}, [](const Inputs& x) { return Real{-3} * x[0]; });
}

TEST_CASE("gradients: broadcast_to and sum_to", "[ch06]") {
    check_operation({{3, 1}}, [](const Inputs& x) { return broadcast_to(x[0], {2, 3, 4}); });
    check_operation({{1}}, [](const Inputs& x) { return broadcast_to(x[0], {1}); });
    check_operation({{}}, [](const Inputs& x) { return broadcast_to(x[0], {2, 2}); });
    check_operation({{2, 3, 4}}, [](const Inputs& x) { return sum_to(x[0], {3, 1}); });
    check_operation({{2, 3, 4}}, [](const Inputs& x) { return sum_to(x[0], {4}); });
    check_operation({{2, 3}}, [](const Inputs& x) { return sum_to(x[0], {}); });
    check_operation({{2, 3}}, [](const Inputs& x) { return sum_to(x[0], {2, 3}); });
}

TEST_CASE("gradients: reshape transpose slice concat", "[ch06]") {
    check_operation({{2, 6}}, [](const Inputs& x) { return reshape(x[0], {3, 4}); });
    check_operation({{1}}, [](const Inputs& x) { return reshape(x[0], {}); });
    check_operation({{2, 3, 4}}, [](const Inputs& x) { return transpose(x[0]); });
    check_operation({{2, 3, 4, 2}}, [](const Inputs& x) { return transpose(x[0], 0, 2); });
    check_operation({{2, 3}}, [](const Inputs& x) { return transpose(x[0], 1, 1); });
    check_operation({{1, 1}}, [](const Inputs& x) { return transpose(x[0]); });
    for (const int axis : {0, 1, -1}) {
        check_operation({{3, 4, 3}}, [axis](const Inputs& x) { return slice(x[0], axis, 1, 3); });
        check_operation({{3, 3, 3}}, [axis](const Inputs& x) { return slice(x[0], axis, 0, 3); });
        check_operation({{2, 2, 2}, {2, 2, 2}}, [axis](const Inputs& x) {
            return concat({x[0], x[1], x[0]}, axis);
        });
    }
    check_operation({{1, 4}, {3, 4}}, [](const Inputs& x) { return concat({x[0], x[1]}, 0); });
}

TEST_CASE("gradients: sum mean max along each axis", "[ch06]") {
    for (const int axis : {0, 1, 2, -1}) {
        check_operation({{2, 3, 4}}, [axis](const Inputs& x) { return sum(x[0], axis); });
        check_operation({{2, 3, 4}}, [axis](const Inputs& x) { return mean(x[0], axis); });
        check_operation({{1, 1, 1}}, [axis](const Inputs& x) { return mean(x[0], axis); });
        // The numbers of random_inputs lie further apart than this step: no ties.
        check_operation(
            {{2, 3, 4}}, [axis](const Inputs& x) { return max(x[0], axis); }, 1e-3);
    }
}

TEST_CASE("max: equal largest numbers share the gradient", "[ch06]") {
    Tensor x{{2, 5, 5}, {7, 1, 0}};
    const auto gradient = [&] {
        std::vector<NamedParameter> parameters = {{"x", &x}};
        return check_gradients([&] { return weighted_sum(max(x, 1)); }, parameters, 0.25);
    };
    // At a tie the loss has a kink; the central difference sees the mean of both sides for the one
    // element that moves, which is what each of two equal ones gets.
    CHECK(gradient()[0].relative <= by_precision(2e-2, 1e-8));
}

TEST_CASE("gradients: the three matrix products", "[ch06]") {
    const auto plain = [](const Inputs& x) { return matmul(x[0], x[1]); };
    const auto turned_a = [](const Inputs& x) { return matmul_transpose_a(x[0], x[1]); };
    const auto turned_b = [](const Inputs& x) { return matmul_transpose_b(x[0], x[1]); };
    check_operation({{3, 4}, {4, 2}}, plain);
    check_operation({{1, 1}, {1, 1}}, plain);
    check_operation({{2, 3, 4}, {2, 4, 5}}, plain);
    check_operation({{2, 3, 4}, {4, 5}}, plain);  // one matrix serves the batch
    check_operation({{2, 1, 3, 4}, {4, 1}}, plain);
    check_operation({{2, 3, 2, 4}, {2, 3, 4, 1}}, plain);
    check_operation({{3, 4}, {2, 4}}, turned_b);
    check_operation({{2, 3, 4}, {2, 5, 4}}, turned_b);
    check_operation({{2, 3, 4}, {5, 4}}, turned_b);
    check_operation({{4, 3}, {4, 2}}, turned_a);
    check_operation({{2, 4, 3}, {2, 4, 5}}, turned_a);
    check_operation({{2, 4, 3}, {4, 5}}, turned_a);
    check_operation({{3, 3}}, [](const Inputs& x) { return matmul(x[0], x[0]); });
}

TEST_CASE("gradients: softmax and masked softmax", "[ch06]") {
    for (const Shape& shape : {Shape{3, 4}, Shape{1}, Shape{2, 3, 5}, Shape{4, 1}})
        check_operation({shape}, [](const Inputs& x) { return softmax(x[0]); });
    const Tensor mask{{1, 0, 1, 1}, {0, 0, 0, 0}, {0, 1, 0, 0}};  // with an empty row
    check_operation({{2, 3, 4}}, [&](const Inputs& x) { return masked_softmax(x[0], mask); });
    // A hidden score is -infinity whatever it was: seen through softmax its gradient is 0.
    const Tensor some{{1, 0, 1, 1}, {1, 1, 0, 1}, {0, 1, 0, 0}};
    check_operation({{3, 4}}, [&](const Inputs& x) { return softmax(hide_scores(x[0], some)); });
}

TEST_CASE("gradients: log-softmax and cross-entropy", "[ch06]") {
    for (const Shape& shape : {Shape{3, 4}, Shape{1}, Shape{2, 3, 5}, Shape{4, 1}})
        check_operation({shape}, [](const Inputs& x) { return log_softmax(x[0]); });
    const std::vector<std::int64_t> labels = {2, -100, 0, 3};
    for (const double smoothing : {0.0, 0.1, 0.9}) {
        check_operation({{4, 5}}, [&](const Inputs& x) {
            return cross_entropy(x[0], labels, {.label_smoothing = smoothing});
        });
    }
    check_operation({{2, 2, 5}}, [&](const Inputs& x) {
        return cross_entropy(x[0], {0, 4, 4, 7}, {.label_smoothing = 0.1, .ignored_label = 7});
    });
    check_operation({{3, 1}}, [](const Inputs& x) { return cross_entropy(x[0], {0, 0, 0}); });
}

TEST_CASE("gradients: tanh sigmoid and gathered rows", "[ch06]") {
    for (const Shape& shape : {Shape{3, 4}, Shape{1}, Shape{}}) {
        check_operation({shape}, [](const Inputs& x) { return tanh(x[0]); });
        check_operation({shape}, [](const Inputs& x) { return sigmoid(x[0]); });
    }
    check_operation({{4, 3}}, [](const Inputs& x) {
        return gather_rows(x[0], {2, 0, 2, 2}, {2, 2});
    });
    check_operation({{1, 1}}, [](const Inputs& x) { return gather_rows(x[0], {0}, {1}); });
}

TEST_CASE("gradients: multi-head attention with mask", "[ch06]") {
    Random random{63};
    MultiHeadAttention layer = random_multi_head(random, 6, 2, 0.4);
    const Tensor x = normal(random, {2, 3, 6}, 0.0, 1.0);
    const Tensor y = normal(random, {2, 4, 6}, 0.0, 1.0);
    const Tensor mask = padding_mask(Tensor{{1, 1, 0, 1}, {1, 0, 0, 0}});
    const auto loss = [&] { return weighted_sum(layer(x, y, mask).output); };
    for (const GradientError& error :
         check_gradients(loss, parameters_of(layer), by_precision(1e-1, 1e-3))) {
        INFO(error.name << ": norm " << error.norm);
        // Largest seen: 2e-11 in double, 3e-3 in float.
        CHECK(error.relative <= by_precision(2e-2, 1e-8));
        // The bias of the keys moves all scores of a row alike, which softmax does not see.
        CHECK((error.norm > 0.1 || error.name == "key.bias"));
    }
}
