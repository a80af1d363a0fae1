#include "ch15_pretraining/pretraining_loss.hpp"

#include <algorithm>
#include <stdexcept>

#include "ch06_learning/cross_entropy.hpp"
#include "common/tensor/elementwise.hpp"
#include "common/tensor/gather.hpp"
#include "common/tensor/layout.hpp"

namespace bert {

namespace {

std::size_t count_right(const Tensor& logits, const std::vector<std::int64_t>& labels) {
    std::size_t right = 0;
    for (std::size_t r = 0; r < labels.size(); ++r) {
        const auto row = logits.row(r);
        const auto best = std::max_element(row.begin(), row.end()) - row.begin();
        right += best == labels[r] ? 1 : 0;
    }
    return right;
}

double mean(double sum, std::size_t count) {
    return count == 0 ? 0.0 : sum / static_cast<double>(count);
}

double number(const Tensor& x) {
    return static_cast<double>(*x.data());
}

}  // namespace

PretrainingCounts& PretrainingCounts::operator+=(const PretrainingCounts& other) {
    mlm_loss += other.mlm_loss;
    nsp_loss += other.nsp_loss;
    mlm_right += other.mlm_right;
    nsp_right += other.nsp_right;
    tokens += other.tokens;
    examples += other.examples;
    return *this;
}

double PretrainingCounts::mean_mlm_loss() const {
    return mean(mlm_loss, tokens);
}

double PretrainingCounts::mean_nsp_loss() const {
    return mean(nsp_loss, examples);
}

// [loss]
PretrainingLoss loss_of_output(const Bert& bert, const BertOutput& output,
                               const PretrainingBatch& batch, const LossWeights& weights) {
    if (!output.pooler_output) throw std::logic_error{"loss_of_output: no pooler"};
    const std::size_t width = output.last_hidden_state.dim(-1);
    const Tensor rows =
        reshape(output.last_hidden_state, {batch.input.batch * batch.input.length, width});
    const Tensor chosen = gather_rows(rows, batch.places, {batch.places.size()});    // (N, D)
    const Tensor token_logits = bert.prediction_logits(chosen);                      // (N, V)
    const Tensor next_logits = bert.seq_relationship_logits(*output.pooler_output);  // (B, 2)
    const Tensor mlm = cross_entropy(token_logits, batch.labels);
    const Tensor nsp = cross_entropy(next_logits, batch.next_labels);
    const Tensor loss = mlm * static_cast<Real>(weights.mlm) + nsp * static_cast<Real>(weights.nsp);
    // [loss]
    return {loss,
            {.mlm_loss = number(mlm) * static_cast<double>(batch.labels.size()),
             .nsp_loss = number(nsp) * static_cast<double>(batch.next_labels.size()),
             .mlm_right = count_right(token_logits, batch.labels),
             .nsp_right = count_right(next_logits, batch.next_labels),
             .tokens = batch.labels.size(),
             .examples = batch.next_labels.size()}};
}

PretrainingLoss pretraining_loss(const Bert& bert, const PretrainingBatch& batch,
                                 const BertPass& pass, const LossWeights& weights) {
    return loss_of_output(bert, bert.model(batch.input, pass), batch, weights);
}

}  // namespace bert
