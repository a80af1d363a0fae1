// The loss of pre-training (Devlin et al. 2018, section A.2):
//
//     L = mean over chosen tokens of -log p(token)  +  mean over examples of -log p(label)
//
// with p of the masked language model head and of the next sentence head. Only chosen tokens pass
// the first head: the product with the vocabulary is computed for N rows instead of B T. A model
// that knows nothing, p = 1/V and 1/2, has the loss ln V + ln 2.
#pragma once

#include <cstddef>

#include "ch14_bert/bert_model.hpp"
#include "ch14_bert/pre_training_bert.hpp"
#include "ch15_pretraining/pretraining_batch.hpp"

namespace bert {

/// Sums over the chosen tokens (mlm) and the examples (nsp) of batches, and how many there were.
struct PretrainingCounts {
    double mlm_loss = 0.0;
    double nsp_loss = 0.0;
    std::size_t mlm_right = 0;  // tokens to which the head gives the largest logit
    std::size_t nsp_right = 0;
    std::size_t tokens = 0;  // chosen
    std::size_t examples = 0;

    PretrainingCounts& operator+=(const PretrainingCounts& other);
    double mean_mlm_loss() const;  // 0 where nothing was chosen
    double mean_nsp_loss() const;
    double mean_loss() const { return mean_mlm_loss() + mean_nsp_loss(); }
};

/// How much the two means of this batch count in the loss.
struct LossWeights {
    double mlm = 1.0;
    double nsp = 1.0;
};

struct PretrainingLoss {
    Tensor loss;               // one number: mlm weight x mlm mean + nsp weight x nsp mean
    PretrainingCounts counts;  // without the weights
};

/// Throws as the model does; std::logic_error when it lacks a head or the pooler.
PretrainingLoss pretraining_loss(const Bert& bert, const PretrainingBatch& batch,
                                 const BertPass& pass = {}, const LossWeights& weights = {});

/// The same for an output of the model that was computed elsewhere; of `bert` the heads are used.
PretrainingLoss loss_of_output(const Bert& bert, const BertOutput& output,
                               const PretrainingBatch& batch, const LossWeights& weights = {});

}  // namespace bert
