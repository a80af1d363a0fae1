#include "ch15_pretraining/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "ch15_pretraining/pretraining_batch.hpp"
#include "ch15_pretraining/pretraining_loss.hpp"
#include "common/autograd/tape.hpp"

namespace bert {

namespace {

constexpr std::size_t most_positions = 4096;  // of a batch, padding included

double share(std::size_t count, std::size_t all) {
    return all == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(all);
}

std::size_t most_frequent(const std::vector<std::size_t>& counts) {
    return *std::max_element(counts.begin(), counts.end());
}

// Those of like length together, so that little of a batch is padding.
std::vector<std::size_t> order_by_length(const ExampleReader& examples) {
    std::vector<std::size_t> order(examples.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return examples.length(a) < examples.length(b);
    });
    return order;
}

PretrainingBatch next_batch(const ExampleReader& examples, const std::vector<std::size_t>& order,
                            std::size_t begin, TokenId pad_id) {
    std::vector<PretrainingExample> batch;
    for (std::size_t i = begin; i < order.size(); ++i) {
        if (i > begin && (batch.size() + 1) * examples.length(order[i]) > most_positions) break;
        batch.push_back(examples.example(order[i]));
    }
    return make_pretraining_batch(batch, pad_id);
}

// Finite, whatever the loss.
double perplexity_of(double loss) {
    return std::min(std::exp(loss), std::numeric_limits<double>::max());
}

void require_finite_losses(const PretrainingCounts& counts) {
    if (std::isfinite(counts.mlm_loss) && std::isfinite(counts.nsp_loss)) return;
    throw NumericError{"evaluate: a loss is not finite"};
}

}  // namespace

PretrainingEvaluation evaluate(const PretrainedBert& model, const ExampleReader& examples,
                               const EvaluationWatch& watch) {
    const NoGradient no_gradient;
    const std::vector<std::size_t> order = order_by_length(examples);
    std::vector<std::size_t> tokens(model.config().vocab_size, 0);
    std::vector<std::size_t> next_labels(2, 0);
    PretrainingCounts counts;
    while (counts.examples < order.size()) {
        const PretrainingBatch batch = next_batch(
            examples, order, counts.examples, static_cast<TokenId>(model.config().pad_token_id));
        for (const std::int64_t label : batch.labels)
            ++tokens.at(static_cast<std::size_t>(label));
        for (const std::int64_t label : batch.next_labels)
            ++next_labels.at(static_cast<std::size_t>(label));
        counts += loss_of_output(model.bert(), model(batch.input), batch).counts;
        require_finite_losses(counts);
        if (watch) watch(counts.examples, order.size());
    }
    return {.mlm_loss = counts.mean_mlm_loss(),
            .mlm_accuracy = share(counts.mlm_right, counts.tokens),
            .perplexity = perplexity_of(counts.mean_mlm_loss()),
            .nsp_loss = counts.mean_nsp_loss(),
            .nsp_accuracy = share(counts.nsp_right, counts.examples),
            .majority_mlm = share(most_frequent(tokens), counts.tokens),
            .majority_nsp = share(most_frequent(next_labels), counts.examples),
            .tokens = counts.tokens,
            .examples = counts.examples};
}

}  // namespace bert
