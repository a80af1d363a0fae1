// The merges that make a vocabulary: two neighbouring pieces become one.
//
//     likelihood gain of joining a and b:   n log(n N / (n_a n_b))
//
// n places where a stands before b, n_a and n_b places of a and of b, N of all pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ch12_wordpiece/wordpiece_vocabulary.hpp"

namespace bert {

/// How often each word of a corpus occurs: UTF-8, as the tokenizer splits text into words.
using WordCounts = std::map<std::string, std::uint64_t>;

/// Which pair is merged next: the one with the largest score.
enum class MergeScore {
    likelihood_gain,  // n log(n N / (n_a n_b)): WordPiece (Schuster and Nakajima 2012, section 3)
    ratio,            // n / (n_a n_b): the gain of one place without its logarithm
    count,            // n: what byte-pair encoding takes
};

/// Places in the corpus.
struct PairCounts {
    std::uint64_t pair = 0;   // n: left before right
    std::uint64_t left = 0;   // n_a
    std::uint64_t right = 0;  // n_b
    std::uint64_t total = 0;  // N
};

/// The same double on every machine. All counts are above 0 and at most 2^40.
double merge_score(MergeScore score, const PairCounts& counts);

/// log x for finite x > 0, to 4e-16 of it, of operations that IEEE 754 fixes to the bit.
double portable_log(double x);

struct Merge {
    std::string left;
    std::string right;  // starts with ##
    PairCounts counts;
    double score = 0;
};

/// "straw" and "##berry" give "strawberry"; "##ber" and "##ry" give "##berry".
std::string merged(std::string_view left, std::string_view right);

/// Of two pairs with the same score: whether the first one comes first. It does when the bytes of
/// its merged piece are smaller, or, for the same piece, when its left part is shorter.
bool first_of_equals(std::string_view left_1, std::string_view right_1, std::string_view left_2,
                     std::string_view right_2);

/// The characters of a word, as UTF-8. Throws std::invalid_argument unless it is well formed.
std::vector<std::string> characters_of(std::string_view word);

/// "sad" as "s" "##a" "##d". Throws as characters_of.
std::vector<std::string> first_pieces(std::string_view word);

/// Joins left and right wherever they are neighbours, from left to right: of a a a the first two.
void join(std::vector<std::string>& pieces, const std::string& left, const std::string& right,
          const std::string& joined);

}  // namespace bert
