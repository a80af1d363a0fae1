// One run of the packed encoder: its buffers and its phases.
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

    /// What one thread needs for a share of a block of rows.
    struct Scratch {
        Numbers scores;   // (queries_at_once, longest example)
        Numbers context;  // (rows, Ds)
        Numbers inner;    // (rows, Fs)
    };

    /// A share of the weights on a block of the rows.
    struct Job {
        const PackedShare& weights;
        std::size_t share;
        std::size_t begin;
        std::size_t end;

        std::size_t rows() const { return end - begin; }
    };

    Scratch make_scratch() const;
    bool worth_threads() const;
    void all_layers();

    // A phase: all threads of a parallel region call it, and none leaves before the work is done.
    template <typename Work>
    void for_each_job(std::size_t layer, const Work& work);
    template <typename Work>
    void for_each_row(std::size_t layer, const Work& work);

    void project(const Job& job);
    void attend(const Job& job, Real* maps, const Scratch& scratch);
    void feed_forward(const Job& job, const Scratch& scratch);
    Real* changes(const Job& job) { return changes_[job.share].get() + job.begin * width_; }
    /// LayerNorm(row r + what the shares change in it).
    void add_and_norm(std::size_t r, const LayerNorm& norm);
    /// Row r of this layer to where the results are wanted.
    void store(std::size_t layer, std::size_t r);

    const std::vector<PackedEncoderLayer>& layers_;
    std::size_t num_heads_;
    std::size_t width_;   // D
    std::size_t length_;  // T
    PackedRows rows_;     // N of them
    std::vector<RowBlock> blocks_;
    Numbers hidden_;  // (N, D)
    // One for each share of a layer:
    std::vector<Numbers> query_key_value_;  // (N, 3 Ds)
    std::vector<Numbers> changes_;          // (N, D), to be added up
    EncoderRun run_;
    // Where the threads write: taken once, before they part (Tensor::mutable_data).
    Real* result_ = nullptr;
    std::vector<Real*> states_;  // a layer each; empty: not wanted
    std::vector<Real*> maps_;
    FirstError error_;
};

}  // namespace bert
