"""The Transformer decoder, with gradients, from PyTorch in double precision (chapter 8)."""
import numpy
import torch

from encoder import draw, parameters, with_prefix
from golden import random_arrays, save

SCRIPT = "decoder.py"
BATCH, TARGETS, SOURCES, WIDTH, HEADS, INNER, LAYERS = 3, 5, 7, 24, 3, 40, 2
PADDING = [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0]]
MEMORY_PADDING = [[1, 1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0, 0]]

ATTENTIONS = {"self_attention": "self_attn", "cross_attention": "multihead_attn"}
PARTS = {"self_attention_norm": "norm1", "cross_attention_norm": "norm2",
         "feed_forward.inner": "linear1", "feed_forward.outer": "linear2",
         "feed_forward_norm": "norm3"}


def decoder_of(seed, norm_first, activation):
    layer = torch.nn.TransformerDecoderLayer(WIDTH, HEADS, INNER, dropout=0.0, batch_first=True,
                                             activation=activation, norm_first=norm_first,
                                             dtype=torch.float64)
    final_norm = torch.nn.LayerNorm(WIDTH, dtype=torch.float64) if norm_first else None
    decoder = torch.nn.TransformerDecoder(layer, LAYERS, norm=final_norm)
    draw(seed, decoder)
    return decoder.train()


def decoder_cases(seed):
    arrays = random_arrays(seed, x=(BATCH, TARGETS, WIDTH), memory=(BATCH, SOURCES, WIDTH),
                           loss_weights=(BATCH, TARGETS, WIDTH))
    arrays["attention_mask"] = numpy.array(PADDING, dtype=float)
    arrays["memory_attention_mask"] = numpy.array(MEMORY_PADDING, dtype=float)
    future = torch.triu(torch.ones(TARGETS, TARGETS, dtype=torch.bool), 1)
    for order, norm_first in {"post": False, "pre": True}.items():
        for activation in ["gelu", "relu"]:
            decoder = decoder_of(seed + 1, norm_first, activation)
            x = torch.from_numpy(arrays["x"]).requires_grad_()
            memory = torch.from_numpy(arrays["memory"]).requires_grad_()
            output = decoder(x, memory, tgt_mask=future,
                             tgt_key_padding_mask=torch.tensor(PADDING) == 0,
                             memory_key_padding_mask=torch.tensor(MEMORY_PADDING) == 0)
            arrays[f"{order}_{activation}_output"] = output.detach()
            arrays[f"{order}_{activation}_causal_output"] = decoder(x, memory,
                                                                    tgt_mask=future).detach()
    # The last one, pre and relu, has the parameters of all.
    arrays.update(parameters(decoder, ATTENTIONS, PARTS, lambda p: p))
    (output * torch.from_numpy(arrays["loss_weights"])).sum().backward()
    arrays.update(with_prefix("gradient.", parameters(decoder, ATTENTIONS, PARTS,
                                                      lambda p: p.grad)))
    arrays["gradient.x"], arrays["gradient.memory"] = x.grad, memory.grad
    save("ch08_decoder", arrays, SCRIPT, seed,
         f"torch.nn.TransformerDecoder, norms after and before, relu and gelu, causal and causal "
         f"with padding of both sides; gradients of a weighted sum for norms before, relu, all "
         f"masks: B {BATCH}, T {TARGETS}, S {SOURCES}, D {WIDTH}, H {HEADS}, F {INNER}, L {LAYERS}")


if __name__ == "__main__":
    decoder_cases(801)
