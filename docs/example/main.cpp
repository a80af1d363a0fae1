// [program]
#include <cstdio>

#include "ch14_bert/bert.hpp"
#include "common/tensor/print.hpp"

int main(int argc, char** argv) {
    if (argc != 3) return 2;  // the folder of a checkpoint, and a text
    const bert::PretrainedBert model = bert::PretrainedBert::load(argv[1]);
    const bert::BertOutput output = model(model.encode(argv[2]));
    std::fputs(bert::to_table(output.last_hidden_state).c_str(), stdout);
}
// [program]
