"""A whole training of a small Transformer, from PyTorch in double precision (chapter 9)."""
import math

import numpy
import torch

from decoder import ATTENTIONS, PARTS
from encoder import ENCODER_PARTS, draw, parameters, with_prefix
from golden import save

SCRIPT = "translation.py"
BATCH, TARGETS, SOURCES, WIDTH, HEADS, INNER, LAYERS = 3, 5, 7, 24, 3, 40, 2
SOURCE_WORDS, TARGET_WORDS, STEPS, WARMUP, PEAK = 13, 11, 5, 2, 2e-3
SOURCE_LENGTHS, TARGET_LENGTHS = [5, 7, 3], [5, 3, 4]  # the end token, or the start token, in it
PAD, START, END = 0, 1, 2


class Translator(torch.nn.Module):
    def __init__(self):
        super().__init__()
        shared = dict(dropout=0.0, batch_first=True, dtype=torch.float64)
        self.source = torch.nn.Embedding(SOURCE_WORDS, WIDTH, dtype=torch.float64)
        self.target = torch.nn.Embedding(TARGET_WORDS, WIDTH, dtype=torch.float64)
        self.encoder = torch.nn.TransformerEncoder(
            torch.nn.TransformerEncoderLayer(WIDTH, HEADS, INNER, **shared), LAYERS,
            enable_nested_tensor=False)
        self.decoder = torch.nn.TransformerDecoder(
            torch.nn.TransformerDecoderLayer(WIDTH, HEADS, INNER, **shared), LAYERS)
        self.generator = torch.nn.Linear(WIDTH, TARGET_WORDS, dtype=torch.float64)

    def forward(self, source, target):
        hidden, length = source == PAD, target.shape[1]
        future = torch.triu(torch.ones(length, length, dtype=torch.bool), 1)
        memory = self.encoder(embed(self.source, source), src_key_padding_mask=hidden)
        y = self.decoder(embed(self.target, target), memory, tgt_mask=future,
                         memory_key_padding_mask=hidden)
        return self.generator(y)


def embed(table, ids):
    position = torch.arange(ids.shape[1], dtype=torch.float64)[:, None]
    angle = position / 10000 ** (torch.arange(0, WIDTH, 2, dtype=torch.float64) / WIDTH)
    encoding = torch.stack([angle.sin(), angle.cos()], -1).flatten(1)
    return math.sqrt(WIDTH) * table(ids) + encoding


def by_our_names(model, value_of):
    arrays = {"source_embedding": value_of(model.source.weight),
              "target_embedding": value_of(model.target.weight),
              "generator.weight": value_of(model.generator.weight),
              "generator.bias": value_of(model.generator.bias)}
    arrays = {key: value.detach().clone() for key, value in arrays.items()}
    encoder_names = ({"self_attention": "self_attn"}, ENCODER_PARTS)
    arrays.update(with_prefix("encoder.", parameters(model.encoder, *encoder_names, value_of)))
    arrays.update(with_prefix("decoder.", parameters(model.decoder, ATTENTIONS, PARTS, value_of)))
    return arrays


def sentences(generator, words, lengths, longest):
    """One batch a step, (STEPS, BATCH, longest): words, and PAD behind them."""
    ids = generator.integers(3, words, (STEPS, BATCH, longest))
    return numpy.where(numpy.arange(longest) < numpy.array(lengths)[:, None], ids, PAD)


def rate(step):
    if step <= WARMUP:
        return PEAK * step / WARMUP
    return PEAK * (STEPS + 1 - step) / (STEPS + 1 - WARMUP)


def training(seed):
    generator = numpy.random.default_rng(seed)
    source = sentences(generator, SOURCE_WORDS, SOURCE_LENGTHS, SOURCES)
    inputs = sentences(generator, TARGET_WORDS, TARGET_LENGTHS, TARGETS)
    inputs[:, :, 0] = START
    labels = numpy.concatenate([inputs[:, :, 1:], numpy.zeros((STEPS, BATCH, 1), int)], -1)
    for b in range(BATCH):
        source[:, b, SOURCE_LENGTHS[b] - 1] = END
        labels[:, b, TARGET_LENGTHS[b] - 1] = END
    model = Translator().train()
    draw(seed + 1, model)
    arrays = with_prefix("start.", by_our_names(model, lambda p: p))
    optimiser = torch.optim.Adam(model.parameters(), lr=PEAK, betas=(0.9, 0.98), eps=1e-9)
    losses, norms = [], []
    for step in range(STEPS):
        optimiser.param_groups[0]["lr"] = rate(step + 1)
        optimiser.zero_grad()
        logits = model(torch.from_numpy(source[step]), torch.from_numpy(inputs[step]))
        if step == 0:
            arrays["logits"] = logits.detach()
        loss = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), torch.from_numpy(labels[step]).flatten(), ignore_index=PAD,
            label_smoothing=0.1)
        loss.backward()
        norms.append(float(torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)))
        losses.append(loss.item())
        optimiser.step()
    print("losses", losses, "norms before clipping", norms)
    arrays.update(with_prefix("end.", by_our_names(model, lambda p: p)))
    save("ch09_training",
         {"source": source.astype(float), "input": inputs.astype(float),
          "labels": labels.astype(float), "losses": losses, "norms": norms, **arrays},
         SCRIPT, seed,
         f"{STEPS} steps of a Transformer of torch.nn.TransformerEncoder and TransformerDecoder, "
         f"norms after, relu, no dropout: label smoothing 0.1, clipped to norm 1, Adam (betas 0.9, "
         f"0.98, eps 1e-9), rate {PEAK} after {WARMUP} and then linear: B {BATCH}, T {TARGETS}, "
         f"S {SOURCES}, D {WIDTH}, H {HEADS}, F {INNER}, L {LAYERS}")


if __name__ == "__main__":
    training(901)
