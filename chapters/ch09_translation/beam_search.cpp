#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "ch03_masks/masks.hpp"
#include "ch08_decoder/step.hpp"
#include "ch09_translation/decoding.hpp"
#include "common/autograd/tape.hpp"

namespace bert {

namespace {

// A sentence of the beam with one word more: sentence `row`, then `token`.
struct Candidate {
    std::size_t row;
    std::int64_t token;
    double log_probability;
};

void require_options(const BeamOptions& options) {
    if (options.beam_size == 0 || options.beam_size > most_beams) {
        throw std::invalid_argument{"beam_search: beam size (found " +
                                    std::to_string(options.beam_size) + ", expected 1 to " +
                                    std::to_string(most_beams) + ")"};
    }
    if (!(options.length_penalty >= 0.0 && std::isfinite(options.length_penalty))) {
        throw std::invalid_argument{"beam_search: length penalty (found " +
                                    std::to_string(options.length_penalty) +
                                    ", expected at least 0 and finite)"};
    }
}

// The most probable continuations of all sentences, best first; ties go to the earlier sentence,
// then to the smaller token.
std::vector<Candidate> best_candidates(const std::vector<Translation>& beam, const Tensor& log_p,
                                       std::size_t count) {
    std::vector<Candidate> all;
    for (std::size_t row = 0; row < beam.size(); ++row) {
        for (std::size_t v = 0; v < log_p.dim(1); ++v) {
            all.push_back({row, static_cast<std::int64_t>(v),
                           beam[row].log_probability + static_cast<double>(log_p(row, v))});
        }
    }
    count = std::min(count, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                      [](const Candidate& a, const Candidate& b) {
                          if (a.log_probability != b.log_probability)
                              return a.log_probability > b.log_probability;
                          return std::pair{a.row, a.token} < std::pair{b.row, b.token};
                      });
    all.resize(count);
    return all;
}

// The sentences that are followed, the rows of the beam before that they came from, and the last
// token of each.
struct Beam {
    std::vector<Translation> sentences;
    std::vector<std::size_t> rows;
    TokenIds last;
};

// One token more. At most `room` sentences go on; those that end among the best `size` are put
// aside.
Beam grow(const std::vector<Translation>& beam, const Tensor& log_p, std::size_t size,
          std::size_t room, std::vector<Translation>& ended) {
    Beam longer;
    std::size_t rank = 0;
    // [beam]
    // Twice the beam: every sentence of the beam may end, and as many must go on.
    for (const Candidate& c : best_candidates(beam, log_p, 2 * size)) {
        const bool among_best = rank++ < size;
        // EXERCISE BEGIN 09-beam-search
        // STEP next    the sentence of the beam, with the candidate's probability
        Translation next = beam[c.row];
        next.log_probability = c.log_probability;
        // STEP end     it has ended: put it aside, if it is among the best
        if (c.token == end_id) {
            next.ended = true;
            if (among_best) ended.push_back(std::move(next));
            // STEP go on   while there is room: with its token, row and last token
        } else if (longer.sentences.size() < room) {
            next.tokens.push_back(c.token);
            longer.sentences.push_back(std::move(next));
            longer.rows.push_back(c.row);
            longer.last.push_back(c.token);
        }
        // STUB: static_cast<void>(c.row + room + ended.size() + (among_best ? 1U : 0U));
        // EXERCISE END
    }
    // [beam]
    return longer;
}

// [score]
double score(const Translation& translation, double penalty) {
    // EXERCISE BEGIN 09-length-penalty
    // STEP length   words, and the end if it was said
    const std::size_t length = translation.tokens.size() + (translation.ended ? 1 : 0);
    // STEP score    log p over the penalty of that length
    return translation.log_probability / length_penalty(length, penalty);
    // STUB: static_cast<void>(penalty); return translation.log_probability;
    // EXERCISE END
}
// [score]

}  // namespace

double length_penalty(std::size_t length, double a) {
    return std::pow((5.0 + static_cast<double>(length)) / 6.0, a);
}

std::vector<Translation> beam_translations(const Transformer& model, const TokenIds& source,
                                           const BeamOptions& options) {
    require_options(options);
    require_max_tokens("beam_search", model, options.max_tokens);
    const NoGradient no_gradient;
    const TokenBatch batch = pad_sentences({source});
    DecoderCache cache =
        start_cache(model.decoder, model.encode(batch), padding_mask(batch.attention_mask));
    Beam beam{{Translation{}}, {}, {start_id}};
    std::vector<Translation> ended;
    for (std::size_t t = 0; t <= options.max_tokens; ++t) {
        const Tensor log_p = next_log_probabilities(model, beam.last, cache);
        const std::size_t room = t < options.max_tokens ? options.beam_size : 0;
        Beam next = grow(beam.sentences, log_p, options.beam_size, room, ended);
        if (ended.size() >= options.beam_size || next.sentences.empty()) break;
        reorder(cache, next.rows);
        beam = std::move(next);
    }
    std::vector<Translation> found = ended.empty() ? std::move(beam.sentences) : std::move(ended);
    std::stable_sort(found.begin(), found.end(), [&](const Translation& a, const Translation& b) {
        return score(a, options.length_penalty) > score(b, options.length_penalty);
    });
    return found;
}

Translation beam_search(const Transformer& model, const TokenIds& source,
                        const BeamOptions& options) {
    return beam_translations(model, source, options)[0];
}

}  // namespace bert
