// From a trained model to a sentence: the most probable word at each step (greedy), or the best of
// several sentences followed side by side (beam search).
#pragma once

#include <cstddef>
#include <vector>

#include "ch08_decoder/step.hpp"
#include "ch09_translation/token_batch.hpp"
#include "ch09_translation/transformer.hpp"

namespace bert {

/// A translation and how probable the model finds it.
struct Translation {
    TokenIds tokens;               // without start and end
    double log_probability = 0.0;  // sum over tokens and, if it ended, the end
    bool ended = false;            // false: cut off at the largest length
};

/// The translations of all sources (each with its end_id), in batches of at most 64 that are
/// computed together with a key-value cache. Stops a sentence at its end token, or when it has
/// max_tokens words. Throws ShapeError for a source without tokens or longer than the model's
/// max_length, std::invalid_argument for max_tokens of 0 or not below the model's max_length.
std::vector<Translation> greedy(const Transformer& model, const std::vector<TokenIds>& sources,
                                std::size_t max_tokens);

constexpr std::size_t most_beams = 1000;

struct BeamOptions {
    std::size_t beam_size = 4;
    std::size_t max_tokens = 32;
    /// a in score = log_probability / ((5 + length) / 6)^a (Wu et al. 2016, equation 14), length
    /// counting the end. 0: the shorter of two equally fluent sentences wins, as it has fewer
    /// factors below 1.
    double length_penalty = 0.6;
};

/// Every sentence that ended within the beam, the best score first; none of them has ended when
/// max_tokens cut all of them off. Throws as greedy does, and std::invalid_argument for a beam of 0
/// or a penalty that is negative or not finite.
std::vector<Translation> beam_translations(const Transformer& model, const TokenIds& source,
                                           const BeamOptions& options = {});

/// The first of them.
Translation beam_search(const Transformer& model, const TokenIds& source,
                        const BeamOptions& options = {});

/// ((5 + length) / 6)^a
double length_penalty(std::size_t length, double a);

/// Throws std::invalid_argument unless a translation of max_tokens fits the model.
void require_max_tokens(const char* function, const Transformer& model, std::size_t max_tokens);

/// log p of what follows, for each of the sentences that the cache holds: (B, V). `last` are their
/// last tokens. Moves the cache on by one position.
Tensor next_log_probabilities(const Transformer& model, const TokenIds& last, DecoderCache& cache);

}  // namespace bert
