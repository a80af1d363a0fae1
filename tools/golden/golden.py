"""Writes expected tensors to data/golden/ and says where they come from.

Development only: needs numpy and torch, which building, running and testing the project do not.
"""
import json
import pathlib
import platform

import numpy
import torch

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "data" / "golden"


def save(name, arrays, script, seed, about):
    """Writes NAME.npz (stored, float64) and its entry in provenance.json."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    numpy.savez(FOLDER / f"{name}.npz", **{key: numpy.asarray(x) for key, x in arrays.items()})
    path = FOLDER / "provenance.json"
    entries = json.loads(path.read_text()) if path.exists() else {}
    entries[f"{name}.npz"] = {
        "about": about,
        "script": f"tools/golden/{script}",
        "seed": seed,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "torch": torch.__version__.split("+")[0],
        "arrays": {key: list(numpy.shape(x)) for key, x in arrays.items()},
    }
    path.write_text(json.dumps(dict(sorted(entries.items())), indent=2) + "\n")
    print(f"wrote {name}.npz")


def random_arrays(seed, **shapes):
    """Standard normal float64 arrays, rounded to float32 so that both builds start alike."""
    generator = numpy.random.default_rng(seed)
    return {
        key: generator.standard_normal(shape).astype(numpy.float32).astype(numpy.float64)
        for key, shape in shapes.items()
    }
