// BLEU, the share of a translation's word groups that a reference has too (Papineni, Roukos, Ward
// and Zhu, BLEU: a Method for Automatic Evaluation of Machine Translation, 2002, sections 2.1 to
// 2.3), in the form of sacreBLEU (Post, A Call for Clarity in Reporting BLEU Scores, 2018).
//
//     BLEU = BP exp(1/4 sum over n = 1..4 of log p_n)        BP = exp(1 - r / c) if c < r, else 1
//
// p_n: matching groups of n words over all groups of n words, of the whole corpus. c, r: words of
// all candidates, of all references.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace bert {

struct Bleu {
    double score = 0;                       // 0 to 100
    std::array<double, 4> precisions = {};  // p_1 to p_4 in percent, smoothed
    double brevity_penalty = 0;             // BP
    std::size_t candidate_length = 0;       // c
    std::size_t reference_length = 0;       // r
};

/// Of one candidate and one reference a sentence, as words. A group counts as often as the
/// reference of its sentence has it, at most. The first order without a match counts as 1/2 match,
/// the second as 1/4, and so on (NIST's smoothing); without any match the score is 0, and so it is
/// when the corpus is too short to have groups of 4.
/// Throws std::invalid_argument for no sentences, or different numbers of them.
Bleu corpus_bleu(const std::vector<std::vector<std::string>>& candidates,
                 const std::vector<std::vector<std::string>>& references);

/// Words and signs of running text as the tokenizer "13a" of sacreBLEU has them: signs stand alone,
/// but a period or comma between digits. Throws std::invalid_argument for text that is not UTF-8.
std::vector<std::string> tokenize_13a(const std::string& text);

}  // namespace bert
