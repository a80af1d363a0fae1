// A vector for each text: vectors FOLDER TEXT...
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "ch14_bert/bert.hpp"
#include "common/tensor/print.hpp"

int main(int argc, char** argv) try {
    if (argc < 3) throw std::invalid_argument{"usage: vectors FOLDER TEXT..."};
    // [vectors]
    const bert::PretrainedBert model = bert::PretrainedBert::load(argv[1]);
    std::vector<bert::TextPair> texts;
    for (int i = 2; i < argc; ++i)
        texts.push_back({argv[i]});
    const bert::BertInput input = model.encode_batch(texts);
    const bert::Tensor vectors = bert::text_vectors(model(input), input.attention_mask);
    std::fputs(bert::to_table(vectors).c_str(), stdout);
    // [vectors]
} catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
}
