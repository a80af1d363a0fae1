#include "tools/bert/finite_tensors.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "ch14_bert/checkpoint_tensors.hpp"
#include "common/tensor/tensor.hpp"
#include "tools/bert/model.hpp"

namespace bert {

namespace {

std::uint64_t count_not_finite(const Tensor& x) {
    const auto size = static_cast<std::int64_t>(x.size());
    const Real* numbers = x.data();
    std::int64_t count = 0;
#pragma omp parallel for reduction(+ : count) if (size > 65536)
    for (std::int64_t i = 0; i < size; ++i)
        count += std::isfinite(numbers[i]) ? 0 : 1;
    return static_cast<std::uint64_t>(count);
}

}  // namespace

void require_finite_tensors(const CheckpointFiles& files) {
    std::string first;
    std::size_t tensors = 0;
    for (const auto& [name, tensor] : files.tensors()) {
        if (!is_float(tensor.entry->type)) continue;
        const std::uint64_t count = count_not_finite(tensor.tensor());
        if (count == 0) continue;
        if (++tensors > 1) continue;
        first = fmt::format("{}: tensor {}: {} of {} numbers are NaN or infinite",
                            tensor.file->path(), name, count, element_count(tensor.entry->shape));
    }
    files.require_intact();
    if (tensors == 0) return;
    throw NumericError{first + fmt::format(" ({} tensor{} such numbers)", tensors,
                                           tensors == 1 ? " has" : "s have")};
}

std::function<void(const Invocation&)> naming_tensors(
    std::function<void(const Invocation&)> command) {
    return [command = std::move(command)](const Invocation& invocation) {
        try {
            command(invocation);
        } catch (const NumericError& e) {
            require_finite_tensors(CheckpointFiles{model_folder(invocation)});
            if (!invocation.model) throw;
            throw NumericError{*invocation.model + ": " + e.what()};
        }
    };
}

}  // namespace bert
