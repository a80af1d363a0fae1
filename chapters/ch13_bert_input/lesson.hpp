// The vocabulary and the tables of the lesson, small enough to be read.
#pragma once

#include "ch12_wordpiece/tokenizer.hpp"
#include "ch13_bert_input/embeddings.hpp"

namespace bert {

/// Some words, and each letter from a to z, so that every word of these letters has pieces.
Tokenizer lesson_tokenizer();

/// Tables of whole numbers: a row of 4 for each token, for 16 positions and for 2 token types.
/// LayerNorm has weight 1, bias 0 and epsilon 1e-12.
BertEmbeddings lesson_embeddings();

}  // namespace bert
