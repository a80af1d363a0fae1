// Decoding one position at a time, with the keys and values of earlier positions kept.
//
// Under the causal mask position t depends on positions 0 to t alone, so that what was computed for
// them stays right when a token is added. Of position t the later ones need its keys and values,
// layer by layer; those of the source never change. A step then costs one position instead of
// t + 1.
#pragma once

#include <cstddef>
#include <vector>

#include "ch08_decoder/decoder.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// Keys and values of one attention: both (B, H, positions, K).
struct KeysAndValues {
    Tensor keys;
    Tensor values;
};

struct DecoderLayerCache {
    KeysAndValues self;   // (B, H, t, K), t the number of steps done
    KeysAndValues cross;  // (B, H, S, K), computed once
};

struct DecoderCache {
    std::vector<DecoderLayerCache> layers;
    Tensor memory_mask;    // (B, 1, S)
    std::size_t length{};  // t: steps done
};

/// The cache before the first step: memory (B, S, D) is the encoder's output, memory_mask
/// (B, 1, S). Throws ShapeError for other shapes, std::invalid_argument for a decoder without
/// layers.
DecoderCache start_cache(const Decoder& decoder, const Tensor& memory, const Tensor& memory_mask);

/// x (B, 1, D), the next position, to its output (B, 1, D): to rounding the last position of what
/// the decoder gives for all positions so far under the causal mask. Appends to the cache; writes
/// nothing on the tape. Throws ShapeError when x or the cache is of another batch, width or
/// decoder, NumericError as the decoder does; then the cache is as it was.
Tensor step(const Decoder& decoder, const Tensor& x, DecoderCache& cache);

/// Puts example rows[i] in place i, as beam search needs: an example may be dropped, or go on in
/// several places, and the batch size becomes that of rows. Throws std::invalid_argument for no
/// rows, or a row that the cache does not have; then the cache is as it was.
void reorder(DecoderCache& cache, const std::vector<std::size_t>& rows);

}  // namespace bert
