"""Where Hugging Face's Unicode tables differ from those of utf8proc (chapter 12).

Writes common/text/unicode_exceptions.cpp, and data/golden/ch12_code_points.txt: what the tokenizers
package takes each of the 1,112,064 code points for, as ranges. Needs the packages tokenizers and
unicodedata2, and the library of utf8proc 2.8.0; all three are asked for every code point.
"""
import ctypes
import json
import pathlib
import platform

import tokenizers
import unicodedata2
from tokenizers import normalizers, pre_tokenizers

ROOT = pathlib.Path(__file__).resolve().parents[2]
POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
CATEGORIES = ("Cn Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf "
              "Cs Co").split()
NO_STEPS = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)


def step(**one):
    return normalizers.BertNormalizer(**{**NO_STEPS, **one}).normalize_str


CLEAN, CHINESE, STRIP = step(clean_text=True), step(handle_chinese_chars=True), step(strip_accents=True)
DECOMPOSE, LOWER = normalizers.NFD().normalize_str, normalizers.Lowercase().normalize_str
SPLIT = pre_tokenizers.BertPreTokenizer().pre_tokenize_str


def swaps(first, second):
    return first != second and DECOMPOSE(chr(first) + chr(second)) == chr(second) + chr(first)


def class_representatives():
    """For each combining class a mark that Hugging Face knows to be of it."""
    representatives = {240: 0x345}
    for c in POINTS:
        k = unicodedata2.combining(chr(c))
        if 0 < k < 240 and k not in representatives and DECOMPOSE(chr(c)) == chr(c) and swaps(0x345, c):
            representatives[k] = c
    return dict(sorted(representatives.items()))


REPRESENTATIVES = class_representatives()


def combining_class(c):
    """Seen from which marks change places with c."""
    if DECOMPOSE(chr(c)) != chr(c) or not (swaps(0x345, c) or swaps(c, REPRESENTATIVES[1])):
        return 0
    candidates = [k for k, mark in REPRESENTATIVES.items() if not swaps(mark, c) and not swaps(c, mark)]
    assert len(candidates) == 1, hex(c)
    return candidates[0]


def reference(c):
    """(removed, space, Chinese, punctuation, mark, decomposition, combining class, lower case)."""
    text, clean, decomposed = chr(c), CLEAN(chr(c)), DECOMPOSE(chr(c))
    return (clean == "", clean == " ", CHINESE(text) == f" {text} ", len(SPLIT(f"a{text}b")) == 3,
            decomposed == text and STRIP(text) == "", decomposed, combining_class(c), LOWER(text))


class Property(ctypes.Structure):
    _fields_ = [("category", ctypes.c_int16), ("combining_class", ctypes.c_int16)]


def utf8proc():
    library = ctypes.CDLL("libutf8proc.so.2")
    library.utf8proc_get_property.restype = ctypes.POINTER(Property)
    library.utf8proc_unicode_version.restype = ctypes.c_char_p
    assert library.utf8proc_unicode_version() == b"15.0.0"
    points, last = (ctypes.c_int32 * 32)(), ctypes.c_int(0)

    def answer(c):
        properties = library.utf8proc_get_property(c).contents
        count = library.utf8proc_decompose_char(c, points, 32, 1 << 4, ctypes.byref(last))
        decomposed = "".join(map(chr, points[:count]))
        return by_category(CATEGORIES[properties.category], decomposed, properties.combining_class,
                           chr(library.utf8proc_tolower(c)), c)
    return answer


def by_category(category, decomposed, combining, lower, c):
    ascii_symbol = 33 <= c < 127 and not chr(c).isalnum()
    removed = c in (0, 0xFFFD) or (category in ("Cc", "Cf", "Co") and c not in (9, 10, 13))
    return (category == "Cn", removed, category[0] == "P" or ascii_symbol,
            category == "Mn" and decomposed == chr(c), decomposed,
            combining if decomposed == chr(c) else 0, lower)


def newest(c):
    text = chr(c)
    return by_category(unicodedata2.category(text), unicodedata2.normalize("NFD", text),
                       unicodedata2.combining(text), None, c)


def runs(points):
    """[first, last] of what stands side by side."""
    result = []
    for c in points:
        if result and result[-1][1] == c - 1:
            result[-1][1] = c
        else:
            result.append([c, c])
    return result


def exceptions(answers):
    """Plain ranges, marks that are none, marks, punctuation, and lower-case pairs."""
    old = utf8proc()
    plain, begin, end = [], None, None
    not_marks, marks, punctuation, lower = [], [], [], []
    for c in range(0x110000):
        known = answers.get(c)
        is_plain = known is None or known == (False,) * 5 + (chr(c), 0, chr(c))
        if not is_plain and begin is not None:
            plain.append([begin, end])
            begin = None
        if known is None or c == 0x130:  # the one with two letters in lower case; unicode.cpp knows it
            continue
        want = (known[0],) + known[3:]
        unassigned, *here = old(c)
        if not unassigned and tuple(here) == want and newest(c)[1:-1] == want[:-1]:
            continue
        if is_plain:
            begin, end = c if begin is None else begin, c
            continue
        other = newest(c)
        assert known[5] == chr(c) and not known[0], hex(c)
        if here[2] and not known[4]:
            not_marks.append(c)
        if known[4] and not (here[2] and other[3]):
            marks.append(c)
        if known[3] and not here[1]:
            punctuation.append(c)
        if known[7] != here[5]:
            lower.append((c, known[7]))
    if begin is not None:
        plain.append([begin, end])
    return plain, runs(not_marks), runs(marks), runs(punctuation), lower


def holds(point, ranges):
    return any(first <= point <= last for first, last in ranges)


def check(answers, exceptions_found, source):
    """The exceptions make a source's answers those of the reference, for every code point."""
    plain, not_marks, marks, punctuation, lower = exceptions_found
    to_plain = {c for first, last in plain for c in range(first, last + 1)}
    lower = dict(lower)
    for c, known in answers.items():
        if c in to_plain:
            made = (False, False, False, chr(c), 0, chr(c))
        else:
            _, removed, symbol, mark, decomposed, combining, low = source(c)
            mark = (mark and not holds(c, not_marks)) or holds(c, marks)
            made = (removed, symbol or holds(c, punctuation), mark, decomposed, combining,
                    lower.get(c, known[7] if low is None or c == 0x130 else low))
        assert made == (known[0],) + known[3:], hex(c)


def table(name, comment, rows):
    text = ", ".join("{" + ", ".join(f"0x{x:X}" for x in row) + "}" for row in rows)
    return (f"// {comment}\nconstexpr std::array<CodePointRange, {len(rows)}> {name} = {{{{\n"
            f"{text},\n}}}};\n")


def write_exceptions(answers):
    found = exceptions(answers)
    check(answers, found, utf8proc())
    check(answers, found, newest)
    plain, not_marks, marks, punctuation, lower = found
    pairs = [(c, ord(to)) for c, to in lower]
    parts = [
        "// Made by tools/golden/unicode_exceptions.py: what the package tokenizers "
        f"{tokenizers.__version__} says,\n// where utf8proc 2.8.0 (Unicode 15.0) or Unicode "
        f"{unicodedata2.unidata_version} say otherwise or know nothing yet.\n"
        '#include "common/text/unicode_exceptions.hpp"\n\n#include <array>\n\nnamespace bert {\n\n'
        "namespace {\n",
        table("plain", "No property, no decomposition, no lower case.", plain),
        table("not_marks", "Marks by utf8proc that are not stripped.", not_marks),
        table("marks", "Stripped as marks.", marks),
        table("punctuation", "Words of their own.", punctuation),
        "// Lower case.\nconstexpr std::array<CodePointPair, "
        f"{len(pairs)}> lower = {{{{\n{', '.join('{0x%X, 0x%X}' % pair for pair in pairs)},\n}}}};\n",
        "}  // namespace\n",
        "const UnicodeExceptions& unicode_exceptions() {\n"
        "    static constexpr UnicodeExceptions all = {plain, not_marks, marks, punctuation, lower};\n"
        "    return all;\n}\n",
        "}  // namespace bert\n",
    ]
    (ROOT / "common/text/unicode_exceptions.cpp").write_text("\n".join(parts))
    print(len(plain), "plain ranges,", len(not_marks) + len(marks) + len(punctuation), "ranges,",
          len(pairs), "pairs")


def write_golden(answers):
    """One line a range of code points alike: first, last, letters of the properties, combining
    class, and how far lower case and decomposition are (absolute where a range has one)."""
    lines, last_key, first = [], None, 0

    def line(begin, end, key):
        letters, combining, lower, decomposed = key
        return f"{begin:X} {end:X} {letters or '-'} {combining} {lower} {decomposed}"

    for c in [*POINTS, None]:
        key = None
        if c is not None:
            *flags, decomposed, combining, lower = answers[c]
            letters = "".join(letter for letter, is_set in zip("rscpm", flags) if is_set)
            hangul = 0xAC00 <= c <= 0xD7A3
            key = (letters, combining,
                   str(ord(lower) - c) if len(lower) == 1 else "+".join(f"{ord(x):X}" for x in lower),
                   "hangul" if hangul else "-" if decomposed == chr(c) else
                   "+".join(f"{ord(x):X}" for x in decomposed))
        if key != last_key:
            if last_key is not None:
                lines.append(line(first, previous, last_key))
            first, last_key = c, key
        previous = c
    (ROOT / "data/golden/ch12_code_points.txt").write_text("\n".join(lines) + "\n")
    path = ROOT / "data/golden/provenance.json"
    entries = json.loads(path.read_text())
    entries["ch12_code_points.txt"] = {
        "about": f"tokenizers {tokenizers.__version__}: what BertNormalizer and BertPreTokenizer take "
                 "each code point for",
        "script": "tools/golden/unicode_exceptions.py",
        "python": platform.python_version(),
        "tokenizers": tokenizers.__version__,
    }
    path.write_text(json.dumps(dict(sorted(entries.items())), indent=2) + "\n")
    print(len(lines), "ranges of code points")


if __name__ == "__main__":
    every = {c: reference(c) for c in POINTS}
    write_exceptions(every)
    write_golden(every)
