"""Attention with and without masks, from PyTorch in double precision (chapters 1 to 3)."""
import math

import numpy
import torch
import torch.nn.functional as F

from golden import random_arrays, save

SCRIPT = "attention.py"


def tensors(arrays):
    return {key: torch.from_numpy(x) for key, x in arrays.items()}


def unscaled_attention(seed):
    arrays = random_arrays(seed, x=(5, 6), w_key=(6, 3), w_query=(6, 3), w_value=(6, 7))
    for name in ("w_key", "w_query", "w_value"):  # a quarter is exact, and keeps values near 1
        arrays[name] /= 4
    t = tensors(arrays)
    scores = (t["x"] @ t["w_query"]) @ (t["x"] @ t["w_key"]).T
    weights = torch.softmax(scores, dim=-1)
    save("ch01_attention",
         {**arrays, "scores": scores, "weights": weights, "output": weights @ (t["x"] @ t["w_value"])},
         SCRIPT, seed, "Unscaled dot-product attention: T 5, D 6, K 3, E 7")


def scaled_attention(seed):
    arrays = random_arrays(seed, query=(2, 3, 5, 8), key=(2, 3, 7, 8), value=(2, 3, 7, 4))
    t = tensors(arrays)
    output = F.scaled_dot_product_attention(t["query"], t["key"], t["value"])
    weights = torch.softmax(t["query"] @ t["key"].transpose(-1, -2) / math.sqrt(8), dim=-1)
    save("ch02_attention", {**arrays, "weights": weights, "output": output}, SCRIPT, seed,
         "torch.nn.functional.scaled_dot_product_attention: batch (2, 3), T 5, S 7, K 8, E 4")


def softmax_rows(seed):
    arrays = random_arrays(seed, x=(6, 9))
    x = torch.from_numpy(arrays["x"] * 5)
    x[3] += 1000.0
    x[4] -= 1000.0
    upstream = torch.from_numpy(random_arrays(seed + 1, g=(6, 9))["g"])
    x = torch.from_numpy(x.numpy().astype(numpy.float32).astype(numpy.float64)).requires_grad_()
    y = torch.softmax(x, dim=-1)
    y.backward(upstream)
    save("ch02_softmax", {"x": x.detach(), "y": y.detach(), "y_gradient": upstream,
                          "x_gradient": x.grad}, SCRIPT, seed,
         "torch.softmax over the last axis, rows near 0, 1000 and -1000, and its gradient")


def masked_attention(seed):
    batch, targets, sources = 3, 6, 6
    arrays = random_arrays(seed, query=(batch, targets, 5), key=(batch, sources, 5),
                           value=(batch, sources, 4))
    t = tensors(arrays)
    attention_mask = torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0], [1, 0, 1, 1, 1, 0]])
    causal = torch.tril(torch.ones(targets, sources))
    padding = attention_mask[:, None, :].expand(batch, targets, sources)
    results = {"attention_mask": attention_mask.double(), "causal": causal}
    for name, visible in [("causal", causal.expand(batch, targets, sources)),
                          ("padding", padding), ("both", causal * padding)]:
        keep = visible.bool()
        results[f"{name}_output"] = F.scaled_dot_product_attention(
            t["query"], t["key"], t["value"], attn_mask=keep)
        scores = t["query"] @ t["key"].transpose(-1, -2) / math.sqrt(5)
        results[f"{name}_weights"] = torch.softmax(scores.masked_fill(~keep, -math.inf), dim=-1)
    save("ch03_masked_attention", {**arrays, **results}, SCRIPT, seed,
         "scaled_dot_product_attention with causal, padding and combined masks: B 3, T S 6, K 5, E 4")


if __name__ == "__main__":
    unscaled_attention(101)
    scaled_attention(201)
    softmax_rows(202)
    masked_attention(301)
