#include "ch09_translation/batch_order.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

#include "common/random/random.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

namespace {

using Pairs = std::vector<std::size_t>;

Pairs some_lengths(std::size_t count) {
    Random random{4};
    Pairs lengths(count);
    std::generate(lengths.begin(), lengths.end(), [&] { return 3 + random.below(20); });
    return lengths;
}

// All pairs of an epoch in the order in which they are trained on.
Pairs epoch_of(BatchOrder& order, std::uint64_t epoch) {
    Pairs all;
    for (std::uint64_t b = 1; b <= order.batches_per_epoch(); ++b) {
        const Pairs batch = order.batch(epoch * order.batches_per_epoch() + b);
        all.insert(all.end(), batch.begin(), batch.end());
    }
    return all;
}

}  // namespace

TEST_CASE("BatchOrder: an epoch has every pair once", "[ch09]") {
    for (const std::size_t count : {1U, 2U, 7U, 64U, 65U, 1000U}) {
        for (const std::size_t size : {1U, 3U, 7U, 8U, 64U, 2000U}) {
            BatchOrder order{some_lengths(count), size, 9};
            INFO(count << " pairs in batches of " << size);
            CHECK(order.batches_per_epoch() == (count + size - 1) / size);
            for (const std::uint64_t epoch : {0U, 1U, 5U}) {
                Pairs all = epoch_of(order, epoch);
                std::sort(all.begin(), all.end());
                Pairs expected(count);
                std::iota(expected.begin(), expected.end(), std::size_t{0});
                CHECK(all == expected);
            }
        }
    }
}

TEST_CASE("BatchOrder: batches are full but for one of an epoch", "[ch09]") {
    BatchOrder order{some_lengths(1003), 8, 9};
    std::multiset<std::size_t> sizes;
    for (std::uint64_t step = 1; step <= order.batches_per_epoch(); ++step)
        sizes.insert(order.batch(step).size());
    CHECK(sizes.count(8) == 125);
    CHECK(sizes.count(3) == 1);
    CHECK(sizes.size() == 126);
}

TEST_CASE("BatchOrder: epochs and seeds have orders of their own", "[ch09]") {
    BatchOrder order{some_lengths(100), 8, 9};
    BatchOrder other{some_lengths(100), 8, 10};
    std::set<Pairs> orders;
    for (std::uint64_t epoch = 0; epoch < 10; ++epoch) {
        orders.insert(epoch_of(order, epoch));
        orders.insert(epoch_of(other, epoch));
    }
    CHECK(orders.size() == 20);
}

TEST_CASE("BatchOrder: a batch depends on seed and step alone", "[ch09]") {
    BatchOrder in_order{some_lengths(50), 8, 9};
    std::vector<Pairs> batches;
    for (std::uint64_t step = 1; step <= 40; ++step)
        batches.push_back(in_order.batch(step));
    BatchOrder backwards{some_lengths(50), 8, 9};
    for (std::uint64_t step = 40; step >= 1; --step)
        CHECK(backwards.batch(step) == batches[step - 1]);
    for (const std::uint64_t step : {17U, 1U, 17U, 40U, 2U}) {
        BatchOrder fresh{some_lengths(50), 8, 9};
        CHECK(fresh.batch(step) == batches[step - 1]);
        CHECK(backwards.batch(step) == batches[step - 1]);
    }
}

TEST_CASE("BatchOrder: a batch has pairs of like length", "[ch09]") {
    const Pairs lengths = some_lengths(512);
    BatchOrder order{lengths, 8, 9};
    std::size_t padded = 0;
    for (std::uint64_t step = 1; step <= order.batches_per_epoch(); ++step) {
        std::size_t longest = 0;
        for (const std::size_t i : order.batch(step))
            longest = std::max(longest, lengths[i]);
        padded += longest * 8;
    }
    const auto words = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
    // 16 batches of 8 over 20 lengths: about one length a batch. Unsorted it is 1.5.
    CHECK(static_cast<double>(padded) / static_cast<double>(words) < 1.1);  // seen: 1.04
}

TEST_CASE("BatchOrder: nothing to order and step 0 are refused", "[ch09]") {
    CHECK_THROWS_AS((BatchOrder{{}, 8, 9}), std::invalid_argument);
    CHECK_THROWS_AS((BatchOrder{{3}, 0, 9}), std::invalid_argument);
    BatchOrder order{{3, 4}, 2, 9};
    CHECK_THROWS_AS(order.batch(0), std::invalid_argument);
}

TEST_CASE("BatchOrder: the largest batch and the largest step are no trouble", "[ch09]") {
    constexpr auto most = std::numeric_limits<std::size_t>::max();
    BatchOrder order{{3, 4, 5}, most, 9};
    CHECK(order.batches_per_epoch() == 1);
    CHECK(order.batch(1).size() == 3);
    CHECK(order.batch(std::numeric_limits<std::uint64_t>::max()).size() == 3);
}

TEST_CASE("BatchOrder: long and short batches come mixed", "[ch09]") {
    std::vector<std::size_t> lengths(256);
    std::iota(lengths.begin(), lengths.end(), std::size_t{1});
    BatchOrder order{lengths, 16, 9};
    std::vector<std::size_t> first_of_batches;
    for (std::uint64_t step = 1; step <= 16; ++step)
        first_of_batches.push_back(lengths[order.batch(step)[0]]);
    CHECK_FALSE(std::is_sorted(first_of_batches.begin(), first_of_batches.end()));
}
