// [program]
#include <cstdio>
#include <stdexcept>

#include "ch14_bert/bert.hpp"
#include "common/tensor/print.hpp"

int main(int argc, char** argv) try {
    if (argc != 3) throw std::invalid_argument{"usage: example FOLDER TEXT"};
    const bert::PretrainedBert model = bert::PretrainedBert::load(argv[1]);
    const bert::BertOutput output = model(model.encode(argv[2]));
    std::fputs(bert::to_table(output.last_hidden_state).c_str(), stdout);
} catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
}
// [program]
