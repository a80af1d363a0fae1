// Ways to run a checkpoint wrong whose shapes all fit, to watch how far the output is off.
#pragma once

#include <string>
#include <vector>

#include "ch13_bert_input/bert_input.hpp"
#include "ch14_bert/pre_training_bert.hpp"

namespace bert {

struct MistakeEffect {
    std::string mistake;
    double change;  // largest |difference| of last_hidden_state where there is a token
};

/// Each mistake alone, on the same weights and input.
std::vector<MistakeEffect> effects_of_mistakes(const Bert& bert, const BertInput& input);

}  // namespace bert
