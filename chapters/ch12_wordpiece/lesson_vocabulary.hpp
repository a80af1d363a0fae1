// The vocabularies of the lesson.
#pragma once

#include "ch12_wordpiece/wordpiece_vocabulary.hpp"

namespace bert {

/// 228 tokens that show every case (data/vocab/mini.txt).
WordPieceVocabulary mini_vocabulary();

/// The published uncased English vocabulary as far as the lesson's words need it: its 30,522 ids,
/// with the tokens that a longest match over those words can meet. Each other token is a stand-in
/// that matches no text.
WordPieceVocabulary published_excerpt();

}  // namespace bert
