"""Byte-pair encoding and the vocabulary trainer of the package tokenizers (chapter 12)."""
import collections
import json
import random

import tokenizers
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from golden import save

SCRIPT = "byte_pair.py"
MERGES = 60


def random_words(generator):
    """Words with counts such that no step of training has two commonest pairs."""
    words = {}
    while len(words) < 240:
        word = "".join(generator.choice("abcdeé") for _ in range(generator.randint(1, 8)))
        words.setdefault(word, generator.randint(1, 300))
    return dict(sorted(words.items()))


def gap(words, merges, end):
    """The smallest lead of a commonest pair over the next: above 0 no rule for ties is needed."""
    def pieces_of(word):
        return [*word[:-1], word[-1] + end] if end else [word[0], *("##" + c for c in word[1:])]
    cut = [(pieces_of(word), count) for word, count in words.items()]
    smallest = 10 ** 9
    for _ in range(merges):
        pairs = collections.Counter()
        for pieces, count in cut:
            for pair in zip(pieces, pieces[1:]):
                pairs[pair] += count
        (best, first), (_, second) = pairs.most_common(2)
        smallest = min(smallest, first - second)
        for pieces, _ in cut:
            i = 0
            while i + 1 < len(pieces):
                if (pieces[i], pieces[i + 1]) == best:
                    right = pieces.pop(i + 1)
                    pieces[i] += right if end else right[2:]
                i += 1
    return smallest


def trained(model, trainer, words):
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    text = [" ".join([word] * count) for word, count in words.items()]
    tokenizer.train_from_iterator(text, trainer)
    return tokenizer


def main(seed):
    generator = random.Random(seed)
    words = random_words(generator)
    while min(gap(words, MERGES, "</w>"), gap(words, MERGES, "")) < 1:
        words = random_words(generator)
    letters = sorted({letter for word in words for letter in word})
    pair = trained(models.BPE(end_of_word_suffix="</w>"),
                   trainers.BpeTrainer(vocab_size=2 * len(letters) + MERGES, show_progress=False,
                                       end_of_word_suffix="</w>"), words)
    merges = json.loads(pair.to_str())["model"]["merges"]
    others = ["".join(generator.choice(letters) for _ in range(generator.randint(1, 12)))
              for _ in range(200)]
    piece = trained(models.WordPiece(unk_token="[UNK]"),
                    trainers.WordPieceTrainer(vocab_size=2 * len(letters) + MERGES,
                                              show_progress=False), words)
    vocabulary = sorted(piece.get_vocab(), key=piece.get_vocab().get)
    save("ch12_byte_pair", {
        "words": list(words),
        "counts": list(words.values()),
        "merges": [" ".join(merge) for merge in merges],
        "other_words": others,
        "other_pieces": [" ".join(pair.encode(word).tokens) for word in others],
        "wordpiece_trainer": vocabulary[2 * len(letters):],
    }, SCRIPT, seed,
        f"tokenizers {tokenizers.__version__}: merges and pieces of BPE with the suffix </w>, and what "
        "WordPieceTrainer makes of the same words, whose commonest pair is the only one in every step")


if __name__ == "__main__":
    main(1201)
