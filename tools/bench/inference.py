#!/usr/bin/env python3
"""BERT's forward pass here, in PyTorch and in ONNX Runtime, timed side by side.

Development only: needs torch, transformers, onnx and onnxruntime. The three take turns, pass by
pass, each in a process of its own, so that whatever else the machine does hits all of them and the
peak of memory is each one's own. All have random weights of the same sizes in float32 and the same
number of threads; PyTorch attends by its fused kernel (sdpa), ONNX Runtime runs the exported graph
and the one that its own optimiser fuses, and the faster of the two counts.

    tools/bench/inference.py build/bin/forward_passes [--rounds 15] [--size base]
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ARGUMENTS = argparse.ArgumentParser(description=__doc__.splitlines()[0])
ARGUMENTS.add_argument("program", help="build/bin/forward_passes")
ARGUMENTS.add_argument("--rounds", type=int, default=15)
ARGUMENTS.add_argument("--size", default="base", choices=["tiny", "mini", "small", "medium", "base"])
ARGUMENTS.add_argument("--shapes", default="1x128,8x128,1x512")
ARGUMENTS.add_argument("--threads", type=int, default=2)
ARGUMENTS.add_argument("--worker", help=argparse.SUPPRESS)
ARGUMENTS.add_argument("--graph", help=argparse.SUPPRESS)

SIZES = {"tiny": (2, 128, 2), "mini": (4, 256, 4), "small": (4, 512, 8), "medium": (8, 512, 8),
         "base": (12, 768, 12)}


def model_of(size, attention):
    import torch
    from transformers import BertConfig, BertModel
    torch.manual_seed(1)
    layers, width, heads = SIZES[size]
    config = BertConfig(num_hidden_layers=layers, hidden_size=width, num_attention_heads=heads,
                        intermediate_size=4 * width, attn_implementation=attention)
    return BertModel(config).eval()


def export(size, folder):
    """The graph as exported, and as ONNX Runtime's optimiser fuses it."""
    import torch
    from onnxruntime.transformers import optimizer

    class Positional(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model_of(size, "eager")

        def forward(self, input_ids, attention_mask, token_type_ids):
            out = self.model(input_ids=input_ids, attention_mask=attention_mask,
                             token_type_ids=token_type_ids)
            return out.last_hidden_state, out.pooler_output

    names = ["input_ids", "attention_mask", "token_type_ids"]
    ids = torch.ones(2, 16, dtype=torch.long)
    torch.onnx.export(Positional(), (ids, ids, ids * 0), f"{folder}/plain.onnx", input_names=names,
                      output_names=["hidden", "pooled"], opset_version=17, dynamo=False,
                      dynamic_axes={name: {0: "batch", 1: "tokens"} for name in names})
    _, width, heads = SIZES[size]
    fused = optimizer.optimize_model(f"{folder}/plain.onnx", model_type="bert", num_heads=heads,
                                     hidden_size=width)
    fused.save_model_to_file(f"{folder}/fused.onnx")


def torch_pass(options):
    import torch
    torch.set_num_threads(options.threads)
    model = model_of(options.size, "sdpa")

    def run(ids):
        tensor = torch.from_numpy(ids)
        with torch.inference_mode():
            model(input_ids=tensor, attention_mask=torch.ones_like(tensor),
                  token_type_ids=torch.zeros_like(tensor))
    return run


def onnx_pass(options):
    import numpy
    import onnxruntime
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = options.threads
    session = onnxruntime.InferenceSession(options.graph, settings,
                                           providers=["CPUExecutionProvider"])
    return lambda ids: session.run(None, {"input_ids": ids, "attention_mask": numpy.ones_like(ids),
                                          "token_type_ids": numpy.zeros_like(ids)})


def work(options):
    """A pass for each line "B T", as the C++ program does it."""
    import numpy
    run = torch_pass(options) if options.worker == "torch" else onnx_pass(options)
    generator = numpy.random.default_rng(1)
    for line in sys.stdin:
        ids = generator.integers(0, 30522, tuple(map(int, line.split())))
        start = time.perf_counter()
        run(ids)
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{seconds * 1000:.3f} {peak:.1f}", flush=True)


class Runner:
    def __init__(self, command, threads):
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
        self.process = subprocess.Popen(command, text=True, bufsize=1, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        env=environment)
        self.peak = 0.0

    def run(self, batch, tokens):
        time.sleep(0.3)  # until the threads of the one before have stopped waiting in a loop
        self.process.stdin.write(f"{batch} {tokens}\n")
        milliseconds, self.peak = map(float, self.process.stdout.readline().split())
        return milliseconds


def gigaflops(size, batch, tokens):
    layers, width, _ = SIZES[size]
    return layers * (24 * width * width * batch * tokens + 4 * batch * tokens * tokens * width) / 1e9


def main():
    options = ARGUMENTS.parse_args()
    if options.worker:
        return work(options)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1]); "
                        "import inference; inference.export(sys.argv[2], sys.argv[3])",
                        str(pathlib.Path(__file__).parent), options.size, folder], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        python = [sys.executable, __file__, options.program, "--size", options.size, "--threads",
                  str(options.threads)]
        runners = {
            "here": Runner([options.program, options.size], options.threads),
            "torch": Runner([*python, "--worker", "torch"], options.threads),
            "onnx": Runner([*python, "--worker", "onnx", "--graph", f"{folder}/plain.onnx"],
                           options.threads),
            "onnx_fused": Runner([*python, "--worker", "onnx", "--graph", f"{folder}/fused.onnx"],
                                 options.threads)}
        for shape in options.shapes.split(","):
            batch, tokens = map(int, shape.split("x"))
            for runner in runners.values():  # warm-up
                runner.run(batch, tokens), runner.run(batch, tokens)
            times = {name: [] for name in runners}
            for _ in range(options.rounds):
                for name, runner in runners.items():
                    times[name].append(runner.run(batch, tokens))
            best = [min(values) for values in zip(*(times[n] for n in runners if n != "here"))]
            middle = {name: statistics.median(values) for name, values in times.items()}
            fastest = min((name for name in runners if name != "here"), key=middle.get)
            ratios = [p / h for p, h in zip(times[fastest], times["here"])]
            print(json.dumps({
                "shape": shape, "milliseconds": {n: round(m, 1) for n, m in middle.items()},
                "fastest_peer": fastest, "times_as_fast": round(statistics.median(ratios), 2),
                "quartiles": [round(q, 2) for q in statistics.quantiles(ratios, n=4)[::2]],
                "gigaflops_here": round(1e3 * gigaflops(options.size, batch, tokens)
                                        / middle["here"]),
                "best_here": round(min(times["here"]), 1), "best_peer": round(min(best), 1),
                "peak_megabytes": {n: round(r.peak) for n, r in runners.items()}}), flush=True)


if __name__ == "__main__":
    main()
