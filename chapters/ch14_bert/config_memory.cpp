#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "ch14_bert/config.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    return b != 0 && a > most / b ? most : a * b;
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
    return a > most - b ? most : a + b;
}

std::string in_gigabytes(double megabytes) {
    const std::string digits = std::to_string(static_cast<std::uint64_t>(megabytes) + 1'000'000);
    const std::size_t point = digits.size() - 3;
    const std::string whole = std::to_string(static_cast<std::uint64_t>(megabytes) / 1000);
    return whole + "." + digits.substr(point) + " GB";
}

}  // namespace

std::uint64_t weight_bytes(const BertConfig& config) {
    const std::uint64_t d = config.hidden_size;
    const std::uint64_t rows =
        sum(sum(config.vocab_size, config.max_position_embeddings), config.type_vocab_size);
    const std::uint64_t embeddings = product(rows, d);
    // A layer: four matrices (D, D), two of (D, F), and vectors. Pooler and heads: (D, D) twice.
    const std::uint64_t squares = product(product(4, d), d);
    const std::uint64_t inner = product(product(2, d), config.intermediate_size);
    const std::uint64_t vectors = sum(product(9, d), config.intermediate_size);
    const std::uint64_t layers =
        product(config.num_hidden_layers, sum(sum(squares, inner), vectors));
    const std::uint64_t heads = sum(product(product(2, d), d), config.vocab_size);
    return product(sum(sum(embeddings, layers), heads), sizeof(Real));
}

std::string too_large(const std::string& what, double needed, double limit) {
    return what + " " + in_gigabytes(std::ceil(needed / 1e6)) + " (limit " +
           in_gigabytes(std::floor(limit / 1e6)) + ")";
}

std::uint64_t memory_limit() {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long page = ::sysconf(_SC_PAGESIZE);
    std::uint64_t limit = most;
    if (pages > 0 && page > 0) {
        limit = product(static_cast<std::uint64_t>(pages), static_cast<std::uint64_t>(page));
    }
    struct rlimit own {};
    if (::getrlimit(RLIMIT_AS, &own) == 0 && own.rlim_cur != RLIM_INFINITY) {
        limit = std::min<std::uint64_t>(limit, own.rlim_cur);
    }
    return limit;
}

void require_memory(const BertConfig& config, std::uint64_t limit) {
    const std::uint64_t needed = weight_bytes(config);
    if (needed > limit) {
        throw std::length_error{too_large("the model's weights need", static_cast<double>(needed),
                                          static_cast<double>(limit))};
    }
}

}  // namespace bert
