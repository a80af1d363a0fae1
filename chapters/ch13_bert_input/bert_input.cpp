#include "ch13_bert_input/bert_input.hpp"

#include <stdexcept>
#include <string>

namespace bert {

BertInput input_of_ids(std::vector<std::int64_t> input_ids, std::size_t batch) {
    if (batch == 0 || input_ids.empty() || input_ids.size() % batch != 0) {
        throw ShapeError{"input_of_ids: " + std::to_string(input_ids.size()) +
                         " ids do not make B=" + std::to_string(batch) + " equal examples"};
    }
    const std::size_t length = input_ids.size() / batch;
    const std::vector<Real> tokens(input_ids.size(), Real{1});
    return {.batch = batch,
            .length = length,
            .input_ids = input_ids,
            .token_type_ids = std::vector<std::int64_t>(input_ids.size(), 0),
            .attention_mask = Tensor(Shape{batch, length}, tokens)};
}

void require_input(const BertInput& input) {
    const Shape shape{input.batch, input.length};
    const std::size_t places = element_count(shape);
    if (places == 0 || input.input_ids.size() != places || input.token_type_ids.size() != places ||
        input.attention_mask.shape() != shape) {
        throw ShapeError{
            "BertInput: B=" + std::to_string(input.batch) + " T=" + std::to_string(input.length) +
            " with " + std::to_string(input.input_ids.size()) + " input_ids, " +
            std::to_string(input.token_type_ids.size()) + " token_type_ids and attention_mask " +
            to_string(input.attention_mask.shape())};
    }
    for (const Real visible : input.attention_mask.values()) {
        if (visible != Real{0} && visible != Real{1})
            throw std::invalid_argument{"BertInput: attention_mask (found " +
                                        std::to_string(visible) + ", expected 0 or 1)"};
    }
}

}  // namespace bert
