#include "ch14_bert/guesses.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "ch02_scaled_dot_product/softmax.hpp"
#include "ch13_bert_input/batch.hpp"
#include "ch13_bert_input/encoding.hpp"
#include "common/tensor/gather.hpp"
#include "common/tensor/layout.hpp"

namespace bert {

std::vector<std::size_t> largest_entries(std::span<const Real> row, std::size_t k) {
    std::vector<std::size_t> numbers(row.size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    const std::size_t count = std::min(k, row.size());
    std::partial_sort(
        numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(count), numbers.end(),
        [&](std::size_t a, std::size_t b) { return row[a] != row[b] ? row[a] > row[b] : a < b; });
    numbers.resize(count);
    return numbers;
}

std::vector<std::vector<Guess>> fill_masks(const PretrainedBert& model, std::string_view text,
                                           std::size_t k) {
    const BertInput input = model.encode(text);
    std::vector<std::int64_t> places;
    for (std::size_t t = 0; t < input.length; ++t)
        if (input.input_ids[t] == model.tokenizer().special().mask)
            places.push_back(static_cast<std::int64_t>(t));
    if (places.empty()) return {};
    const Tensor hidden = model(input).last_hidden_state;  // (1, T, D)
    const Tensor rows = hidden.reshaped({input.length, hidden.dim(-1)});
    const Tensor probabilities =
        softmax(model.bert().prediction_logits(gather_rows(rows, places, {places.size()})));
    std::vector<std::vector<Guess>> guesses(places.size());
    for (std::size_t m = 0; m < places.size(); ++m) {
        for (const std::size_t id : largest_entries(probabilities.row(m), k))
            guesses[m].push_back(
                {static_cast<TokenId>(id), static_cast<double>(probabilities(m, id))});
    }
    return guesses;
}

double probability_of_next(const PretrainedBert& model, std::string_view first,
                           std::string_view second) {
    const Encoding encoding = encode(model.tokenizer(), first, second);
    const BertOutput output = model(make_batch({&encoding, 1}, model.tokenizer().special().pad));
    if (!output.pooler_output) throw std::logic_error{"probability_of_next: no pooler"};
    return static_cast<double>(
        softmax(model.bert().seq_relationship_logits(*output.pooler_output))(0, 0));
}

}  // namespace bert
