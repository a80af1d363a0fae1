#include "common/attention_map/attention_dump.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "common/attention_map/dump_check.hpp"

namespace bert {

const std::vector<std::vector<std::string>>& source_tokens_of(const AttentionDump& dump) {
    return dump.source_tokens.empty() ? dump.tokens : dump.source_tokens;
}

void validate(const AttentionDump& dump) {
    const std::optional<DumpFault> fault = find_fault(dump, sum_tolerance_f4);
    if (!fault) return;
    const std::string message =
        fmt::format("attention dump: {}: {} (found {}, expected {})", fault->where, fault->what,
                    fault->found, fault->expected);
    switch (fault->kind) {
        case DumpFault::Kind::shape:
            throw ShapeError{message};
        case DumpFault::Kind::number:
            throw NumericError{message};
        case DumpFault::Kind::argument:
            break;
    }
    throw std::invalid_argument{message};
}

Heatmap attention_heatmap(const AttentionDump& dump, std::size_t layer, std::size_t sequence,
                          std::size_t head) {
    validate(dump);
    const Shape& shape = dump.attentions.shape();
    if (layer >= shape[0] || sequence >= shape[1] || head >= shape[2]) {
        throw ShapeError{fmt::format("attention_heatmap: no layer {}, sequence {}, head {} in {}",
                                     layer, sequence, head, with_letters(shape, "LBHTS"))};
    }
    Heatmap heatmap;
    const std::size_t size = shape[3] * shape[4];
    const Real* first =
        dump.attentions.data() + ((layer * shape[1] + sequence) * shape[2] + head) * size;
    heatmap.values = Tensor(Shape{shape[3], shape[4]}, std::vector<Real>(first, first + size));
    const auto greatest = static_cast<double>(*std::max_element(first, first + size));
    heatmap.range = std::pair{0.0, greatest > 0.0 ? greatest : 1.0};
    heatmap.row_names = dump.tokens[sequence];
    heatmap.column_names = source_tokens_of(dump)[sequence];
    heatmap.title = fmt::format("{}{}layer {}, head {}", dump.title, dump.title.empty() ? "" : ": ",
                                dump.layers[layer], dump.heads[head]);
    heatmap.row_title = "query";
    heatmap.column_title = "key";
    return heatmap;
}

}  // namespace bert
