"""Encodings of Hugging Face's BertTokenizerFast, and outputs of its BertEmbeddings (chapter 13)."""
import pathlib
import random

import numpy
import tokenizers
import torch
import transformers
from transformers.models.bert.modeling_bert import BertEmbeddings

from golden import FOLDER, random_arrays, save

SCRIPT = "bert_input.py"
SEED = 1301
TRUNCATIONS = ["do_not_truncate", "longest_first", "only_first", "only_second"]
PADDINGS = ["do_not_pad", "longest", "max_length"]
NOTHING = -1  # of a second text, of a max_length
TYPED = ["[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]", "[SEP][SEP]", "[cls]"]
ODD = ["caf\u00e9", "\u4e16\u754c", "\u200b", "q" * 101, "na\u00efve,", "!!", "\u03bf\u03b4\u03bf\u03c3", "\U0001f600"]


def tokenizer_of(tokens):
    return transformers.BertTokenizerFast(vocab={token: i for i, token in enumerate(tokens)})


def text_of(generator, words, most):
    parts = []
    for _ in range(generator.choice([0, 1, 1, 2, 3, 5, most])):
        kind = generator.random()
        parts.append(generator.choice(TYPED if kind < 0.1 else ODD if kind < 0.25 else words))
        parts.append(" " * generator.choice([0, 1, 1, 1, 2]))
    return "".join(parts)


def options_of(generator, most):
    return {
        "special": generator.random() < 0.75,
        "max_length": generator.choice([0, 1, 2, 3, 4, 5]) if generator.random() < 0.3
        else generator.randint(3, 2 * most + 3),
        "truncation": generator.randrange(len(TRUNCATIONS)),
        "padding": generator.randrange(len(PADDINGS)),
    }


def encoded(tokenizer, pairs, options):
    """One row of lists for each example, or None where the batch is to be refused: where Hugging
    Face refuses it, and where it returns more than max_length for lack of room for [CLS], [SEP]."""
    second = None if pairs[0][1] is None else [b for _, b in pairs]
    try:
        batch = tokenizer(
            [a for a, _ in pairs], second, add_special_tokens=options["special"],
            truncation=TRUNCATIONS[options["truncation"]], padding=PADDINGS[options["padding"]],
            max_length=options["max_length"], return_special_tokens_mask=True,
            return_offsets_mapping=True, verbose=False)
    except Exception as error:  # of the type Exception itself
        assert "Truncation error" in str(error)
        return None
    rows = []
    for i in range(len(pairs)):
        words = [0 if w is None else w + 1 for w in batch.word_ids(i)]
        rows.append(list(zip(batch["input_ids"][i], batch["token_type_ids"][i],
                             batch["attention_mask"][i], batch["special_tokens_mask"][i],
                             [a for a, _ in batch["offset_mapping"][i]],
                             [b for _, b in batch["offset_mapping"][i]], words)))
    if options["truncation"] > 0 and max(map(len, rows)) > options["max_length"]:
        least = 0 if not options["special"] else 2 if second is None else 3
        assert options["max_length"] < least, (pairs, options)
        return None
    return rows


def encodings(tokens, count, seed, most=8):
    """Batches of one to three examples; numbers as small as they can be stored."""
    generator = random.Random(seed)
    tokenizer = tokenizer_of(tokens)
    words = [token.removeprefix("##") for token in tokens if not token.startswith("[")]
    texts, lengths, batches, refused, counts, numbers = [], [], [], [], [], []
    for _ in range(count):
        pair = generator.random() < 0.6
        pairs = [(text_of(generator, words, most), text_of(generator, words, most) if pair else None)
                 for _ in range(generator.randint(1, 3))]
        options = options_of(generator, most)
        rows = encoded(tokenizer, pairs, options)
        batches.append((len(pairs), options["special"], options["max_length"],
                        options["truncation"], options["padding"], rows is None))
        for a, b in pairs:
            texts.append((a + (b or "")).encode())
            lengths.append((len(a.encode()), NOTHING if b is None else len(b.encode())))
        for row in rows or []:
            counts.append(len(row))
            numbers += row
    small = max(max(row) for row in numbers) < 256
    return {
        "bytes": numpy.frombuffer(b"".join(texts), dtype="uint8"),
        "lengths": numpy.array(lengths, dtype="int32"),
        "batches": numpy.array(batches, dtype="int32"),
        "counts": numpy.array(counts, dtype="int32"),
        "numbers": numpy.array(numbers, dtype="uint8" if small else "int32"),
    }


def embeddings(name, seed, rows, positions, types, width, epsilon):
    config = transformers.BertConfig(
        vocab_size=rows, max_position_embeddings=positions, type_vocab_size=types,
        hidden_size=width, num_attention_heads=1, layer_norm_eps=epsilon, hidden_dropout_prob=0.0)
    layer = BertEmbeddings(config).double().eval()
    arrays = random_arrays(seed, word=(rows, width), position=(positions, width),
                           type=(types, width), weight=(width,), bias=(width,))
    generator = numpy.random.default_rng(seed + 1)
    batch, length = 4, positions
    ids = generator.integers(0, rows, (batch, length))
    segments = generator.integers(0, types, (batch, length))
    lengths = [length, length - 1, 3, 1]
    mask = numpy.array([[int(t < n) for t in range(length)] for n in lengths])
    ids, segments = ids * mask, segments * mask
    with torch.no_grad():
        layer.word_embeddings.weight.copy_(torch.from_numpy(arrays["word"]))
        layer.position_embeddings.weight.copy_(torch.from_numpy(arrays["position"]))
        layer.token_type_embeddings.weight.copy_(torch.from_numpy(arrays["type"]))
        layer.LayerNorm.weight.copy_(torch.from_numpy(arrays["weight"]))
        layer.LayerNorm.bias.copy_(torch.from_numpy(arrays["bias"]))
        output = layer(input_ids=torch.from_numpy(ids), token_type_ids=torch.from_numpy(segments))
    arrays.update(input_ids=ids, token_type_ids=segments, attention_mask=mask.astype(float),
                  epsilon=numpy.array([epsilon]), output=output.numpy())
    save(name, arrays, SCRIPT, seed,
         f"transformers {transformers.__version__}, BertEmbeddings in double: V {rows}, "
         f"P {positions}, G {types}, D {width}, epsilon {epsilon}, padded, with segments")


if __name__ == "__main__":
    mini = pathlib.Path(FOLDER.parent / "vocab" / "mini.txt").read_text(encoding="utf-8")
    save("ch13_encodings", encodings(mini.split("\n")[:-1], 400, SEED), SCRIPT, SEED,
         f"transformers {transformers.__version__}, tokenizers {tokenizers.__version__}: batches of "
         "BertTokenizerFast under random truncation, padding and max_length")
    embeddings("ch13_embeddings", 1311, 23, 7, 2, 12, 1e-12)
    embeddings("ch13_embeddings_wide", 1321, 40, 11, 3, 33, 1e-5)
