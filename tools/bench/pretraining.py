#!/usr/bin/env python3
"""A pre-training step of BERT here and in PyTorch, timed side by side.

Development only: needs torch and transformers. The two take turns, step by step, each in a process
of its own, so that whatever else the machine does hits both and the peak of memory is each one's
own. Both have random weights of the same sizes, dropout 0.1 on hidden numbers and attention
weights, the masked language model loss at the chosen places only plus the next sentence loss,
clipping, and AdamW (torch's is the fused one); PyTorch attends by its fused kernel (sdpa).

    tools/bench/pretraining.py build/bin/pretraining_steps [--rounds 15]
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time

ARGUMENTS = argparse.ArgumentParser(description=__doc__.splitlines()[0])
ARGUMENTS.add_argument("program", help="build/bin/pretraining_steps")
ARGUMENTS.add_argument("--rounds", type=int, default=15)
ARGUMENTS.add_argument("--shapes", default="mini:8000:32:128:20,base:30522:4:128:20",
                       help="size:words:batch:tokens:predictions, ..")
ARGUMENTS.add_argument("--threads", type=int, default=2)
ARGUMENTS.add_argument("--worker", help=argparse.SUPPRESS)

SIZES = {"tiny": (2, 128, 2), "mini": (4, 256, 4), "small": (4, 512, 8), "medium": (8, 512, 8),
         "base": (12, 768, 12)}


def model_of(size, words):
    from transformers import BertConfig, BertForPreTraining
    layers, width, heads = SIZES[size]
    return BertForPreTraining(BertConfig(
        vocab_size=words, num_hidden_layers=layers, hidden_size=width, num_attention_heads=heads,
        intermediate_size=4 * width, attn_implementation="sdpa"))


def work(options):
    """A step for each line, as the C++ program does it."""
    import torch
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    size, *numbers = options.worker.split(":")
    words, batch, tokens, predictions = map(int, numbers)
    model = model_of(size, words).train()
    decayed = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    optimiser = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.01},
                                   {"params": others, "weight_decay": 0.0}],
                                  lr=1e-7, eps=1e-6, fused=True)
    ids = torch.randint(5, words, (batch, tokens))
    types = (torch.arange(tokens) >= tokens // 2).long().expand(batch, tokens)
    mask = torch.ones_like(ids)
    places = torch.cat([b * tokens + 1 + torch.randperm(tokens - 2)[:predictions].sort().values
                        for b in range(batch)])
    labels = ids.flatten()[places].clone()
    next_labels = torch.arange(batch) % 2
    loss_of = torch.nn.CrossEntropyLoss()
    print("parameters", sum(p.numel() for p in model.parameters()), flush=True)
    for _ in sys.stdin:
        start = time.perf_counter()
        optimiser.zero_grad(set_to_none=True)
        out = model.bert(input_ids=ids, token_type_ids=types, attention_mask=mask)
        chosen = out.last_hidden_state.flatten(0, 1)[places]
        scores, relation = model.cls(chosen, out.pooler_output)
        loss = loss_of(scores, labels) + loss_of(relation, next_labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{seconds * 1000:.3f} {peak:.1f} {loss.item():.6f}", flush=True)


class Runner:
    def __init__(self, command, threads):
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
        self.process = subprocess.Popen(command, text=True, bufsize=1, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=environment)
        self.parameters = int(self.process.stdout.readline().split()[1])
        self.peak = 0.0

    def step(self):
        time.sleep(0.3)  # until the threads of the one before have stopped waiting in a loop
        self.process.stdin.write("step\n")
        milliseconds, self.peak, self.loss = map(float, self.process.stdout.readline().split())
        return milliseconds


def compare(options, shape):
    here = Runner([options.program, *shape.split(":")], options.threads)
    peer = Runner([sys.executable, __file__, options.program, "--worker", shape, "--threads",
                   str(options.threads)], options.threads)
    assert here.parameters == peer.parameters, (here.parameters, peer.parameters)
    for _ in range(2):  # warm-up
        here.step(), peer.step()
    times = [(here.step(), peer.step()) for _ in range(options.rounds)]
    for runner in (here, peer):
        runner.process.stdin.close()
        runner.process.wait()
    ratios = [p / h for h, p in times]
    return {"shape": shape, "parameters": here.parameters,
            "milliseconds_here": round(statistics.median(h for h, _ in times), 1),
            "milliseconds_torch": round(statistics.median(p for _, p in times), 1),
            "times_as_fast": round(statistics.median(ratios), 2),
            "times_as_fast_quartiles": [round(q, 2) for q in statistics.quantiles(ratios, n=4)[::2]],
            "peak_megabytes_here": round(here.peak), "peak_megabytes_torch": round(peer.peak),
            "memory_ratio": round(here.peak / peer.peak, 2)}


def main():
    options = ARGUMENTS.parse_args()
    if options.worker:
        work(options)
        return
    for shape in options.shapes.split(","):
        print(json.dumps(compare(options, shape)), flush=True)


if __name__ == "__main__":
    main()
