"""Summaries and rollouts of attention maps, and a dump, from numpy in double (chapter 17)."""
import json

import numpy

from golden import save

SCRIPT = "attention_maps.py"
LAYERS, BATCH, HEADS, LENGTH = 3, 3, 4, 7
VISIBLE = [7, 5, 6]  # tokens of each sequence; padding follows
SEPARATORS = [[6], [2, 4], []]
SHARES = ["entropy", "largest_entropy", "distance", "cls", "sep", "self", "previous", "next"]


def maps(seed, causal=False):
    """Random weights (L, B, H, T, T), rounded to float32, with nothing on padding."""
    generator = numpy.random.default_rng(seed)
    scores = 2.5 * generator.standard_normal((LAYERS, BATCH, HEADS, LENGTH, LENGTH))
    for b, count in enumerate(VISIBLE):
        scores[:, b, :, :, count:] = -numpy.inf
    if causal:
        scores[..., numpy.triu_indices(LENGTH, 1)[0], numpy.triu_indices(LENGTH, 1)[1]] = -numpy.inf
    weights = numpy.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return weights.astype(numpy.float32).astype(numpy.float64)


def summary(weights, causal=False):
    """(L, H, 8): each query that is no padding counts once, whatever its sequence."""
    total = numpy.zeros((LAYERS, HEADS, len(SHARES)))
    for b, count in enumerate(VISIBLE):
        a = weights[:, b, :, :count, :count]
        n = numpy.arange(count)
        logs = numpy.log(numpy.where(a > 0, a, 1.0))
        seen = n + 1 if causal else numpy.full(count, count)
        selectors = {
            "distance": numpy.abs(n[:, None] - n[None, :]),
            "cls": numpy.tile(n == 0, (count, 1)),
            "sep": numpy.tile(numpy.isin(n, SEPARATORS[b]), (count, 1)),
            "self": numpy.eye(count),
            "previous": numpy.eye(count, k=-1),
            "next": numpy.eye(count, k=1),
        }
        total[..., 0] += -(a * logs).sum((-1, -2))
        total[..., 1] += numpy.log(seen).sum()
        for i, name in enumerate(SHARES[2:], 2):
            total[..., i] += (a * selectors[name]).sum((-1, -2))
    return total / sum(VISIBLE)


def rollout(weights):
    """(L, B, T, T): rollout up to each layer."""
    product = numpy.tile(numpy.eye(LENGTH), (BATCH, 1, 1))
    steps = []
    for layer in weights.mean(2):
        mixed = 0.5 * layer + 0.5 * numpy.eye(LENGTH)
        mixed /= mixed.sum(-1, keepdims=True)
        product = numpy.einsum("btm,bms->bts", mixed, product)
        steps.append(product)
    return numpy.stack(steps)


def dump():
    """A file as another program would write it: numpy's own headers, keys nobody knows."""
    weights = maps(1702)[:, :1]
    meta = {"format": "attention-to-bert.attention", "version": 1, "minor": 7,
            "generator": {"name": "numpy", "version": numpy.__version__, "commit": None},
            "model": {"class": "Random", "config": {"layers": LAYERS}, "weights_sha256": "0" * 64},
            "text": ["naïve café", None], "normalised_over": "source", "mask": "padding",
            "axes": {"attentions": ["layer", "batch", "head", "target", "source"]},
            "sentence_b_start": [None], "special": {"cls": "[CLS]", "sep": "[SEP]"},
            "a_later_key": [1, {"x": 2}]}
    tokens = ["[CLS]", "na", "##ïve", "caf", "##é", "猫", "[SEP]"]
    save("attention_maps_dump", {
        "attentions": weights.astype("<f4"), "layers": numpy.array([0, 4, 9], "<i4"),
        "heads": numpy.arange(HEADS, dtype="<i8"), "tokens": numpy.array([tokens]),
        "input_ids": numpy.arange(100, 107, dtype="<i8")[None],
        "word_ids": numpy.array([[-1, 0, 0, 1, 1, 2, -1]], "<i4"),
        "attention_mask": numpy.ones((1, LENGTH), "<i8"),
        "a_later_array": numpy.zeros((2, 2)), "meta": numpy.array(json.dumps(meta))},
        SCRIPT, 1702, "a dump written by numpy, with keys of a later version")


if __name__ == "__main__":
    weights, causal = maps(1701), maps(1703, causal=True)
    save("attention_maps", {
        "attentions": weights, "summary": summary(weights), "rollout": rollout(weights),
        "causal_attentions": causal, "causal_summary": summary(causal, True)},
        SCRIPT, 1701,
        "entropy, largest entropy, distance and shares (L, H, 8), rollout (L, B, T, T); L 3, B 3, "
        "H 4, T 7, of which 7, 5 and 6 are no padding; separators at 6, at 2 and 4, nowhere")
    dump()
