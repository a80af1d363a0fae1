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
    for (const PackedShare& share : layers.front().shares) {
        const auto numbers = [this](std::size_t width) {
            return std::make_unique_for_overwrite<Real[]>(rows_.count() * width);
        };
        query_key_value_.push_back(numbers(share.query_key_value.outputs()));
        changes_.push_back(numbers(width_));
    }
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
    std::size_t context = 0;
    std::size_t inner = 0;
    for (const PackedEncoderLayer& layer : layers_) {
        for (const PackedShare& share : layer.shares) {
            context = std::max(context, share.attention_output.inputs());
            inner = std::max(inner, share.inner.outputs());
        }
    }
    const auto numbers = [](std::size_t count, std::size_t width) {
        return std::make_unique_for_overwrite<Real[]>(count * width);
    };
    return {numbers(std::min(rows, queries_at_once), rows_.longest), numbers(rows, context),
            numbers(rows, inner)};
}

// Below this many multiplications a layer, one thread needs less time than waiting for the others.
bool PackedEncoderRun::worth_threads() const {
    std::size_t weights = 0;
    for (const PackedShare& share : layers_.front().shares)
        weights += (3 * share.attention_output.inputs() + share.inner.outputs()) * 2 * width_;
    return static_cast<double>(weights) * static_cast<double>(rows_.count()) > 2e6;
}

void PackedEncoderRun::project(const Job& job) {
    const PackedLinear& linear = job.weights.query_key_value;
    linear(hidden_.get() + job.begin * width_, job.rows(),
           query_key_value_[job.share].get() + job.begin * linear.outputs());
}

void PackedEncoderRun::attend(const Job& job, Real* maps, const Scratch& scratch) {
    const QueryKeyValue qkv{query_key_value_[job.share].get(),
                            job.weights.attention_output.inputs(), job.weights.num_heads};
    if (maps != nullptr) maps += job.weights.first_head * length_ * length_;
    attend_block(qkv, rows_, {job.begin, job.end}, scratch.scores.get(), scratch.context.get(),
                 {maps, num_heads_, length_});
    job.weights.attention_output(scratch.context.get(), job.rows(), changes(job));
}

void PackedEncoderRun::feed_forward(const Job& job, const Scratch& scratch) {
    job.weights.inner(hidden_.get() + job.begin * width_, job.rows(), scratch.inner.get());
    job.weights.outer(scratch.inner.get(), job.rows(), changes(job));
}

void PackedEncoderRun::add_and_norm(std::size_t r, const LayerNorm& norm) {
    Real* const change = changes_.front().get() + r * width_;
    for (std::size_t s = 1; s < changes_.size(); ++s)
        add(change, changes_[s].get() + r * width_, width_);
    if (!add_and_normalise(hidden_.get() + r * width_, change, norm)) {
        throw NumericError{"position " + std::to_string(rows_.places[r]) +
                           " of the batch holds NaN or an infinity"};
    }
}

void PackedEncoderRun::store(std::size_t layer, std::size_t r) {
    const auto copy_to = [&](Real* to) {
        std::copy_n(hidden_.get() + r * width_, width_, to + rows_.places[r] * width_);
    };
    if (!states_.empty()) copy_to(states_[layer]);
    if (layer + 1 == layers_.size()) copy_to(result_);
}

template <typename Work>
void PackedEncoderRun::for_each_job(std::size_t layer, const Work& work) {
    const std::vector<PackedShare>& shares = layers_[layer].shares;
#pragma omp for schedule(dynamic)
    for (std::size_t i = 0; i < shares.size() * blocks_.size(); ++i) {
        const std::size_t s = i / blocks_.size();  // threads read the same weights at one time
        const RowBlock& block = blocks_[i % blocks_.size()];
        error_.guard([&] {
            in_layer("encoder", layer, [&] { work(Job{shares[s], s, block.begin, block.end}); });
        });
    }
}

template <typename Work>
void PackedEncoderRun::for_each_row(std::size_t layer, const Work& work) {
#pragma omp for schedule(static)
    for (std::size_t r = 0; r < rows_.count(); ++r)
        error_.guard([&] { in_layer("encoder", layer, [&] { work(r); }); });
}

void PackedEncoderRun::all_layers() {
    Scratch scratch;
    error_.guard([&] { scratch = make_scratch(); });
    // [phases]
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        Real* const maps = maps_.empty() ? nullptr : maps_[l];
        for_each_job(l, [&](const Job& job) { project(job); });
        for_each_job(l, [&](const Job& job) { attend(job, maps, scratch); });
        for_each_row(l, [&](std::size_t r) { add_and_norm(r, layers_[l].attention_norm); });
        for_each_job(l, [&](const Job& job) { feed_forward(job, scratch); });
        for_each_row(l, [&](std::size_t r) {
            add_and_norm(r, layers_[l].feed_forward_norm);
            store(l, r);
        });
    }
    // [phases]
}

EncoderRun PackedEncoderRun::result() {
#pragma omp parallel if (worth_threads())
    {
        const int threads_outside = omp_get_max_threads();
        omp_set_num_threads(1);  // for this thread: the library must not start threads of its own
        all_layers();
        omp_set_num_threads(threads_outside);
    }
    error_.rethrow();
    return std::move(run_);
}

}  // namespace bert
