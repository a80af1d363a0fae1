"""Sinusoidal positions in their widespread exp(log) form, and learned ones, in double (chapter 5)."""
import math

import numpy
import torch

from golden import random_arrays, save

SCRIPT = "positions.py"


def table(length, width):
    position = torch.arange(length, dtype=torch.float64)[:, None]
    rate = torch.exp(torch.arange(0, width, 2, dtype=torch.float64) * (-math.log(10000.0) / width))
    result = torch.zeros(length, width, dtype=torch.float64)
    result[:, 0::2] = torch.sin(position * rate)
    result[:, 1::2] = torch.cos(position * rate)
    return result


def sinusoidal():
    complex_numbers = numpy.exp(1j * numpy.arange(21)[:, None] / 10000 ** (numpy.arange(6) / 6))
    pairs = numpy.stack([complex_numbers.imag, complex_numbers.real], axis=-1).reshape(21, 12)
    save("ch05_sinusoidal", {"table_51_64": table(51, 64), "table_7_512": table(7, 512),
                             "table_513_6": table(513, 6), "table_1_2": table(1, 2),
                             "table_21_12": pairs}, SCRIPT, 0,
         "exp(log) form in torch with N odd; N 21, D 12 as powers of complex numbers in numpy")


def learned(seed):
    arrays = random_arrays(seed, x=(3, 5, 8), table=(9, 8))
    positions = torch.nn.Embedding.from_pretrained(torch.from_numpy(arrays["table"]))
    output = torch.from_numpy(arrays["x"]) + positions(torch.arange(5))
    save("ch05_learned", {**arrays, "output": output}, SCRIPT, seed,
         "torch.nn.Embedding of positions 0 to 4 added to a batch: B 3, T 5, N 9, D 8")


if __name__ == "__main__":
    sinusoidal()
    learned(501)
