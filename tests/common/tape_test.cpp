#include "common/autograd/tape.hpp"

#include <stdexcept>
#include <thread>

#include "common/autograd/remember.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/matmul.hpp"
#include "common/tensor/reduce.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

namespace {

Tensor parameter(Tensor x) {
    track(x);
    return x;
}

Tensor total(const Tensor& x) {
    return sum(reshape(x, {x.size()}), 0);
}

struct Pair {
    Tensor a{1, 2};
    Tensor b{3, 4};

    template <typename Layer, typename Visitor>
    static void visit_parameters(Layer& layer, const Visitor& visitor) {
        visitor("a", layer.a);
        visitor("b", layer.b);
    }
};

}  // namespace

TEST_CASE("backward: a product passes each factor the other", "[tape]") {
    const Tensor a = parameter(Tensor{2, 3});
    const Tensor b = parameter(Tensor{5, 7});
    const Gradients gradients = backward(total(a * b));
    CHECK(gradients.of(a) == b);
    CHECK(gradients.of(b) == a);
}

TEST_CASE("backward: every use of a tensor adds to its gradient", "[tape]") {
    const Tensor x = parameter(Tensor{2, 3});
    // x x + x + 4 x: 2 x + 5
    CHECK(backward(total(x * x + x + x * Real{4})).of(x) == Tensor{9, 11});
}

TEST_CASE("backward: a tensor used early and late is passed on when complete", "[tape]") {
    const Tensor x = parameter(Tensor{3});
    const Tensor y = x * x;     // 9
    const Tensor late = y * y;  // x^4
    // x^4 + x^2: 4 x^3 + 2 x = 108 + 6
    CHECK(backward(total(late + y)).of(x) == Tensor{114});
}

TEST_CASE("backward: a parameter that the loss does not use has gradient zero", "[tape]") {
    const Tensor a = parameter(Tensor{2, 3});
    const Tensor b = parameter(Tensor{5});
    const Gradients gradients = backward(total(a));
    CHECK(gradients.of(b) == Tensor{0});
    CHECK(gradients.of(a) == Tensor{1, 1});
}

TEST_CASE("backward: a second walk over the same graph is refused", "[tape]") {
    const Tensor a = parameter(Tensor{2, 3});
    const Tensor loss = total(a * a);
    backward(loss);
    CHECK_THROWS_AS(backward(loss), std::logic_error);
    CHECK_THROWS_WITH(backward(loss), ContainsSubstring("has been walked back before"));
}

TEST_CASE("backward: a part shared with a loss walked back before is refused", "[tape]") {
    const Tensor a = parameter(Tensor{2, 3});
    const Tensor shared = a * a;
    backward(total(shared));
    CHECK_THROWS_WITH(backward(total(shared * Real{2})),
                      ContainsSubstring("has been walked back before"));
}

TEST_CASE("backward: needs one number that comes from a parameter", "[tape]") {
    const Tensor a = parameter(Tensor{2, 3});
    CHECK_THROWS_AS(backward(a * a), ShapeError);
    CHECK_THROWS_AS(backward(Tensor{1}), std::logic_error);
    CHECK_THROWS_WITH(backward(Tensor{1}), ContainsSubstring("comes from no parameter"));
}

TEST_CASE("backward: the gradient of a parameter itself is 1", "[tape]") {
    const Tensor a = parameter(Tensor{4});
    CHECK(backward(a).of(a) == Tensor{1});
}

TEST_CASE("Gradients: refuses a tensor that is no parameter", "[tape]") {
    const Tensor a = parameter(Tensor{2, 3});
    const Tensor y = a * a;
    const Gradients gradients = backward(total(y));
    CHECK_THROWS_AS(gradients.of(Tensor{1}), std::logic_error);
    CHECK_THROWS_AS(gradients.of(y), std::logic_error);
}

TEST_CASE("track_parameters: gradients come in the order of the parameters", "[tape]") {
    Pair layer;
    track_parameters(layer);
    const std::vector<Tensor> gradients =
        backward(total(layer.a * layer.b)).of(parameters_of(layer));
    REQUIRE(gradients.size() == 2);
    CHECK(gradients[0] == Tensor{3, 4});
    CHECK(gradients[1] == Tensor{1, 2});
}

TEST_CASE("NoGradient: nothing is written down while it lives", "[tape]") {
    const Tensor a = parameter(Tensor{2, 3});
    {
        const NoGradient outer;
        {
            const NoGradient inner;
            CHECK_FALSE(is_tracked(a * a));
        }
        CHECK_FALSE(is_tracked(a * a));
        CHECK(is_tracked(a));
    }
    CHECK(is_tracked(a * a));
}

TEST_CASE("NoGradient: holds for its own thread", "[tape]") {
    const Tensor a = parameter(Tensor{2, 3});
    const NoGradient here;
    bool tracked = false;
    std::thread{[&] { tracked = is_tracked(a * a); }}.join();
    CHECK(tracked);
}

TEST_CASE("tape: nothing is written down without a parameter", "[tape]") {
    const Tensor a{2, 3};
    CHECK_FALSE(is_tracked(a * a));
    CHECK_FALSE(is_tracked(reshape(a, {2, 1})));
    CHECK_FALSE(is_tracked(concat({a, a}, 0)));
}

TEST_CASE("tape: detached numbers and numbers written by hand have no history", "[tape]") {
    const Tensor a = parameter(Tensor{2, 3});
    Tensor y = a * a;
    CHECK_FALSE(is_tracked(detach(y)));
    CHECK_FALSE(is_tracked(y.reshaped({2, 1})));
    CHECK(is_tracked(y));
    y(0) = 7;
    CHECK_FALSE(is_tracked(y));
}

TEST_CASE("tape: a parameter stays one when its numbers change", "[tape]") {
    Tensor a = parameter(Tensor{2, 3});
    a(0) = 5;
    CHECK(backward(total(a * a)).of(a) == Tensor{10, 6});
}

TEST_CASE("tape: a step after the forward pass does not change its gradient", "[tape]") {
    Tensor a = parameter(Tensor{2, 3});
    const Tensor loss = total(a * a);
    a(0) = 5;
    CHECK(backward(loss).of(a) == Tensor{4, 6});
}

TEST_CASE("backward: frees what the tape kept while walking back", "[tape]") {
    const Tensor a = parameter(Tensor{2, 3});
    const Tensor y = a * a;
    std::weak_ptr<int> kept;
    Tensor loss;
    {
        const auto guard = std::make_shared<int>(1);
        kept = guard;
        loss = remember(
            Tensor{1}, {y},
            [guard](const BackwardStep&) -> std::vector<Tensor> {
                return {Tensor{1, 1}};
            },
            Keep::shapes);
    }
    CHECK_FALSE(kept.expired());
    backward(loss);
    CHECK(kept.expired());
}

TEST_CASE("tape: a graph 100000 operations deep is walked and freed without recursion", "[tape]") {
    const Tensor a = parameter(Tensor{1});
    Tensor x = a;
    for (int i = 0; i < 100000; ++i)
        x = x + Real{1};
    CHECK(backward(x).of(a) == Tensor{1});
    Tensor dropped = a;
    for (int i = 0; i < 100000; ++i)
        dropped = dropped + Real{1};
    dropped = Tensor{0};
    CHECK_FALSE(is_tracked(dropped));
}

TEST_CASE("BackwardStep: numbers that were not kept are not to be had", "[tape]") {
    const Tensor a = parameter(Tensor{2});
    const auto ask = [&](Keep keep, bool input, bool output) {
        const Tensor y = remember(
            Tensor{3}, {a},
            [&](const BackwardStep& step) -> std::vector<Tensor> {
                CHECK(step.input_shape(0) == Shape{1});
                if (input) step.input(0);
                if (output) step.output();
                return {step.output_gradient()};
            },
            keep);
        backward(y);
    };
    CHECK_NOTHROW(ask(Keep::all, true, true));
    CHECK_NOTHROW(ask(Keep::inputs, true, false));
    CHECK_NOTHROW(ask(Keep::output, false, true));
    CHECK_THROWS_AS(ask(Keep::inputs, false, true), std::logic_error);
    CHECK_THROWS_AS(ask(Keep::output, true, false), std::logic_error);
    CHECK_THROWS_AS(ask(Keep::shapes, true, false), std::logic_error);
}

TEST_CASE("backward: a gradient of another shape is refused", "[tape]") {
    const Tensor a = parameter(Tensor{2, 3});
    const Tensor wrong = remember(
        Tensor{1}, {a}, [](const BackwardStep&) -> std::vector<Tensor> { return {Tensor{1}}; },
        Keep::shapes);
    CHECK_THROWS_WITH(backward(wrong), ContainsSubstring("shaped like the input"));
    const Tensor few = remember(
        Tensor{1}, {a}, [](const BackwardStep&) -> std::vector<Tensor> { return {}; },
        Keep::shapes);
    CHECK_THROWS_AS(backward(few), std::logic_error);
}

TEST_CASE("matmul: a packed matrix is refused while its product would be recorded", "[tape]") {
    const Tensor w = parameter(Tensor{{1, 2}, {3, 4}});
    const PackedMatrix packed{w};
    CHECK_THROWS_AS(matmul(Tensor{{1, 2}}, packed), std::logic_error);
    const NoGradient no_gradient;
    CHECK(matmul(Tensor{{1, 2}}, packed) == Tensor{{7, 10}});
}

TEST_CASE("backward: the numbers that the tape kept are free afterwards", "[tape]") {
    Tensor a = parameter(Tensor{2, 3});
    const Tensor loss = total(a * a);
    const Real* const numbers = a.data();
    backward(loss);
    CHECK(a.mutable_data() == numbers);  // a kept copy would make the tensor part
}

TEST_CASE("backward: nodes behind a walked one are free although the loss lives", "[tape]") {
    const Tensor a = parameter(Tensor{2, 3});
    Tensor y = a * a;
    const Tensor loss = total(y);
    const std::weak_ptr<TapeNode> node = y.node();
    y = Tensor();
    CHECK_FALSE(node.expired());
    backward(loss);
    CHECK(node.expired());
}

TEST_CASE("BackwardStep: says whose gradient is wanted", "[tape]") {
    const Tensor a = parameter(Tensor{2});
    const Tensor plain{3};
    const auto gradient = [](const BackwardStep& step) -> std::vector<Tensor> {
        CHECK(step.wants(0));
        CHECK_FALSE(step.wants(1));
        return {step.output_gradient(), Tensor()};
    };
    CHECK(backward(remember(Tensor{5}, {a, plain}, gradient, Keep::shapes)).of(a) == Tensor{1});
}
