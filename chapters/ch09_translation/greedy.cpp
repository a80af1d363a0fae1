#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>

#include "ch03_masks/masks.hpp"
#include "ch06_learning/cross_entropy.hpp"
#include "ch08_decoder/step.hpp"
#include "ch09_translation/decoding.hpp"
#include "common/autograd/tape.hpp"

namespace bert {

namespace {

std::vector<Translation> greedy_batch(const Transformer& model, const TokenBatch& source,
                                      std::size_t max_tokens) {
    DecoderCache cache =
        start_cache(model.decoder, model.encode(source), padding_mask(source.attention_mask));
    std::vector<Translation> found(source.size);
    TokenIds last(source.size, start_id);
    std::size_t open = source.size;
    // [greedy]
    for (std::size_t t = 0; t <= max_tokens && open > 0; ++t) {
        const Tensor log_p = next_log_probabilities(model, last, cache);  // (B, V)
        for (std::size_t b = 0; b < source.size; ++b) {
            if (found[b].ended) continue;
            // EXERCISE BEGIN 09-greedy
            // STEP best   the most probable token; it is what the decoder reads next
            const std::span<const Real> row = log_p.row(b);
            const auto best = std::max_element(row.begin(), row.end());
            last[b] = best - row.begin();
            // STEP say    add it, unless there is no room, and its log probability
            // STEP stop   at the end token; then one sentence fewer is open
            if (t == max_tokens && last[b] != end_id) continue;  // one word too many
            found[b].log_probability += static_cast<double>(*best);
            found[b].ended = last[b] == end_id;
            if (found[b].ended) --open;
            if (!found[b].ended) found[b].tokens.push_back(last[b]);
            // STUB:
            // EXERCISE END
        }
    }
    // [greedy]
    return found;
}

}  // namespace

void require_max_tokens(const char* function, const Transformer& model, std::size_t max_tokens) {
    const std::size_t most = model.positions.dim(0) - 1;  // the start token takes one
    if (max_tokens >= 1 && max_tokens <= most) return;
    throw std::invalid_argument{std::string{function} + ": tokens of a translation (found " +
                                std::to_string(max_tokens) + ", expected 1 to " +
                                std::to_string(most) + ")"};
}

Tensor next_log_probabilities(const Transformer& model, const TokenIds& last, DecoderCache& cache) {
    const NoGradient no_gradient;
    const Tensor x = model.embed_target(last, last.size(), cache.length, nullptr);  // (B, 1, D)
    const Tensor logits = model.generator.logits(step(model.decoder, x, cache));    // (B, 1, V)
    return log_softmax(logits.reshaped({last.size(), logits.dim(-1)}));
}

std::vector<Translation> greedy(const Transformer& model, const std::vector<TokenIds>& sources,
                                std::size_t max_tokens) {
    constexpr std::size_t most = 64;
    require_max_tokens("greedy", model, max_tokens);
    const NoGradient no_gradient;
    std::vector<Translation> result;
    for (std::size_t begin = 0; begin < sources.size(); begin += most) {
        const auto first = sources.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto count = static_cast<std::ptrdiff_t>(std::min(most, sources.size() - begin));
        const TokenBatch batch = pad_sentences({first, first + count});
        for (Translation& translation : greedy_batch(model, batch, max_tokens))
            result.push_back(std::move(translation));
    }
    return result;
}

}  // namespace bert
