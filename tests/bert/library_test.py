#!/usr/bin/env python3
"""The project as a library: installs it, builds docs/example with find_package and runs it on a
small checkpoint, beside the program bert; then the same with add_subdirectory, of which by default
only the example itself is compiled, since the rest would be the whole project once more."""

import argparse
import json
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "time", "flies", "##!", "!"]
SIZES = {"vocab_size": len(VOCABULARY), "hidden_size": 8, "num_hidden_layers": 2,
         "num_attention_heads": 2, "intermediate_size": 12, "max_position_embeddings": 10,
         "type_vocab_size": 2}
TEXT = "time flies!"  # [CLS] time flies ! [SEP]
TOKENS = 5


def shapes():
    """The tensors of a BertModel without a pooler."""
    width, inner = SIZES["hidden_size"], SIZES["intermediate_size"]
    found = {"embeddings.word_embeddings.weight": [SIZES["vocab_size"], width],
             "embeddings.position_embeddings.weight": [SIZES["max_position_embeddings"], width],
             "embeddings.token_type_embeddings.weight": [SIZES["type_vocab_size"], width]}

    def linear(name, outputs, inputs):
        found[name + ".weight"], found[name + ".bias"] = [outputs, inputs], [outputs]

    def norm(name):
        found[name + ".weight"], found[name + ".bias"] = [width], [width]

    norm("embeddings.LayerNorm")
    for layer in range(SIZES["num_hidden_layers"]):
        prefix = f"encoder.layer.{layer}."
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            linear(prefix + "attention." + name, width, width)
        norm(prefix + "attention.output.LayerNorm")
        linear(prefix + "intermediate.dense", inner, width)
        linear(prefix + "output.dense", width, inner)
        norm(prefix + "output.LayerNorm")
    return found


def write_checkpoint(folder):
    folder.mkdir(parents=True)
    numbers = random.Random(5)
    header, data = {}, b""
    for name, shape in shapes().items():
        size = shape[0] * (shape[1] if len(shape) > 1 else 1)
        values = struct.pack(f"<{size}f", *(numbers.gauss(0, 0.5) for _ in range(size)))
        header[name] = {"dtype": "F32", "shape": shape,
                        "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
    (folder / "config.json").write_text(json.dumps({"model_type": "bert", **SIZES}))
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n")


def run(*words):
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"exit code {result.returncode}: {' '.join(map(str, words))}\n"
                 f"{result.stdout[-4000:]}\n{result.stderr[-4000:]}")
    return result.stdout


def require(condition, message):
    if not condition:
        sys.exit("error: " + message)


def configure_example(folder, compiler, *options):
    run("cmake", "-S", ROOT / "docs/example", "-B", folder, "-G", "Ninja",
        f"-DCMAKE_CXX_COMPILER={compiler}", *options)
    return folder


def build_example(folder):
    run("cmake", "--build", folder)
    return folder / "example"


def check_contained(folder):
    """Compiles the example; what else its program needs must come from this project's libraries."""
    objects = "CMakeFiles/example.dir/main.cpp.o"
    run("ninja", "-C", folder, objects)
    plan = run("ninja", "-C", folder, "-t", "commands", "example")
    for library in ("libcommon.a", "libch01_attention_by_hand.a", "libch14_bert.a"):
        require(library in plan, f"add_subdirectory: the example is made without {library}")
    targets = run("cmake", "--build", folder, "--target", "help")
    for unwanted in ("test_common", "ch01:", "attention_to_bert/bert:"):
        require(unwanted not in targets, f"add_subdirectory brings {unwanted}")


def numbers_of(table):
    """The numbers of a printed tensor, without the lines with the matrices' indices."""
    rows = [line for line in table.splitlines() if re.fullmatch(r"[-\d. ]+", line)]
    return [float(word) for row in rows for word in row.split()]


def hidden_states(npz):
    with zipfile.ZipFile(npz) as archive:
        entry = archive.read("last_hidden_state.npy")
    start = 10 + struct.unpack("<H", entry[8:10])[0]
    return list(struct.unpack(f"<{(len(entry) - start) // 4}f", entry[start:]))


def check(example, model, expected, how):
    numbers = numbers_of(run(example, model, TEXT))
    require(len(numbers) == TOKENS * SIZES["hidden_size"], f"{how}: {len(numbers)} numbers")
    largest = max(abs(a - b) for a, b in zip(numbers, expected))
    require(largest < 2e-4, f"{how}: the example's numbers differ by {largest}")


def check_vectors(program, bert, model, how):
    """The second program of the example against bert embed, which prints a line a text."""
    texts = [TEXT, "time"]
    numbers = numbers_of(run(program, model, *texts))
    expected = [float(word) for word in run(bert, "embed", "--model", model, *texts).split()]
    require(len(numbers) == len(expected) == 2 * SIZES["hidden_size"], f"{how}: vectors")
    largest = max(abs(a - b) for a, b in zip(numbers, expected))
    require(largest < 2e-4, f"{how}: the vectors differ by {largest}")


def check_installed(prefix, model, here):
    """The program without --model finds the data that was installed with it."""
    bert = prefix / "bin/bert"
    for name in ("models/translation.npz", "schema"):
        require((prefix / "share/attention_to_bert" / name).exists(), f"{name} is not installed")
    shipped = prefix / "share/attention_to_bert/models/bert"
    shutil.rmtree(shipped, ignore_errors=True)
    shutil.copytree(model, shipped)
    require(run(bert, "tokenize", "--ids", TEXT) == "2 5 6 8 3\n", "the installed model")
    run(bert, "encode", "--out", here / "x.npz", TEXT)
    return hidden_states(here / "x.npz")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="a build folder where all is built")
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--real", default="float", help="the number type of that build")
    parser.add_argument("--whole", action="store_true",
                        help="build and run it with add_subdirectory too (minutes)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        model, prefix = here / "model", here / "prefix"
        write_checkpoint(model)
        run("cmake", "--install", arguments.build, "--prefix", prefix)
        expected = check_installed(prefix, model, here)
        found = configure_example(here / "found", arguments.compiler,
                                  f"-DCMAKE_PREFIX_PATH={prefix}")
        check(build_example(found), model, expected, "find_package")
        check_vectors(found / "vectors", prefix / "bin/bert", model, "find_package")
        contained = configure_example(here / "contained", arguments.compiler,
                                      f"-DATTENTION_TO_BERT={ROOT}", f"-DREAL={arguments.real}",
                                      "-DCMAKE_CXX_FLAGS=-O0")
        check_contained(contained)
        if arguments.whole:
            check(build_example(contained), model, expected, "add_subdirectory")
    print("the example runs with find_package and is made with add_subdirectory")


if __name__ == "__main__":
    main()
