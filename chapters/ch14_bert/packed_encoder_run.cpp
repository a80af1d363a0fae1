#include "ch14_bert/packed_encoder_run.hpp"

#include <omp.h>

#include <algorithm>
#include <string>

#include "ch07_encoder/in_layer.hpp"
#include "ch14_bert/packed_attention.hpp"
#include "ch14_bert/row_functions.hpp"

namespace bert {

PackedEncoderRun::PackedEncoderRun(const std::vector<PackedEncoderLayer>& layers,
                                   std::size_t num_heads, const Tensor& x,
                                   const Tensor& attention_mask, const EncoderWishes& wishes)
    : layers_(layers),
      num_heads_(num_heads),
      width_(x.dim(2)),
      length_(x.dim(1)),
      rows_(packed_rows(attention_mask, wishes.padding)),
      blocks_(row_blocks(rows_.count())),
      hidden_(std::make_unique_for_overwrite<Real[]>(rows_.count() * width_)) {
    for (Numbers& buffer : query_key_value_)
        buffer = std::make_unique_for_overwrite<Real[]>(rows_.count() * 3 * width_);
    for (std::size_t r = 0; r < rows_.count(); ++r)
        std::copy_n(x.data() + rows_.places[r] * width_, width_, hidden_.get() + r * width_);
    run_.hidden = Tensor(x.shape());
    result_ = run_.hidden.mutable_data();
    const auto add_tensor = [](std::vector<Tensor>& tensors, std::vector<Real*>& places,
                               const Shape& shape) {
        tensors.emplace_back(shape);
        places.push_back(tensors.back().mutable_data());
    };
    for (std::size_t l = 0; l < layers.size(); ++l) {
        if (wishes.hidden_states) add_tensor(run_.hidden_states, states_, x.shape());
        if (wishes.attentions)
            add_tensor(run_.attentions, maps_, {x.dim(0), num_heads, length_, length_});
    }
}

PackedEncoderRun::Scratch PackedEncoderRun::make_scratch() const {
    std::size_t rows = 0;
    for (const RowBlock& block : blocks_)
        rows = std::max(rows, block.end - block.begin);
    std::size_t inner = 0;
    for (const PackedEncoderLayer& layer : layers_)
        inner = std::max(inner, layer.inner.outputs());
    const auto numbers = [rows](std::size_t width) {
        return std::make_unique_for_overwrite<Real[]>(rows * width);
    };
    return {numbers(rows_.longest), numbers(width_), numbers(width_), numbers(inner)};
}

// Query, key and value of a block for a layer.
void PackedEncoderRun::project(std::size_t layer, const RowBlock& block) {
    Real* const to = query_key_value_[layer % 2].get() + block.begin * 3 * width_;
    layers_[layer].query_key_value(hidden(block), block.end - block.begin, to);
}

void PackedEncoderRun::add_and_norm(const RowBlock& block, const Real* change,
                                    const LayerNorm& norm) {
    for (std::size_t r = block.begin; r < block.end; ++r) {
        Real* const row = hidden_.get() + r * width_;
        if (!add_and_normalise(row, change + (r - block.begin) * width_, norm)) {
            throw NumericError{"position " + std::to_string(rows_.places[r]) +
                               " of the batch holds NaN or an infinity"};
        }
    }
}

// [block]
void PackedEncoderRun::do_block(std::size_t layer, const RowBlock& block, Scratch& scratch) {
    const PackedEncoderLayer& weights = layers_[layer];
    const std::size_t rows = block.end - block.begin;
    const QueryKeyValue qkv{query_key_value_[layer % 2].get(), width_, num_heads_};
    Real* const maps = maps_.empty() ? nullptr : maps_[layer];
    attend_block(qkv, rows_, block, scratch.scores.get(), scratch.context.get(), maps, length_);
    weights.attention_output(scratch.context.get(), rows, scratch.change.get());
    add_and_norm(block, scratch.change.get(), weights.attention_norm);
    weights.inner(hidden(block), rows, scratch.inner.get());
    weights.outer(scratch.inner.get(), rows, scratch.change.get());
    add_and_norm(block, scratch.change.get(), weights.feed_forward_norm);
    if (layer + 1 < layers_.size()) project(layer + 1, block);
}
// [block]

void PackedEncoderRun::store(std::size_t layer, const RowBlock& block) {
    const auto scatter = [&](Real* to) {
        for (std::size_t r = block.begin; r < block.end; ++r)
            std::copy_n(hidden_.get() + r * width_, width_, to + rows_.places[r] * width_);
    };
    if (!states_.empty()) scatter(states_[layer]);
    if (layer + 1 == layers_.size()) scatter(result_);
}

EncoderRun PackedEncoderRun::result() {
    const std::size_t blocks = blocks_.size();
#pragma omp parallel if (blocks > 1)
    {
        const int threads_outside = omp_get_max_threads();
        omp_set_num_threads(1);  // for this thread: the library must not start threads of its own
        Scratch scratch;
        error_.guard([&] { scratch = make_scratch(); });
#pragma omp for schedule(dynamic)
        for (std::size_t i = 0; i < blocks; ++i)
            error_.guard([&] { project(0, blocks_[i]); });
        for (std::size_t l = 0; l < layers_.size(); ++l) {
#pragma omp for schedule(dynamic)
            for (std::size_t i = 0; i < blocks; ++i)
                error_.guard([&] {
                    in_layer("encoder", l, [&] { do_block(l, blocks_[i], scratch); });
                    store(l, blocks_[i]);
                });
        }
        omp_set_num_threads(threads_outside);
    }
    error_.rethrow();
    return std::move(run_);
}

}  // namespace bert
