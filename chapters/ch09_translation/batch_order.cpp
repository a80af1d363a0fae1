#include "ch09_translation/batch_order.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>

#include "common/random/random.hpp"

namespace bert {

namespace {

constexpr std::uint64_t first_epoch_stream = 16;  // earlier streams: weights and dropout
constexpr std::size_t batches_sorted_together = 16;

}  // namespace

BatchOrder::BatchOrder(std::vector<std::size_t> lengths, std::size_t batch_size, std::uint64_t seed)
    : lengths_(std::move(lengths)), batch_size_(batch_size), seed_(seed) {
    if (lengths_.empty()) throw std::invalid_argument{"BatchOrder: no pairs to order"};
    if (batch_size_ == 0) throw std::invalid_argument{"BatchOrder: batch size 0"};
}

std::uint64_t BatchOrder::batches_per_epoch() const {
    return 1 + (lengths_.size() - 1) / batch_size_;
}

std::vector<std::size_t> BatchOrder::batch(std::uint64_t step) {
    if (step == 0) throw std::invalid_argument{"BatchOrder: steps count from 1"};
    const std::uint64_t epoch = (step - 1) / batches_per_epoch();
    if (batches_.empty() || epoch != epoch_) order_epoch(epoch);
    return batches_[static_cast<std::size_t>((step - 1) % batches_per_epoch())];
}

void BatchOrder::order_epoch(std::uint64_t epoch) {
    // [order]
    std::vector<std::size_t> pairs(lengths_.size());
    std::iota(pairs.begin(), pairs.end(), std::size_t{0});
    Random random{seed_, first_epoch_stream + epoch};
    random.shuffle(std::span{pairs});
    // [order]
    std::vector<std::vector<std::size_t>> batches;
    const std::size_t pool = batches_sorted_together * std::min(batch_size_, pairs.size());
    for (std::size_t begin = 0; begin < pairs.size(); begin += pool) {
        const std::span part{&pairs[begin], std::min(pool, pairs.size() - begin)};
        std::stable_sort(part.begin(), part.end(), [this](std::size_t a, std::size_t b) {
            return lengths_[a] < lengths_[b];
        });
        for (std::size_t b = 0; b < part.size(); b += batch_size_) {
            const std::span one = part.subspan(b, std::min(batch_size_, part.size() - b));
            batches.emplace_back(one.begin(), one.end());
        }
    }
    random.shuffle(std::span{batches});
    batches_ = std::move(batches);
    epoch_ = epoch;
}

}  // namespace bert
