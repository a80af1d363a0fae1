#include "ch15_pretraining/evaluation.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "ch15_pretraining/pretraining_batch.hpp"
#include "ch15_pretraining/pretraining_loss.hpp"
#include "ch15_pretraining/training_batches.hpp"
#include "common/autograd/tape.hpp"
#include "common/io/file_error.hpp"
#include "tests/ch15_pretraining/small_pretraining.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/threads.hpp"

using namespace bert;
using namespace bert::test;

namespace {

ExampleReader reader_of(const std::filesystem::path& folder, const std::string& name,
                        std::uint64_t seed = 1) {
    return {PretrainingData{(folder / name).string()}, Tokenizer::from_folder(folder.string()),
            seed};
}

Bert some_bert() {
    Random random{7};
    return random_bert(random, small_config());
}

}  // namespace

TEST_CASE("evaluate: equals the loss of one example after the other", "[ch15]") {
    const auto folder = small_inputs("evaluation_bridge");
    const ExampleReader examples = reader_of(folder, "data");
    const Bert bert = some_bert();
    PretrainingCounts counts;
    std::map<TokenId, std::size_t> tokens;
    std::size_t random_next = 0;
    for (std::size_t i = 0; i < examples.size(); ++i) {
        const PretrainingExample example = examples.example(i);
        counts += pretraining_loss(bert, make_pretraining_batch({&example, 1}, 0)).counts;
        for (const std::uint32_t position : example.positions)
            ++tokens[example.tokens[position]];
        random_next += example.is_random_next ? 1 : 0;
    }
    std::size_t most = 0;
    for (const auto& [token, count] : tokens)
        most = std::max(most, count);
    const PretrainingEvaluation found = evaluate(PretrainedBert{bert}, examples);
    // The packed encoder adds up in another order: seen 2e-7.
    CHECK_THAT(found.mlm_loss, WithinAbs(counts.mean_mlm_loss(), by_precision(1e-6, 1e-13)));
    CHECK_THAT(found.nsp_loss, WithinAbs(counts.mean_nsp_loss(), by_precision(1e-6, 1e-13)));
    CHECK(found.perplexity == std::exp(found.mlm_loss));
    CHECK(found.examples == 27);
    CHECK(found.tokens == counts.tokens);
    CHECK(found.mlm_accuracy ==
          static_cast<double>(counts.mlm_right) / static_cast<double>(counts.tokens));
    CHECK(found.nsp_accuracy == static_cast<double>(counts.nsp_right) / 27.0);
    CHECK(found.majority_mlm == static_cast<double>(most) / static_cast<double>(counts.tokens));
    CHECK(found.majority_nsp ==
          static_cast<double>(std::max(random_next, 27 - random_next)) / 27.0);
}

TEST_CASE("evaluate: a model that knows nothing has ln V and ln 2", "[ch15]") {
    const auto folder = small_inputs("evaluation_uniform");
    Bert bert = some_bert();
    bert.model.embeddings.word_embeddings = Tensor(Shape{small_vocabulary_size, 16});
    bert.seq_relationship->weight = Tensor(Shape{2, 16});
    const PretrainingEvaluation found =
        evaluate(PretrainedBert{std::move(bert)}, reader_of(folder, "data"));
    CHECK_THAT(found.mlm_loss, WithinAbs(std::log(40.0), 1e-6));  // seen: 1e-7
    CHECK_THAT(found.nsp_loss, WithinAbs(std::log(2.0), 1e-6));
    CHECK_THAT(found.perplexity, WithinAbs(40.0, 1e-4));
}

TEST_CASE("evaluate: threads change nothing and dynamic masking chooses the same", "[ch15]") {
    const auto folder = small_inputs("evaluation_threads");
    const PretrainedBert model{some_bert()};
    for (const char* data : {"data", "dynamic"}) {
        const ExampleReader examples = reader_of(folder, data);
        const PretrainingEvaluation expected = evaluate(model, examples);
        CHECK(expected.tokens >= expected.examples);
        for (const int threads : {1, 2}) {
            const ThreadsGuard guard{threads};
            CHECK(evaluate(model, examples) == expected);
        }
    }
    std::size_t calls = 0;
    std::size_t last = 0;
    evaluate(model, reader_of(folder, "data"), [&](std::size_t done, std::size_t all) {
        ++calls;
        last = done;
        CHECK(all == 27);
    });
    CHECK(calls == 1);
    CHECK(last == 27);
}

TEST_CASE("evaluate: numbers that are not finite are refused", "[ch15]") {
    const auto folder = small_inputs("evaluation_nan");
    Bert bert = some_bert();
    bert.predictions->bias(7) = std::numeric_limits<Real>::quiet_NaN();
    CHECK_THROWS_AS(evaluate(PretrainedBert{bert}, reader_of(folder, "data")), NumericError);
}

TEST_CASE("ExampleReader: dynamic masking goes by seed and epoch and example alone", "[ch15]") {
    const auto folder = small_inputs("reader_dynamic");
    const ExampleReader examples = reader_of(folder, "dynamic");
    std::size_t other_epoch = 0;
    std::size_t other_seed = 0;
    const ExampleReader seeded = reader_of(folder, "dynamic", 2);
    for (std::size_t i = examples.size(); i-- > 0;) {
        const PretrainingExample example = examples.example(i, 5);
        CHECK_FALSE(example.positions.empty());
        CHECK(example == reader_of(folder, "dynamic").example(i, 5));
        CHECK(example.tokens == examples.data().example(i).tokens);
        other_epoch += example == examples.example(i, 6) ? 0 : 1;
        other_seed += example == seeded.example(i, 5) ? 0 : 1;
    }
    CHECK(other_epoch > 20);
    CHECK(other_seed > 20);
    const ExampleReader fixed = reader_of(folder, "data");
    CHECK(fixed.example(3, 1) == fixed.data().example(3));
}

TEST_CASE("ExampleReader: equal examples are masked at places of their own", "[ch15]") {
    const auto folder = small_inputs("reader_equal");
    Random random{6};
    write_data((folder / "equal").string(), std::vector(30, small_example(random, true)), 1, true);
    const ExampleReader examples = reader_of(folder, "equal");
    std::set<std::vector<std::uint32_t>> positions;
    for (std::size_t i = 0; i < examples.size(); ++i)
        positions.insert(examples.example(i).positions);
    CHECK(positions.size() > 3);
}

TEST_CASE("TrainingBatches: an epoch goes through every example once", "[ch15]") {
    const auto folder = small_inputs("batches_epoch");
    const ExampleReader examples = reader_of(folder, "data");
    const PretrainingOptions options{.batch_size = 8, .accumulate = 3};
    TrainingBatches batches{examples, 0, options};
    CHECK(batches.steps_per_epoch() == 4);
    for (const std::uint64_t first : {1U, 5U}) {
        std::vector<std::size_t> sizes;
        std::size_t tokens = 0;
        for (std::uint64_t step = first; step < first + 4; ++step) {
            const std::vector<PretrainingBatch> parts = batches.of_step(step);
            CHECK(parts.size() == 3);
            tokens += tokens_in(parts);
            for (const PretrainingBatch& part : parts)
                sizes.push_back(part.input.batch);
        }
        std::sort(sizes.begin(), sizes.end());
        CHECK(sizes == std::vector<std::size_t>{1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3});
        std::size_t all = 0;
        for (std::size_t i = 0; i < examples.size(); ++i)
            all += examples.length(i);
        CHECK(tokens == all);
    }
    CHECK(batches.of_step(3)[0].input.input_ids == batches.of_step(3)[0].input.input_ids);
    CHECK_THROWS_AS((TrainingBatches{examples, 0, {.batch_size = 28}}), FileError);
}

TEST_CASE("TrainingBatches: each epoch is masked anew", "[ch15]") {
    const auto folder = small_inputs("batches_dynamic");
    const ExampleReader examples = reader_of(folder, "dynamic");
    const PretrainingOptions options{.batch_size = 14, .seed = 4};  // two steps an epoch
    TrainingBatches batches{examples, 0, options};
    std::vector<std::size_t> lengths;
    for (std::size_t i = 0; i < examples.size(); ++i)
        lengths.push_back(examples.length(i));
    BatchOrder order{lengths, options.batch_size, options.seed};
    for (std::uint64_t step = 1; step <= 6; ++step) {
        std::vector<std::int64_t> labels;
        for (const std::size_t i : order.batch(step)) {
            const PretrainingExample example = examples.example(i, (step - 1) / 2);
            for (const std::uint32_t position : example.positions)
                labels.push_back(example.tokens[position]);
        }
        CHECK(batches.of_step(step)[0].labels == labels);
    }
}
