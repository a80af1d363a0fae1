// One model for several threads of a program.
#include <string>
#include <thread>
#include <vector>

#include "ch14_bert/bert.hpp"
#include "tests/bert/tiny_model.hpp"
#include "tests/support/catch.hpp"

using namespace bert;
using namespace bert::test;

TEST_CASE("PretrainedBert: several threads may use one model", "[bert]") {
    const auto folder = tiny_model("bert-one-model");
    const PretrainedBert model = PretrainedBert::load(folder.string());
    const std::vector<std::string> texts = {"the cat sat", "a dog", "time flies like an arrow",
                                            "[MASK] ran on the mat ."};
    std::vector<Tensor> alone;
    for (const std::string& text : texts)
        alone.push_back(model(model.encode(text)).last_hidden_state);
    std::vector<int> equal(texts.size(), 0);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        threads.emplace_back([&, i] {
            for (int run = 0; run < 200; ++run)
                equal[i] += model(model.encode(texts[i])).last_hidden_state == alone[i] ? 1 : 0;
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    CHECK(equal == std::vector<int>(texts.size(), 200));
}
