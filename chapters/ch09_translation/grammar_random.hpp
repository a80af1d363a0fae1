// Sentences at random.
#pragma once

#include "ch09_translation/grammar_clause.hpp"
#include "common/random/random.hpp"

namespace bert {

/// A clause whose words go together: books are read, cakes are eaten, "my brother" but "a boy".
Clause random_clause(Random& random);

}  // namespace bert
