#include "ch13_bert_input/embeddings.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "common/tensor/elementwise.hpp"
#include "common/tensor/gather.hpp"

namespace bert {

namespace {

void require_tables(const BertEmbeddings& layer) {
    const Tensor& word = layer.word_embeddings;
    const Tensor& position = layer.positions.table;
    const Tensor& type = layer.token_type_embeddings;
    const bool matrices = word.rank() == 2 && position.rank() == 2 && type.rank() == 2;
    if (matrices && word.dim(1) == position.dim(1) && word.dim(1) == type.dim(1)) return;
    throw ShapeError{"BertEmbeddings: word_embeddings " + with_letters(word.shape(), "VD") +
                     ", position_embeddings " + with_letters(position.shape(), "PD") +
                     " and token_type_embeddings " + with_letters(type.shape(), "GD") +
                     " are not three tables of one width"};
}

// ids (B, T), each the number of one of `rows` rows.
void require_rows(const std::string& name, const std::vector<std::int64_t>& ids, std::size_t length,
                  std::size_t rows) {
    const auto wrong = std::find_if(ids.begin(), ids.end(), [rows](std::int64_t id) {
        return static_cast<std::uint64_t>(id) >= rows;  // below 0: huge
    });
    if (wrong == ids.end()) return;
    const auto place = static_cast<std::size_t>(wrong - ids.begin());
    throw std::invalid_argument{
        "BertEmbeddings: " + name + " of example " + std::to_string(place / length) +
        ", position " + std::to_string(place % length) + " (found " + std::to_string(*wrong) +
        ", expected one of [0, " + std::to_string(rows) + "))"};
}

}  // namespace

void BertEmbeddings::require_fit(const BertInput& input) const {
    require_input(input);
    require_tables(*this);
    const std::size_t most = positions.table.dim(0);
    if (input.length > most)
        throw ShapeError{"BertEmbeddings: an input of " + std::to_string(input.length) +
                         " tokens, special ones included, is longer than the " +
                         std::to_string(most) + " positions of the model"};
    require_rows("input_ids", input.input_ids, input.length, word_embeddings.dim(0));
    require_rows("token_type_ids", input.token_type_ids, input.length,
                 token_type_embeddings.dim(0));
}

// [embeddings]
Tensor BertEmbeddings::operator()(const BertInput& input, Dropout* dropout) const {
    require_fit(input);
    const Shape places{input.batch, input.length};
    Tensor sum = gather_rows(word_embeddings, input.input_ids, places);  // (B, T, D)
    // EXERCISE BEGIN 13-three-embeddings
    // STEP type       of the text that each token is in
    sum = sum + gather_rows(token_type_embeddings, input.token_type_ids, places);
    // STEP position   t of each token, the same for every example
    sum = positions(sum);
    // STEP norm       each row by its own mean and deviation
    sum = norm(sum);
    // STUB:
    // EXERCISE END
    return dropout == nullptr ? sum : (*dropout)(sum);
}
// [embeddings]

}  // namespace bert
