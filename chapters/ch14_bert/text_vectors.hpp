// One vector for each text of a batch, to compare texts by (Reimers and Gurevych 2019, section 3).
#pragma once

#include "ch14_bert/bert_model.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

enum class Pooling {
    mean,    // of the last hidden states of all tokens, [CLS] and [SEP] too, without padding
    cls,     // the last hidden state of the first token
    pooler,  // the pooler's output
};

/// The vectors (B, D) of a model's output for an input with this attention_mask (B, T). Of an
/// example that is all padding the mean is zeros. Throws ShapeError where output and mask do not
/// fit; std::invalid_argument for Pooling::pooler and a model without one.
Tensor text_vectors(const BertOutput& output, const Tensor& attention_mask,
                    Pooling pooling = Pooling::mean);

/// Each row divided by its length, so that products of rows are cosines; one of zeros stays.
Tensor unit_rows(const Tensor& x);

}  // namespace bert
