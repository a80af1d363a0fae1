"""Ten steps of pre-training a small BERT, from transformers and PyTorch in double (chapter 15).

BertForPreTraining without dropout, the masked language model loss at the chosen places only plus
the next sentence loss, clipping, and AdamW with warm-up and linear decay. Weights, the first
step's gradients, every step's losses and the weights after the last go into one file; batches are
drawn here and go with them.
"""
import numpy
import torch
import transformers
from transformers import BertConfig, BertForPreTraining

from golden import save

SCRIPT = "pretraining.py"
BATCH, LENGTH, WORDS, STEPS, WARMUP, PEAK, CHOSEN = 4, 12, 37, 10, 3, 2e-3, 3
CONFIG = dict(vocab_size=WORDS, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
              intermediate_size=24, max_position_embeddings=LENGTH, hidden_dropout_prob=0.0,
              attention_probs_dropout_prob=0.0)
CLS, SEP, MASK = 2, 3, 4


def examples(generator):
    """STEPS batches: tokens, what stands in for the chosen ones, lengths, and labels."""
    shape = (STEPS, BATCH, LENGTH)
    tokens = generator.integers(5, WORDS, shape)
    lengths = generator.integers(8, LENGTH + 1, shape[:2])
    lengths[:, 0] = LENGTH
    first = generator.integers(3, 6, shape[:2])
    tokens[..., 0] = CLS
    masked, chosen = tokens.copy(), numpy.zeros(shape, dtype=numpy.int64)
    for place in numpy.ndindex(shape[:2]):
        tokens[place][[first[place] - 1, lengths[place] - 1]] = SEP
        tokens[place][lengths[place]:] = 0
        masked[place] = tokens[place]
        ordinary = numpy.flatnonzero(tokens[place] >= 5)
        for t in generator.choice(ordinary, CHOSEN, replace=False):
            chosen[place][t] = 1
            draw = generator.random()
            masked[place][t] = MASK if draw < 0.8 else generator.integers(5, WORDS) if draw < 0.9 \
                else tokens[place][t]
    return tokens, masked, chosen, lengths, first, generator.integers(0, 2, shape[:2])


def rate(step):
    """From 1: up to the peak, and linearly down so that STEPS + 1 would be 0."""
    return PEAK * step / WARMUP if step <= WARMUP else PEAK * (STEPS + 1 - step) / (STEPS + 1 - WARMUP)


def main():
    torch.manual_seed(15)
    model = BertForPreTraining(BertConfig(**CONFIG)).train()
    with torch.no_grad():
        for parameter in model.parameters():  # biases and gains of their own, and exact in float32
            parameter += 0.1 * torch.randn_like(parameter)
    model = model.double()
    named = dict(model.named_parameters())  # the tied decoder once
    groups = [{"params": [p for p in named.values() if (p.dim() > 1) == decays],
               "weight_decay": 0.01 * decays} for decays in (True, False)]
    optimiser = torch.optim.AdamW(groups, lr=PEAK, betas=(0.9, 0.999), eps=1e-6)
    tokens, masked, chosen, lengths, first, next_labels = examples(numpy.random.default_rng(15))
    arrays = {"tokens": tokens, "masked": masked, "chosen": chosen, "lengths": lengths,
              "first": first, "next_labels": next_labels}
    arrays = {key: x.astype(numpy.float64) for key, x in arrays.items()}
    arrays.update({f"start.{name}": p.detach().numpy().copy() for name, p in named.items()})
    mlm_losses, nsp_losses, norms = [], [], []
    loss_of = torch.nn.CrossEntropyLoss()
    for i in range(STEPS):
        positions = torch.arange(LENGTH)
        mask = (positions < torch.tensor(lengths[i])[:, None]).long()
        types = (positions >= torch.tensor(first[i])[:, None]).long() * mask
        out = model(input_ids=torch.tensor(masked[i]), attention_mask=mask, token_type_ids=types)
        places = torch.tensor(chosen[i]).bool()
        mlm = loss_of(out.prediction_logits[places], torch.tensor(tokens[i])[places])
        nsp = loss_of(out.seq_relationship_logits, torch.tensor(next_labels[i]))
        optimiser.zero_grad()
        (mlm + nsp).backward()
        if i == 0:
            arrays.update({f"gradient.{n}": p.grad.numpy().copy() for n, p in named.items()})
        norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).item())
        for group in optimiser.param_groups:
            group["lr"] = rate(i + 1)
        optimiser.step()
        mlm_losses.append(mlm.item())
        nsp_losses.append(nsp.item())
    arrays.update({f"end.{name}": p.detach().numpy() for name, p in named.items()})
    arrays.update(mlm_losses=mlm_losses, nsp_losses=nsp_losses, norms=norms)
    save("ch15_training", arrays, SCRIPT, 15,
         f"transformers {transformers.__version__}: {BertConfig(**CONFIG).hidden_act}, "
         f"{STEPS} steps of BertForPreTraining with AdamW in double")


if __name__ == "__main__":
    main()
