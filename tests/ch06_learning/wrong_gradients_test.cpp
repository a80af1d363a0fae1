// The checker of gradients must find what is wrong: each mistake below is one that people make.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "ch02_scaled_dot_product/softmax.hpp"
#include "ch06_learning/gradient_check.hpp"
#include "common/autograd/remember.hpp"
#include "common/autograd/tape.hpp"
#include "common/random/random.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/matmul.hpp"
#include "common/tensor/reduce.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/check_tensor.hpp"

using namespace bert;
using test::by_precision;
using Inputs = std::vector<Tensor>;

namespace {

using Rule = std::function<Inputs(const Tensor& g, const BackwardStep& step)>;

struct Case {
    std::string mistake;
    std::vector<Shape> shapes;
    std::function<Tensor(const Inputs&)> forward;
    Rule right;
    Rule wrong;
};

Inputs random_inputs(const std::vector<Shape>& shapes) {
    Random random{64};
    Inputs inputs;
    for (const Shape& shape : shapes)
        inputs.push_back(uniform(random, shape, 0.5, 2.0));
    return inputs;
}

double error_of(const Case& c, const Rule& rule) {
    const auto gradient = [&](const BackwardStep& step) {
        return rule(step.output_gradient(), step);
    };
    const auto operation = [&](const Inputs& x) {
        return remember(detach(c.forward(x)), x, gradient, Keep::all);
    };
    return operation_gradient_error(operation, random_inputs(c.shapes), by_precision(1e-1, 1e-3));
}

// f applied to every element.
Tensor each(const Tensor& x, const std::function<double(double)>& f) {
    Tensor y(x.shape());
    for (std::size_t i = 0; i < x.size(); ++i)
        y.mutable_data()[i] = static_cast<Real>(f(static_cast<double>(x.data()[i])));
    return y;
}

Tensor one_minus_square(const Tensor& y) {
    return each(y, [](double value) { return 1 - value * value; });
}

Tensor hyperbolic(const Inputs& x) {
    return each(x[0], [](double value) { return std::tanh(value); });
}

const Tensor visible{{1, 0, 1}, {1, 1, 0}};

}  // namespace

static std::vector<Case> cases() {
    std::vector<Case> list;
    list.push_back({"difference: sign of the second gradient",
                    {{2, 3}, {2, 3}},
                    [](const Inputs& x) { return x[0] - x[1]; },
                    [](const Tensor& g, const BackwardStep&) -> Inputs {
                        return {g, g * Real{-1}};
                    },
                    [](const Tensor& g, const BackwardStep&) -> Inputs {
                        return {g, g};
                    }});
    list.push_back({"product: each factor gets itself",
                    {{2, 3}, {2, 3}},
                    [](const Inputs& x) { return x[0] * x[1]; },
                    [](const Tensor& g, const BackwardStep& step) -> Inputs {
                        return {g * step.input(1), g * step.input(0)};
                    },
                    [](const Tensor& g, const BackwardStep& step) -> Inputs {
                        return {g * step.input(0), g * step.input(1)};
                    }});
    list.push_back(
        {"product: one of two accumulations dropped in a square",
         {{2, 3}},
         [](const Inputs& x) { return x[0] * x[0]; },
         [](const Tensor& g, const BackwardStep& step) -> Inputs {
             return {g * step.input(0) * Real{2}};
         },
         [](const Tensor& g, const BackwardStep& step) -> Inputs { return {g * step.input(0)}; }});
    list.push_back({"scale: factor forgotten",
                    {{2, 3}},
                    [](const Inputs& x) { return x[0] * Real{3}; },
                    [](const Tensor& g, const BackwardStep&) -> Inputs { return {g * Real{3}}; },
                    [](const Tensor& g, const BackwardStep&) -> Inputs { return {g}; }});
    list.push_back({"scale: divided instead of multiplied",
                    {{2, 3}},
                    [](const Inputs& x) { return x[0] * Real{0.5}; },
                    [](const Tensor& g, const BackwardStep&) -> Inputs { return {g * Real{0.5}}; },
                    [](const Tensor& g, const BackwardStep&) -> Inputs { return {g * Real{2}}; }});
    list.push_back({"broadcast bias: mean over the rows instead of the sum",
                    {{4, 3}, {3}},
                    [](const Inputs& x) { return x[0] + x[1]; },
                    [](const Tensor& g, const BackwardStep&) -> Inputs {
                        return {g, sum_to(g, {3})};
                    },
                    [](const Tensor& g, const BackwardStep&) -> Inputs {
                        return {g, mean(g, 0)};
                    }});
    list.push_back({"broadcast bias: only the last row",
                    {{4, 3}, {3}},
                    [](const Inputs& x) { return x[0] + x[1]; },
                    [](const Tensor& g, const BackwardStep&) -> Inputs {
                        return {g, sum_to(g, {3})};
                    },
                    [](const Tensor& g, const BackwardStep&) -> Inputs {
                        return {g, reshape(slice(g, 0, 3, 4), {3})};
                    }});
    list.push_back(
        {"matmul: b not transposed",
         {{3, 3}, {3, 3}},
         [](const Inputs& x) { return matmul(x[0], x[1]); },
         [](const Tensor& g, const BackwardStep& step) -> Inputs {
             return {matmul_transpose_b(g, step.input(1)), matmul_transpose_a(step.input(0), g)};
         },
         [](const Tensor& g, const BackwardStep& step) -> Inputs {
             return {matmul(g, step.input(1)), matmul_transpose_a(step.input(0), g)};
         }});
    list.push_back(
        {"matmul: a not transposed",
         {{3, 3}, {3, 3}},
         [](const Inputs& x) { return matmul(x[0], x[1]); },
         [](const Tensor& g, const BackwardStep& step) -> Inputs {
             return {matmul_transpose_b(g, step.input(1)), matmul_transpose_a(step.input(0), g)};
         },
         [](const Tensor& g, const BackwardStep& step) -> Inputs {
             return {matmul_transpose_b(g, step.input(1)), matmul(step.input(0), g)};
         }});
    list.push_back(
        {"matmul: product in the wrong order",
         {{3, 3}, {3, 3}},
         [](const Inputs& x) { return matmul(x[0], x[1]); },
         [](const Tensor& g, const BackwardStep& step) -> Inputs {
             return {matmul_transpose_b(g, step.input(1)), matmul_transpose_a(step.input(0), g)};
         },
         [](const Tensor& g, const BackwardStep& step) -> Inputs {
             return {matmul_transpose_b(g, step.input(1)), matmul_transpose_a(g, step.input(0))};
         }});
    list.push_back(
        {"matmul: gradient of the second factor forgotten",
         {{2, 3}, {3, 4}},
         [](const Inputs& x) { return matmul(x[0], x[1]); },
         [](const Tensor& g, const BackwardStep& step) -> Inputs {
             return {matmul_transpose_b(g, step.input(1)), matmul_transpose_a(step.input(0), g)};
         },
         [](const Tensor& g, const BackwardStep& step) -> Inputs {
             return {matmul_transpose_b(g, step.input(1)), Tensor(Shape{3, 4})};
         }});
    list.push_back({"batched matmul: the batch of a shared matrix averaged",
                    {{4, 2, 3}, {3, 2}},
                    [](const Inputs& x) { return matmul(x[0], x[1]); },
                    [](const Tensor& g, const BackwardStep& step) -> Inputs {
                        return {matmul_transpose_b(g, step.input(1)),
                                sum(matmul_transpose_a(step.input(0), g), 0)};
                    },
                    [](const Tensor& g, const BackwardStep& step) -> Inputs {
                        return {matmul_transpose_b(g, step.input(1)),
                                mean(matmul_transpose_a(step.input(0), g), 0)};
                    }});
    list.push_back({"transpose: gradient not transposed back",
                    {{3, 3}},
                    [](const Inputs& x) { return transpose(x[0]); },
                    [](const Tensor& g, const BackwardStep&) -> Inputs { return {transpose(g)}; },
                    [](const Tensor& g, const BackwardStep&) -> Inputs { return {g}; }});
    list.push_back({"slice: gradient put at the front",
                    {{5, 2}},
                    [](const Inputs& x) { return slice(x[0], 0, 2, 4); },
                    [](const Tensor& g, const BackwardStep&) -> Inputs {
                        return {concat({Tensor(Shape{2, 2}), g, Tensor(Shape{1, 2})}, 0)};
                    },
                    [](const Tensor& g, const BackwardStep&) -> Inputs {
                        return {concat({g, Tensor(Shape{3, 2})}, 0)};
                    }});
    list.push_back({"concat: parts exchanged",
                    {{2, 2}, {2, 2}},
                    [](const Inputs& x) {
                        return concat({x[0], x[1]}, 0);
                    },
                    [](const Tensor& g, const BackwardStep&) -> Inputs {
                        return {slice(g, 0, 0, 2), slice(g, 0, 2, 4)};
                    },
                    [](const Tensor& g, const BackwardStep&) -> Inputs {
                        return {slice(g, 0, 2, 4), slice(g, 0, 0, 2)};
                    }});
    list.push_back({"mean: not divided by the count",
                    {{4, 3}},
                    [](const Inputs& x) { return mean(x[0], 0); },
                    [](const Tensor& g, const BackwardStep&) -> Inputs {
                        return {broadcast_to(reshape(g, {1, 3}), {4, 3}) * Real{0.25}};
                    },
                    [](const Tensor& g, const BackwardStep&) -> Inputs {
                        return {broadcast_to(reshape(g, {1, 3}), {4, 3})};
                    }});
    list.push_back({"sum: along the wrong axis",
                    {{3, 3}},
                    [](const Inputs& x) { return sum(x[0], 0); },
                    [](const Tensor& g, const BackwardStep&) -> Inputs {
                        return {broadcast_to(reshape(g, {1, 3}), {3, 3})};
                    },
                    [](const Tensor& g, const BackwardStep&) -> Inputs {
                        return {broadcast_to(reshape(g, {3, 1}), {3, 3})};
                    }});
    list.push_back({"softmax: diagonal of the Jacobian only",
                    {{2, 3}},
                    [](const Inputs& x) { return softmax(x[0]); },
                    [](const Tensor&, const BackwardStep& step) -> Inputs {
                        return {softmax_gradient(step)[0]};
                    },
                    [](const Tensor& g, const BackwardStep& step) -> Inputs {
                        return {step.output() * (g - step.output() * g)};
                    }});
    list.push_back({"softmax: the mean not weighted",
                    {{2, 3}},
                    [](const Inputs& x) { return softmax(x[0]); },
                    [](const Tensor&, const BackwardStep& step) -> Inputs {
                        return {softmax_gradient(step)[0]};
                    },
                    [](const Tensor& g, const BackwardStep& step) -> Inputs {
                        return {step.output() * (g - reshape(mean(g, 1), {2, 1}))};
                    }});
    list.push_back({"softmax: means along the columns",
                    {{3, 3}},
                    [](const Inputs& x) { return softmax(x[0]); },
                    [](const Tensor&, const BackwardStep& step) -> Inputs {
                        return {softmax_gradient(step)[0]};
                    },
                    [](const Tensor& g, const BackwardStep& step) -> Inputs {
                        return {step.output() * (g - sum(step.output() * g, 0))};
                    }});
    list.push_back({"mask: forgotten on the way back",
                    {{2, 3}},
                    [](const Inputs& x) { return x[0] * visible; },
                    [](const Tensor& g, const BackwardStep&) -> Inputs { return {g * visible}; },
                    [](const Tensor& g, const BackwardStep&) -> Inputs { return {g}; }});
    list.push_back({"mask: hidden and visible exchanged",
                    {{2, 3}},
                    [](const Inputs& x) { return x[0] * visible; },
                    [](const Tensor& g, const BackwardStep&) -> Inputs { return {g * visible}; },
                    [](const Tensor& g, const BackwardStep&) -> Inputs {
                        return {g * (visible * Real{-1} + Real{1})};
                    }});
    list.push_back({"tanh: derivative at the input instead of the output",
                    {{2, 3}},
                    [](const Inputs& x) { return hyperbolic(x); },
                    [](const Tensor& g, const BackwardStep& step) -> Inputs {
                        return {g * one_minus_square(step.output())};
                    },
                    [](const Tensor& g, const BackwardStep& step) -> Inputs {
                        return {g * one_minus_square(step.input(0))};
                    }});
    list.push_back({"tanh: square forgotten",
                    {{2, 3}},
                    [](const Inputs& x) { return hyperbolic(x); },
                    [](const Tensor& g, const BackwardStep& step) -> Inputs {
                        return {g * one_minus_square(step.output())};
                    },
                    [](const Tensor& g, const BackwardStep& step) -> Inputs {
                        return {g * (step.output() * Real{-1} + Real{1})};
                    }});
    list.push_back({"gradient of ones whatever comes from above",
                    {{2, 3}},
                    [](const Inputs& x) { return x[0] * Real{2}; },
                    [](const Tensor& g, const BackwardStep&) -> Inputs { return {g * Real{2}}; },
                    [](const Tensor&, const BackwardStep&) -> Inputs {
                        return {Tensor{{2, 2, 2}, {2, 2, 2}}};
                    }});
    list.push_back({"gradient of zeros",
                    {{2, 3}},
                    [](const Inputs& x) { return x[0] * Real{2}; },
                    [](const Tensor& g, const BackwardStep&) -> Inputs { return {g * Real{2}}; },
                    [](const Tensor&, const BackwardStep&) -> Inputs {
                        return {Tensor(Shape{2, 3})};
                    }});
    return list;
}

TEST_CASE("check_gradients: finds each of 26 deliberate mistakes and passes the right gradients",
          "[ch06]") {
    const std::vector<Case> list = cases();
    CHECK(list.size() == 26);
    for (const Case& c : list) {
        INFO(c.mistake);
        CHECK(error_of(c, c.right) <= by_precision(2e-2, 1e-8));  // largest seen: 3e-3, 2e-12
        CHECK(error_of(c, c.wrong) > 0.05);                       // smallest seen: 0.20
    }
}

TEST_CASE("check_gradients: NaN is no small error", "[ch06]") {
    const auto operation = [](const Inputs& x) {
        return remember(
            detach(x[0] * Real{2}), x,
            [](const BackwardStep& step) -> std::vector<Tensor> {
                return {step.output_gradient() * static_cast<Real>(std::nan(""))};
            },
            Keep::shapes);
    };
    CHECK_FALSE(operation_gradient_error(operation, random_inputs({{2, 2}})) <= 1e6);
}
