#!/usr/bin/env python3
"""A training step of an encoder-decoder here and in PyTorch, timed side by side.

Development only: needs torch. The two take turns, step by step, so that whatever else the machine
does hits both. Both have the same sizes, threads, dropout (on embeddings and after each sublayer),
label smoothing, clipping and Adam; the peer is torch.nn.Transformer as its users write it.

    tools/bench/training.py build/bin/training_steps [--steps 30]
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import time

ARGUMENTS = argparse.ArgumentParser(description=__doc__.splitlines()[0])
ARGUMENTS.add_argument("program", help="build/bin/training_steps")
ARGUMENTS.add_argument("--steps", type=int, default=30)
ARGUMENTS.add_argument("--threads", type=int, default=2)
ARGUMENTS.add_argument("--width", type=int, default=256)
ARGUMENTS.add_argument("--layers", type=int, default=3)
ARGUMENTS.add_argument("--heads", type=int, default=8)
ARGUMENTS.add_argument("--inner", type=int, default=1024)
ARGUMENTS.add_argument("--words", type=int, default=8000)
ARGUMENTS.add_argument("--batch", type=int, default=32)
ARGUMENTS.add_argument("--tokens", type=int, default=32)
ARGUMENTS.add_argument("--dropout", type=float, default=0.1)


def megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Here:
    """This project's program: a step for every line that it gets."""

    def __init__(self, options):
        sizes = [options.width, options.layers, options.heads, options.inner, options.words,
                 options.batch, options.tokens, options.dropout]
        environment = dict(os.environ, OMP_NUM_THREADS=str(options.threads))
        self.process = subprocess.Popen([options.program, *map(str, sizes)], text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=environment)
        self.parameters = int(self.process.stdout.readline().split()[1])
        self.before = float(self.process.stdout.readline().split()[1])

    def step(self):
        self.process.stdin.write("step\n")
        milliseconds, loss, peak = map(float, self.process.stdout.readline().split())
        self.peak = peak
        return milliseconds, loss


class Peer:
    """torch.nn.Transformer, post-norm, without its final norms and its extra dropouts."""

    def __init__(self, options):
        import torch
        torch.set_num_threads(options.threads)
        torch.manual_seed(1)
        self.torch, self.options = torch, options
        width, words = options.width, options.words
        transformer = torch.nn.Transformer(width, options.heads, options.layers, options.layers,
                                           options.inner, options.dropout, batch_first=True)
        transformer.encoder.norm = transformer.decoder.norm = None
        for layer in [*transformer.encoder.layers, *transformer.decoder.layers]:
            layer.dropout.p = layer.self_attn.dropout = 0.0
            if hasattr(layer, "multihead_attn"):
                layer.multihead_attn.dropout = 0.0
        self.model = torch.nn.ModuleDict({
            "source": torch.nn.Embedding(words, width), "target": torch.nn.Embedding(words, width),
            "transformer": transformer, "generator": torch.nn.Linear(width, words),
            "dropout": torch.nn.Dropout(options.dropout)})
        self.positions = torch.randn(options.tokens, width)
        self.mask = torch.nn.Transformer.generate_square_subsequent_mask(options.tokens)
        self.ids = [torch.randint(3, words, (options.batch, options.tokens)) for _ in range(3)]
        self.loss = torch.nn.CrossEntropyLoss(label_smoothing=0.1)
        self.optimiser = torch.optim.Adam(self.model.parameters(), lr=1e-7, betas=(0.9, 0.98),
                                          eps=1e-9)
        self.parameters = sum(p.numel() for p in self.model.parameters())
        self.before = megabytes()

    def step(self):
        start = time.perf_counter()
        source, target, labels = self.ids
        scale = self.options.width ** 0.5
        embed = lambda name, ids: self.model["dropout"](self.model[name](ids) * scale
                                                        + self.positions)
        self.optimiser.zero_grad()
        y = self.model["transformer"](embed("source", source), embed("target", target),
                                      tgt_mask=self.mask, tgt_is_causal=True)
        loss = self.loss(self.model["generator"](y).flatten(0, 1), labels.flatten())
        loss.backward()
        self.torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        self.peak = megabytes()
        return (time.perf_counter() - start) * 1000, loss.item()


def main():
    options = ARGUMENTS.parse_args()
    here, peer = Here(options), Peer(options)
    assert here.parameters == peer.parameters, (here.parameters, peer.parameters)
    for _ in range(3):  # warm-up
        here.step(), peer.step()
    times = {"here": [], "peer": []}
    for _ in range(options.steps):
        times["peer"].append(peer.step()[0])
        times["here"].append(here.step()[0])
    ratios = [p / h for p, h in zip(times["peer"], times["here"])]
    print(json.dumps({
        "torch": peer.torch.__version__.split("+")[0], "threads": options.threads,
        "parameters": here.parameters, "steps": options.steps,
        "milliseconds_here": round(statistics.median(times["here"]), 1),
        "milliseconds_torch": round(statistics.median(times["peer"]), 1),
        "times_as_fast": round(statistics.median(ratios), 2),
        "times_as_fast_quartiles": [round(q, 2) for q in statistics.quantiles(ratios, n=4)[::2]],
        "peak_megabytes_here": round(here.peak), "peak_megabytes_torch": round(peer.peak),
        "memory_ratio": round(here.peak / peer.peak, 2),
        "step_megabytes_here": round(here.peak - here.before),
        "step_megabytes_torch": round(peer.peak - peer.before),
    }, indent=2))


if __name__ == "__main__":
    main()
