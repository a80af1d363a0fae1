#include "tests/support/check_tensor.hpp"

#include <unistd.h>

#include <cmath>
#include <iostream>
#include <limits>

#include "common/io/npz.hpp"
#include "tests/support/catch.hpp"

namespace bert::test {

double max_error(const Tensor& actual, const Tensor& expected) {
    if (actual.shape() != expected.shape()) return std::numeric_limits<double>::infinity();
    double largest = 0.0;
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const double error = std::abs(static_cast<double>(actual.data()[i]) -
                                      static_cast<double>(expected.data()[i]));
        if (std::isnan(error)) return std::numeric_limits<double>::infinity();
        largest = std::max(largest, error);
    }
    return largest;
}

void check_close(const std::string& what, const Tensor& actual, const Tensor& expected,
                 double tolerance) {
    const double error = max_error(actual, expected);
    std::cout << what << ": largest error " << error << " (tolerance " << tolerance << ")\n";
    INFO(what << ": actual " << to_string(actual.shape()) << ", expected "
              << to_string(expected.shape()));
    CHECK(error <= tolerance);
}

std::map<std::string, Tensor> golden(const std::string& name) {
    return read_tensors(std::string{BERT_SOURCE_DIR} + "/data/golden/" + name + ".npz");
}

std::filesystem::path scratch_folder(const std::string& name) {
    const auto folder = std::filesystem::path{BERT_BINARY_DIR} / "scratch" /
                        (name + "-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    return folder;
}

}  // namespace bert::test
