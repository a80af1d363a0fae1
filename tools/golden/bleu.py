"""Corpus BLEU and the tokenizer 13a of sacreBLEU (chapter 9)."""
import random

import sacrebleu

from golden import save

SCRIPT = "bleu.py"
WORDS = ["the", "a", "dog", "cat", "sees", "not", "does", "red", "house", "in"]

# Candidates and references of edge cases.
EDGES = [
    ([""], ["the dog sees"]),
    (["the dog sees"], [""]),
    ([""], [""]),
    (["the dog sees the cat"], ["the dog sees the cat"]),
    (["dog"], ["dog"]),
    (["dog"], ["cat"]),
    (["the dog sees"], ["the dog sees"]),
    (["the the the the the the the"], ["the cat is on the mat"]),
    (["a a a a a a"], ["a a a"]),
    (["a b c d e f"], ["f e d c b a"]),
    (["a b x c d y e f"], ["a b c d e f"]),
    (["a b c x d e f y"], ["a b c d e f"]),
    (["the dog sees the cat in the red house"], ["the dog sees the cat"]),
    (["the dog sees the cat"], ["the dog sees the cat in the red house"]),
    (["the dog", "the cat"], ["the dog", "the cat"]),
    (["", "the dog sees the cat"], ["the house", "the dog sees the cat"]),
    (["The dog sees it ."], ["the dog sees it ."]),
    (["i do not see it , he said .", "x"], ["i do not see it , he says .", "y"]),
]

# Running text for 13a.
TEXTS = [
    "", " ", "Hello, world!", "It costs $3.50, or 1,000.25 in all.", "a.b,c 1.2,3 4.x x.5 .5 5.",
    "state-of-the-art 1990-2000 5-year x-5 5- -5", "don't 'quote' \"quoted\" (in brackets) [x] {y}",
    "&quot;A&quot; &amp; B &lt;c&gt; &amp;lt; &amp;quot;", "<skipped>gone<skipped>", "line-\nbreak and\nnext",
    "..", "...", "1..2", "a..b,,c", "1,.2", "x,1", "1,x", ",", "?!?", "50% @home #1 a/b a\\b ~x^y_z|w `v`",
    "l'étudiant, c'est étrange.", "œuf.œuf,œuf 3œ.œ3", "tab\tand  two   blanks ", "caf\u00e9\u00a0noir\u3000fin",
    "end-\n", "-\n-\n", "a+b=c*d;e:f", "9.9.9 1-2-3 1.-2",
]


def random_sentence(generator, longest):
    return " ".join(generator.choice(WORDS) for _ in range(generator.randint(0, longest)))


def noisy(generator, sentence):
    words = [word for word in sentence.split() if generator.random() > 0.1]
    return " ".join(generator.choice(WORDS) if generator.random() < 0.15 else word for word in words)


def random_corpora(generator, count):
    for number in range(count):
        references = [random_sentence(generator, 4 + number) for _ in range(1 + number)]
        if number % 4 == 3:
            yield [random_sentence(generator, 4 + number) for _ in references], references
        else:
            yield [noisy(generator, reference) for reference in references], references


def random_text(generator):
    pieces = WORDS + list(".,-'!?&()$%<>\"") + ["é", "12", "7", " ", " ", "  ", "&amp;", "\n"]
    return "".join(generator.choice(pieces) for _ in range(generator.randint(1, 30)))


def numbers(metric, candidates, references):
    result = metric.corpus_score(candidates, [references])
    return [result.score, *result.precisions, result.bp, result.sys_len, result.ref_len]


def main(seed):
    generator = random.Random(seed)
    corpora = EDGES + list(random_corpora(generator, 24))
    texts = TEXTS + [random_text(generator) for _ in range(60)]
    running = [texts[begin:begin + 4] for begin in range(0, len(texts), 4)]
    plain = sacrebleu.BLEU(tokenize="none", force=True)
    standard = sacrebleu.BLEU(force=True)
    save("ch09_bleu", {
        "sizes": [len(candidates) for candidates, _ in corpora],
        "candidates": [line for candidates, _ in corpora for line in candidates],
        "references": [line for _, references in corpora for line in references],
        "scores": [numbers(plain, *corpus) for corpus in corpora],
        "texts": texts,
        "tokens": [standard.tokenizer(text.rstrip()) for text in texts],
        # Four texts a corpus; the candidates are the references turned by one.
        "scores_13a": [numbers(standard, part[1:] + part[:1], part) for part in running],
    }, SCRIPT, seed,
        f"sacrebleu {sacrebleu.__version__}: corpus BLEU of words (score, four precisions, brevity "
        "penalty, both lengths), tokens of 13a and corpus BLEU of running text")


if __name__ == "__main__":
    main(901)
