// One run of the packed encoder: its buffers, and what happens between two barriers.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "ch14_bert/packed_encoder.hpp"
#include "ch14_bert/packed_rows.hpp"
#include "common/tensor/first_error.hpp"

namespace bert {

class PackedEncoderRun {
  public:
    PackedEncoderRun(const std::vector<PackedEncoderLayer>& layers, std::size_t num_heads,
                     const Tensor& x, const Tensor& attention_mask, const EncoderWishes& wishes);
    /// Runs all layers.
    EncoderRun result();

  private:
    using Numbers = std::unique_ptr<Real[]>;  // not set to zero first: all are written

    /// What one thread needs for a block of rows.
    struct Scratch {
        Numbers scores;   // (rows, longest example)
        Numbers context;  // (rows, D)
        Numbers change;   // (rows, D)
        Numbers inner;    // (rows, F)
    };

    Scratch make_scratch() const;
    void project(std::size_t layer, const RowBlock& block);
    void do_block(std::size_t layer, const RowBlock& block, Scratch& scratch);
    void add_and_norm(const RowBlock& block, const Real* change, const LayerNorm& norm);
    /// The block's rows of this layer to where the results are wanted.
    void store(std::size_t layer, const RowBlock& block);
    Real* hidden(const RowBlock& block) { return hidden_.get() + block.begin * width_; }

    const std::vector<PackedEncoderLayer>& layers_;
    std::size_t num_heads_;
    std::size_t width_;   // D
    std::size_t length_;  // T
    PackedRows rows_;     // N of them
    std::vector<RowBlock> blocks_;
    Numbers hidden_;              // (N, D)
    Numbers query_key_value_[2];  // (N, 3 D) of this layer and of the next
    EncoderRun run_;
    // Where the threads write: taken once, before they part (Tensor::mutable_data).
    Real* result_ = nullptr;
    std::vector<Real*> states_;  // a layer each; empty: not wanted
    std::vector<Real*> maps_;
    FirstError error_;
};

}  // namespace bert
