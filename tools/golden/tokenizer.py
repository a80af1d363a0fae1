"""Texts, pieces and decoded texts of Hugging Face's BertTokenizerFast (chapter 12).

Usage: tokenizer.py VOCAB, where VOCAB is the vocab.txt of the published uncased English models
(30,522 tokens). Writes data/golden/ch12_tokenizer.npz with texts that no vocabulary is needed for
but data/vocab/mini.txt and one made by a rule, and data/vocab/published_excerpt.tsv: of VOCAB the
tokens that a longest match over the words of the lesson can meet, with their ids.
"""
import random
import sys
import unicodedata

import numpy
import tokenizers
import transformers
from tokenizers import decoders

from golden import FOLDER, save

SEED = 1201
VOCAB_FOLDER = FOLDER.parent / "vocab"
# lower case, strip accents (2: as lower case), space Chinese
SETTINGS = [(1, 2, 1), (0, 2, 1), (1, 2, 0), (0, 2, 0), (1, 0, 1), (0, 1, 1), (1, 1, 0), (0, 0, 0)]

# Texts of the lesson and of its tests.
LESSON = ["strawberries", "Strawberries,\u00a0na\u00efve caf\u00e9\u200b \u6771\u4eac!",
          "I like strawberries", "unaffable", "the cat sat on the mat", "embeddings", "Embedding"]

PROSE = ["She said: \u201cDon\u2019t you know?\u201d\u2014and left.", "It cost $3.50 (or \u20ac3.20)...",
         "L'\u00e9t\u00e9 dernier, na\u00efve \u0152uvre", "Stra\u00dfe, GR\u00d6SSE, \u1e9e", "\u0130stanbul \u0131 I i",
         "\u041c\u043e\u0441\u043a\u0432\u0430 \u0419\u043e\u0434", "\u0391\u03b8\u03ae\u03bd\u03b1 \u039f\u0394\u039f\u03a3",
         "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd", "\u0627\u0644\u0652\u0639\u064e\u0631\u064e\u0628\u0650\u064a\u0651\u064e\u0629",
         "\u0939\u093f\u0928\u094d\u0926\u0940", "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22", "\ud55c\uad6d\uc5b4",
         "\u65e5\u672c\u8a9e\u3092\u30ab\u30bf\u30ab\u30ca\u30d0", "Ti\u1ebfng Vi\u1ec7t", "\uff28\uff25\uff2c\uff2c\uff2f\uff0c"]
SCRIPTS = [(0x41, 0x7a), (0xc0, 0x24f), (0x370, 0x3ff), (0x1f00, 0x1fff), (0x400, 0x52f),
           (0x530, 0x58f), (0x591, 0x5f4), (0x600, 0x6ff), (0x700, 0x74f), (0x780, 0x7bf),
           (0x7c0, 0x7ff), (0x8a0, 0x8ff), (0x900, 0x97f), (0x980, 0x9ff), (0xa00, 0xa7f),
           (0xa80, 0xaff), (0xb00, 0xb7f), (0xb80, 0xbff), (0xc00, 0xc7f), (0xc80, 0xcff),
           (0xd00, 0xd7f), (0xd80, 0xdff), (0xe00, 0xe7f), (0xe80, 0xeff), (0xf00, 0xfff),
           (0x1000, 0x109f), (0x10a0, 0x10ff), (0x1100, 0x11ff), (0x1200, 0x137f),
           (0x13a0, 0x13ff), (0x1780, 0x17ff), (0x1800, 0x18af), (0x1e00, 0x1eff),
           (0x2c80, 0x2cff), (0x3040, 0x30ff), (0x3400, 0x4dbf), (0x4e00, 0x9fff),
           (0xac00, 0xd7a3), (0xf900, 0xfaff), (0xff00, 0xffef), (0x10400, 0x1044f),
           (0x16ea0, 0x16edf), (0x1d15e, 0x1d1ff), (0x1e000, 0x1e02f), (0x1e900, 0x1e95f),
           (0x20000, 0x2ceaf), (0x2b800, 0x2b940), (0x302a, 0x302f), (0x300, 0x36f)]
EVERY = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
MARKS = [c for c in EVERY if unicodedata.combining(chr(c))]
SYMBOLS = [c for c in EVERY if unicodedata.category(chr(c))[0] in "PS"]
SPACES = [c for c in EVERY if unicodedata.category(chr(c))[0] == "Z"] + [9, 10, 11, 12, 13, 0x85]
CONTROLS = [c for c in EVERY if unicodedata.category(chr(c)) in ("Cc", "Cf")] + [
    0xFFFD, 0xE000, 0xF8FF, 0xF0000, 0x10FFFD, 0xFFFE, 0x378]
EMOJI = [0x1F600, 0x1F468, 0x200D, 0x1F469, 0x1F3FD, 0x1F1E9, 0x1F1EA, 0x2764, 0xFE0F]
TYPED = ["[CLS]", "[SEP]", "[MASK]", "[UNK]", "[PAD]", "[mask]", "[MASK", "[[MASK]]", "[unused1]",
         "[SEP][SEP]", "[CL\u200bS]"]
BAD = [b"\x80", b"\xff", b"\xc0\xaf", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf0\x9f", b"\xf4\x90\x80\x80",
       b"\xfe\xff", b"\xe2\x82", b"\xf0\x9f\x98", b"\xf8\x88\x80\x80\x80", b"\xc3", b"\xf0\x28\x8c\xbc"]


def word(generator, mini):
    kind = generator.random()
    if kind < 0.15:
        return generator.choice(mini).removeprefix("##")
    if kind < 0.45:
        first, last = generator.choice(SCRIPTS)
        return "".join(chr(generator.randint(first, last)) for _ in range(generator.randint(1, 6)))
    if kind < 0.52:
        return "".join(chr(generator.choice(EMOJI)) for _ in range(generator.randint(1, 4)))
    if kind < 0.62:
        return chr(generator.choice(CONTROLS))
    if kind < 0.72:
        return chr(generator.choice(SYMBOLS))
    if kind < 0.78:
        return chr(generator.choice(SPACES))
    if kind < 0.84:
        return generator.choice(TYPED)
    if kind < 0.94:
        letter = generator.choice(["e", "A", "\uac00", "\u304b", "\u0915", "\u0f71\u0f72", "\u0130", "\u1e9e"])
        return letter + "".join(chr(generator.choice(MARKS)) for _ in range(generator.randint(1, 4)))
    return "".join(chr(generator.choice(EVERY)) for _ in range(generator.randint(1, 4)))


def line(generator, mini):
    words = []
    for _ in range(generator.randint(1, 7)):
        words += [word(generator, mini), " " if generator.random() < 0.4 else ""]
    return "".join(words)


def spoilt(generator, text):
    data = bytearray(text.encode())
    for _ in range(generator.randint(1, 4)):
        at = generator.randrange(len(data) + 1)
        if generator.random() < 0.7:
            data[at:at] = generator.choice(BAD)
        else:
            del data[at:at + 1]
    return bytes(data)


def texts_of(generator, mini):
    yield from (text.encode() for text in LESSON + PROSE)
    for count in (99, 100, 101, 102):
        for letter in ("a", "\u00e9", "\uac00"):
            yield f"{letter * count} a".encode()
    for bad in BAD:
        yield b"a" + bad + b"b " + bad
    for number in range(2700):
        text = line(generator, mini)
        yield spoilt(generator, text) if number % 4 == 3 else text.encode()


def rule_vocabulary():
    """Each code point from U+0021 to U+33FF as a word and as a continuation."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    return special + [mark + chr(c) for c in range(0x21, 0x3400) for mark in ("", "##")]


def tokenizer_of(tokens, setting):
    lower, strip, chinese = setting
    return transformers.BertTokenizerFast(
        vocab={token: i for i, token in enumerate(tokens)}, do_lower_case=bool(lower),
        strip_accents=None if strip == 2 else bool(strip), tokenize_chinese_chars=bool(chinese))


def write_pieces(generator, mini):
    vocabularies = [mini, rule_vocabulary()]
    made = {}
    kept, settings, chosen, counts, pieces = [], [], [], [], []
    for number, data in enumerate(texts_of(generator, mini)):
        setting = SETTINGS[0] if number % 2 == 0 else SETTINGS[number // 2 % len(SETTINGS)]
        which = int(number % 3 != 0)
        if (which, setting) not in made:
            made[which, setting] = tokenizer_of(vocabularies[which], setting)
        encoded = made[which, setting](data.decode("utf-8", "replace"), add_special_tokens=False,
                                       return_offsets_mapping=True)
        rows = [(i % 256, i // 256, begin, end, place) for i, (begin, end), place in
                zip(encoded["input_ids"], encoded["offset_mapping"], encoded.word_ids())]
        assert max((max(row) for row in rows), default=0) < 256
        kept.append(data)
        settings.append(setting)
        chosen.append(which)
        counts.append(len(rows))
        pieces += rows
    return {
        "bytes": numpy.frombuffer(b"".join(kept), dtype="uint8"),
        "lengths": numpy.array([len(data) for data in kept], dtype="int32"),
        "settings": numpy.array(settings, dtype="uint8"),
        "vocabularies": numpy.array(chosen, dtype="uint8"),
        "piece_counts": numpy.array(counts, dtype="int32"),
        "pieces": numpy.array(pieces, dtype="uint8"),
    }


def write_decoded(generator, mini):
    tokenizer = tokenizer_of(mini, SETTINGS[0])
    lists = [[generator.randrange(len(mini)) for _ in range(generator.randint(1, 12))]
             for _ in range(150)]
    marks = [i for i, token in enumerate(mini) if token in list(".,!?'") + ["s", "m", "re", "do"]]
    lists += [[generator.choice(marks + [120, 121]) for _ in range(8)] for _ in range(100)]
    special = set(tokenizer.all_special_ids)
    plain = decoders.WordPiece(prefix="##", cleanup=False)

    def texts(skip):
        for ids in lists:
            left = [i for i in ids if not (skip and i in special)]
            yield (plain.decode([mini[i] for i in left]),
                   tokenizer.decode(ids, skip_special_tokens=skip, clean_up_tokenization_spaces=False),
                   tokenizer.decode(ids, skip_special_tokens=skip, clean_up_tokenization_spaces=True))
    return {
        "decoded_ids": numpy.array([i for ids in lists for i in ids], dtype="int32"),
        "decoded_lengths": numpy.array([len(ids) for ids in lists], dtype="int32"),
        "decoded": [row for row in texts(False)],
        "decoded_without_special": [row for row in texts(True)],
    }


def write_excerpt(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        tokens = [row.rstrip("\n") for row in file]
    assert len(tokens) == 30522 and tokens[0] == "[PAD]"
    tokenizer = tokenizer_of(tokens, SETTINGS[0])
    words = set()
    for text in LESSON:
        normal = tokenizer.backend_tokenizer.normalizer.normalize_str(text)
        words |= {w for w, _ in tokenizer.backend_tokenizer.pre_tokenizer.pre_tokenize_str(normal)}
    parts = {w[i:j] for w in words for i in range(len(w)) for j in range(i + 1, len(w) + 1)}
    special = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    rows = [f"{i}\t{token}\n" for i, token in enumerate(tokens)
            if token.removeprefix("##") in parts or token in special or i == len(tokens) - 1]
    (VOCAB_FOLDER / "published_excerpt.tsv").write_text("".join(rows), encoding="utf-8", newline="\n")
    print(len(rows), "tokens")
    for text in LESSON:
        print(ascii(text), ascii(tokenizer.tokenize(text)), tokenizer(text)["input_ids"][1:-1])


def main(vocabulary):
    mini = (VOCAB_FOLDER / "mini.txt").read_text(encoding="utf-8").split("\n")[:-1]
    generator = random.Random(SEED)
    arrays = {**write_pieces(generator, mini), **write_decoded(generator, mini)}
    save("ch12_tokenizer", arrays, "tokenizer.py", SEED,
         f"transformers {transformers.__version__}, tokenizers {tokenizers.__version__}: ids, "
         "offsets and word ids of BertTokenizerFast, and decoded texts")
    write_excerpt(vocabulary)


if __name__ == "__main__":
    main(sys.argv[1])
