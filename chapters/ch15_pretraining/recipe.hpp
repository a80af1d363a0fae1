// How a small BERT is made from the text of novels.
//
// Five novels are learned from, one chapter of twenty is looked at on the way (validation), and a
// sixth novel is held out: neither the vocabulary nor the weights have seen it.
#pragma once

#include <string>
#include <vector>

#include "ch14_bert/config.hpp"
#include "ch15_pretraining/pretraining_step.hpp"

namespace bert {

/// Chapters of sentences.
using Documents = std::vector<std::vector<std::string>>;

struct RecipeCorpus {
    Documents train;
    Documents validation;
};

/// Of the five novels. Throws IoError when data/corpora/ is not there.
RecipeCorpus recipe_corpus();
/// The chapters of the sixth, "Persuasion".
Documents held_out_documents();

BertConfig recipe_config();
PretrainingOptions recipe_options();

/// Does everything in a folder: corpus and vocabulary, data, the training, and in FOLDER/halves
/// the model with its weights in halves. An interrupted training goes on
/// where it was; the result is the same. Throws as run_pretraining().
void run_recipe(const std::string& folder);

}  // namespace bert
