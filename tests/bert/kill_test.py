#!/usr/bin/env python3
"""Trainings by bert pretrain that are killed at random moments, or asked to stop, and then resumed:
each must end in the same bytes as one that nobody disturbed."""

import argparse
import json
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORDS = ["the", "a", "cat", "dog", "bird", "sat", "ran", "flew", "on", "under", "mat", "tree", "."]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + WORDS
CONFIG = {"model_type": "bert", "vocab_size": len(VOCABULARY), "hidden_size": 16,
          "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32,
          "max_position_embeddings": 24, "type_vocab_size": 2}
STEPS = 100
KILLS = 20


def require(condition, message):
    if not condition:
        sys.exit("error: " + message)


def corpus(numbers):
    """Four documents of twelve sentences."""
    def sentence():
        return " ".join(numbers.choice(WORDS[:-1]) for _ in range(numbers.randint(3, 7))) + " .\n"
    return "\n".join("".join(sentence() for _ in range(12)) for _ in range(4))


class Trainings:
    def __init__(self, bert, folder):
        self.bert, self.folder = bert, folder
        (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n")
        (folder / "config.json").write_text(json.dumps(CONFIG))
        (folder / "corpus.txt").write_text(corpus(random.Random(1)))
        subprocess.run([bert, "make-data", "--quiet", "--model", folder, "--out", folder / "data",
                        "--max-length", "24", folder / "corpus.txt"], check=True)

    def start(self, name, threads=1):
        """A training whose time goes largely into checkpoints."""
        return subprocess.Popen(
            [self.bert, "pretrain", "--config", self.folder / "config.json",
             "--vocab", self.folder / "vocab.txt", "--data", self.folder / "data",
             "--out", self.folder / name, "--steps", str(STEPS), "--batch", "4",
             "--checkpoint-every", "4", "--threads", str(threads), "--quiet", "--resume"],
            stderr=subprocess.PIPE, text=True)

    def left_by(self, name):
        """Everything that must not depend on how it came about."""
        here = self.folder / name
        log = re.sub(r'"tokens_per_second":[^,]*,', "", (here / "log.jsonl").read_text())
        names = ["model.safetensors", "config.json", "vocab.txt", "loss.svg", "accuracy.svg",
                 f"trainer_state/step_{STEPS:08}.safetensors"]
        return [log] + [(here / file).read_bytes() for file in names]

    def files_of(self, name):
        return sorted(path.name for path in (self.folder / name).rglob("*") if path.is_file())

    def lines(self, name):
        log = self.folder / name / "log.jsonl"
        return log.read_bytes().count(b"\n") if log.exists() else 0

    def checkpoints(self, name):
        return len(list((self.folder / name / "trainer_state").glob("step_*.safetensors")))

    def disturb(self, name, threads, which, waits):
        """Starts the training and sends it a signal, once for each of `waits`: so many lines of
        log later, and so many seconds after that. Then lets it end. Returns how many checkpoints
        were there each time."""
        moments = []
        for lines, seconds in waits:
            goal = self.lines(name) + lines
            training = self.start(name, threads)
            while training.poll() is None and self.lines(name) < goal:
                time.sleep(0.0005)
            time.sleep(seconds)
            training.send_signal(which)
            error = training.communicate()[1]
            if training.returncode == 0:  # it was faster
                return moments
            expected = -which if which == signal.SIGKILL else 128 + which
            require(training.returncode == expected, f"exit code {training.returncode}: {error}")
            moments.append(self.checkpoints(name))
        training = self.start(name, threads)
        error = training.communicate()[1]
        require(training.returncode == 0, f"exit code {training.returncode}: {error}")
        return moments


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="a build folder where all is built")
    arguments = parser.parse_args()
    numbers = random.Random(20)
    with tempfile.TemporaryDirectory() as folder:
        trainings = Trainings(arguments.build / "bert", Path(folder))
        require(trainings.start("whole").wait() == 0, "the training that nobody disturbs")
        expected, files = trainings.left_by("whole"), trainings.files_of("whole")
        moments, run = [], 0
        while len(moments) < KILLS:  # one after the other, and the same one several times
            run += 1
            # The first before there is a checkpoint, the others anywhere: while the program starts,
            # between steps, and while it writes.
            waits = [(numbers.randint(0, 3), 0.0)]
            waits += [(numbers.choice([0, numbers.randint(1, STEPS // 4)]), numbers.uniform(0, 0.05))
                      for _ in range(numbers.randint(1, 4))]
            name = f"killed{run}"
            moments += trainings.disturb(name, 1 + run % 2, signal.SIGKILL,
                                         waits[:KILLS - len(moments)])
            require(trainings.left_by(name) == expected, f"{name}: other bytes")
            require(trainings.files_of(name) == files, f"{name}: {trainings.files_of(name)}")
        require(moments.count(0) >= 2, f"always after a checkpoint: {moments}")
        require(max(moments) >= 2, f"always before a checkpoint: {moments}")
        for which in [signal.SIGINT, signal.SIGTERM]:
            name = f"stopped{int(which)}"
            stopped = trainings.disturb(name, 1, which, [(10, 0.0)])
            require(stopped == [2], f"{which}: {stopped} checkpoints")
            require(trainings.left_by(name) == expected, f"{name}: other bytes")
    print(f"killed {len(moments)} times, {moments.count(0)} of them before the first checkpoint")


if __name__ == "__main__":
    main()
