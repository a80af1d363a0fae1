"""Files that the library safetensors wrote, and the numbers they hold (chapter 14).

Needs safetensors too. (A script named as the library could not import it.)
"""
import json

import numpy
import safetensors
import torch
from safetensors.torch import load_file, save_file

from golden import FOLDER, save

SCRIPT = "safetensors_files.py"


def write(name, tensors, seed, about):
    """NAME.safetensors, and NAME.npz with the floating-point tensors in double precision."""
    path = FOLDER / f"{name}.safetensors"
    save_file(tensors, path, metadata={"format": "pt"})
    arrays = {key: x.double().numpy() for key, x in load_file(path).items()
              if x.is_floating_point()}
    save(name, arrays, SCRIPT, seed, about)
    provenance = FOLDER / "provenance.json"
    entries = json.loads(provenance.read_text())
    entry = dict(entries[f"{name}.npz"])
    entry.update(safetensors=safetensors.__version__,
                 arrays={key: list(x.shape) for key, x in tensors.items()})
    entries[f"{name}.safetensors"] = entry
    provenance.write_text(json.dumps(dict(sorted(entries.items())), indent=2) + "\n")


def numbers(generator, *shape):
    return torch.from_numpy(generator.standard_normal(shape).astype(numpy.float32))


def main():
    generator = numpy.random.default_rng(14)
    write("safetensors_types", {
        "f32": numbers(generator, 3, 5),
        "f16": numbers(generator, 7).half(),
        "bf16": numbers(generator, 2, 3).bfloat16(),
        "f64": numbers(generator, 2, 2).double(),
        "edges16": torch.tensor([65504.0, 6e-8, -0.0, 6.104e-5]).half(),
        "scalar": torch.tensor(2.5),
        "empty": torch.zeros(2, 0),
        "int64": torch.tensor([[1, -2]]),
        "bool": torch.tensor([True, False, True]),
        "uint8": torch.tensor([1, 2, 255], dtype=torch.uint8),
    }, 14, "every kind of number that a checkpoint may hold")
    write("safetensors_model", {
        "bert.embeddings.word_embeddings.weight": numbers(generator, 11, 4),
        "bert.embeddings.LayerNorm.weight": numbers(generator, 4),
        "bert.embeddings.LayerNorm.bias": numbers(generator, 4),
        "bert.encoder.layer.10.output.dense.weight": numbers(generator, 4, 8),
        "bert.encoder.layer.2.output.dense.weight": numbers(generator, 4, 8),
        "cls.predictions.bias": numbers(generator, 11),
    }, 14, "names as of a checkpoint, in float32")


if __name__ == "__main__":
    main()
