#include "ch13_bert_input/lesson.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "common/random/random.hpp"

namespace bert {

namespace {

constexpr std::size_t width = 4;

std::vector<std::string> lesson_tokens() {
    std::vector<std::string> tokens{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "i",
                                    "like",  "dogs",  "cats",  "and",   "my",     "dog",
                                    "is",    "cute",  "he",    "likes", "play",   "##ing"};
    for (char letter = 'a'; letter <= 'z'; ++letter) {
        if (letter != 'i') tokens.push_back(std::string{letter});
        tokens.push_back(std::string{"##"} + letter);
    }
    return tokens;
}

// Whole numbers from -2 to 2.
Tensor small_table(Random& random, std::size_t rows) {
    Tensor table(Shape{rows, width});
    Real* const numbers = table.mutable_data();
    for (std::size_t i = 0; i < table.size(); ++i)
        numbers[i] = static_cast<Real>(random.below(5)) - Real{2};
    return table;
}

void set_row(Tensor& table, std::size_t row, std::initializer_list<Real> numbers) {
    std::copy(numbers.begin(), numbers.end(), table.mutable_row(row).begin());
}

}  // namespace

Tokenizer lesson_tokenizer() {
    return Tokenizer{WordPieceVocabulary{lesson_tokens()}};
}

BertEmbeddings lesson_embeddings() {
    Random random{130};
    BertEmbeddings layer;
    layer.word_embeddings = small_table(random, lesson_tokens().size());
    layer.positions.table = small_table(random, 16);
    layer.token_type_embeddings = Tensor{{0, 0, 0, 1}, {1, 0, 0, -1}};
    layer.norm = unit_layer_norm(width);
    layer.norm.epsilon = 1e-12;
    // The two rows of "By hand".
    set_row(layer.word_embeddings, 6, {0, 1, 1, 4});  // like
    set_row(layer.positions.table, 2, {-1, 0, 0, 2});
    set_row(layer.positions.table, 6, {-1, -1, 1, -1});
    return layer;
}

}  // namespace bert
