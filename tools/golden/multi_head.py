"""Multi-head attention, from torch.nn.MultiheadAttention in double precision (chapter 4)."""
import numpy
import torch

from golden import random_arrays, save

SCRIPT = "multi_head.py"
BATCH, TARGETS, SOURCES, WIDTH, HEADS, SOURCE_WIDTH = 3, 5, 7, 24, 3, 10


def layer_of(seed, num_heads, source_width):
    """The layer with weights of float32 values, and those weights by this project's names."""
    layer = torch.nn.MultiheadAttention(WIDTH, num_heads, kdim=source_width, vdim=source_width,
                                        batch_first=True, dtype=torch.float64).eval()
    w = random_arrays(seed, query=(WIDTH, WIDTH), key=(WIDTH, source_width),
                      value=(WIDTH, source_width), output=(WIDTH, WIDTH), bias=(4, WIDTH))
    names = ["query", "key", "value", "output"]
    # Of the size that keeps scores and outputs near 1.
    w["bias"] = w["bias"] / 2
    weights = {n: (w[n] / 5).astype(numpy.float32).astype(numpy.float64) for n in names}
    with torch.no_grad():
        if source_width == WIDTH:  # stored as one matrix (3 D, D): query, key, value in this order
            layer.in_proj_weight.copy_(torch.from_numpy(
                numpy.concatenate([weights[n] for n in names[:3]])))
        else:
            layer.q_proj_weight.copy_(torch.from_numpy(weights["query"]))
            layer.k_proj_weight.copy_(torch.from_numpy(weights["key"]))
            layer.v_proj_weight.copy_(torch.from_numpy(weights["value"]))
        layer.in_proj_bias.copy_(torch.from_numpy(w["bias"][:3].reshape(-1)))
        layer.out_proj.weight.copy_(torch.from_numpy(weights["output"]))
        layer.out_proj.bias.copy_(torch.from_numpy(w["bias"][3]))
    arrays = {f"{n}_weight": weights[n] for n in names}
    arrays.update({f"{n}_bias": w["bias"][i] for i, n in enumerate(names)})
    return layer, arrays


def run(layer, query, source, padding=None, causal=False):
    """Output and weights of each head; padding has 1 for what is visible, as in this project."""
    hidden = None if padding is None else padding == 0
    future = torch.triu(torch.ones(query.shape[1], source.shape[1], dtype=torch.bool), 1)
    with torch.no_grad():
        return layer(query, source, source, key_padding_mask=hidden,
                     attn_mask=future if causal else None, average_attn_weights=False)


def self_attention(name, seed, num_heads):
    layer, arrays = layer_of(seed, num_heads, WIDTH)
    arrays.update(random_arrays(seed + 1, x=(BATCH, TARGETS, WIDTH)))
    x = torch.from_numpy(arrays["x"])
    padding = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0, 1, 1, 0]])
    arrays["attention_mask"] = padding.double()
    for case, options in {"plain": {}, "causal": {"causal": True}, "padding": {"padding": padding},
                          "both": {"causal": True, "padding": padding}}.items():
        arrays[f"{case}_output"], arrays[f"{case}_weights"] = run(layer, x, x, **options)
    save(name, arrays, SCRIPT, seed,
         f"torch.nn.MultiheadAttention, self-attention without mask, causal, padded, both: "
         f"B {BATCH}, T {TARGETS}, D {WIDTH}, H {num_heads}")


def cross_attention(seed):
    layer, arrays = layer_of(seed, HEADS, SOURCE_WIDTH)
    arrays.update(random_arrays(seed + 1, x=(BATCH, TARGETS, WIDTH),
                                y=(BATCH, SOURCES, SOURCE_WIDTH)))
    x, y = torch.from_numpy(arrays["x"]), torch.from_numpy(arrays["y"])
    padding = torch.tensor([[1, 1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1, 1], [0, 1, 1, 0, 1, 1, 1]])
    arrays["attention_mask"] = padding.double()
    for case, options in {"plain": {}, "padding": {"padding": padding}}.items():
        arrays[f"{case}_output"], arrays[f"{case}_weights"] = run(layer, x, y, **options)
    save("ch04_cross_attention", arrays, SCRIPT, seed,
         f"torch.nn.MultiheadAttention, cross-attention without mask and padded: B {BATCH}, "
         f"T {TARGETS}, S {SOURCES}, D {WIDTH}, source width {SOURCE_WIDTH}, H {HEADS}")


if __name__ == "__main__":
    self_attention("ch04_self_attention", 401, HEADS)
    self_attention("ch04_eight_heads", 411, 8)
    cross_attention(421)
