#!/usr/bin/env python3
"""Proves that each checker of this folder fails on each kind of fault that it is there for."""

import argparse
import hashlib
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "check"))
from bad_trees import Proof, changed, run_in, write_tree  # noqa: E402

SYNC = [HERE / "sync.py", "--check"]
LINKS = [HERE / "check_links.py"]
FIGURES = [HERE / "figures.py", "--check"]
NUMBERS = [HERE / "check_numbers.py"]
PROSE = [HERE / "check_prose.py"]

LESSON, SOURCE = "chapters/ch01_one/README.md", "chapters/ch01_one/one.cpp"
OUTPUT = "chapters/ch01_one/expected_output.txt"
SNIPPET_TREE = {
    SOURCE: "// [body]\n    int a = 1;\n    // EXERCISE BEGIN 01-x\n    // STUB: int b;\n"
            "    // STEP s\n    // [inner]\n    int b = 2;\n"
            "    // [inner]\n    // EXERCISE END\n// [body]\n",
    OUTPUT: "First part\n==========\n\na 1\n\nSecond part\n-----------\nb 2\nb 3\n",
    LESSON: "<!-- snippet: ch01_one/one.cpp body -->\n```cpp\nint a = 1;\nint b = 2;\n```\n"
            "<!-- /snippet -->\n\n"
            "<!-- snippet: chapters/ch01_one/one.cpp inner -->\n```cpp\nint b = 2;\n```\n"
            "<!-- /snippet -->\n\n"
            '<!-- output: ch01_one section "First part" -->\n```text\na 1\n```\n'
            '<!-- /output -->\n\n'
            '<!-- output: ch01_one from "b 2" to "b 3" -->\n```text\nb 2\nb 3\n```\n'
            '<!-- /output -->\n'
            "````\n<!-- snippet: shown as it is written -->\n````\n",
}


def sync_faults(proof):
    proof.accepts(SYNC, SNIPPET_TREE)

    def refuses(name, old, new, expected):
        proof.refuses(SYNC, changed(SNIPPET_TREE, name, old, new), expected)

    refuses(SOURCE, "a = 1", "a = 2", f"{LESSON}:3: differs from its source")
    refuses(LESSON, "int a = 1;", "int a = 9;", "differs from its source")
    refuses(LESSON, "```text\na 1", "```text\na 2", "differs from its source")
    refuses(OUTPUT, "b 3", "b 4", 'no line with "b 3" after')
    refuses(LESSON, 'from "b 2"', 'from "b 7"', 'no line with "b 7"')
    refuses(LESSON, '"First part"', '"Third part"', '0 sections "Third part"')
    refuses(OUTPUT, "==========", "=====", '0 sections "First part"')
    refuses(OUTPUT, "a 1\n", "", "that part is empty")
    refuses(LESSON, "one.cpp body", "one.cpp none", "no region [none]")
    refuses(LESSON, "one.cpp body", "two.cpp body", "no such file")
    refuses(LESSON, "output: ch01_one section", "output: ch02_two section", "no such file")
    refuses(LESSON, "one.cpp body", "one.cpp", "expected 'snippet: FILE REGION'")
    refuses(LESSON, 'section "First part"', "1-2", "expected 'output: FOLDER section")
    refuses(LESSON, "one.cpp body -->", "one.cpp body", "not a marker that opens a block")
    refuses(LESSON, "<!-- snippet: ch01_one", "  <!-- snippet: ch01_one", "not a marker that opens")
    refuses(LESSON, "<!-- /snippet -->\n\n<!-- snippet", "\n<!-- snippet", "closes this block")
    refuses(LESSON, "<!-- snippet: ch01_one/one.cpp body -->\n", "",
            "not a marker that opens a block")
    refuses(SOURCE, "    // [inner]\n", "", "has 1 marks")
    refuses(SOURCE, "// [body]", "//! [body]", "write a region's mark as")
    refuses(SOURCE, "// [body]", "// [more]\nint c;\n// [more]\n// [body]",
            "[more] is shown nowhere")
    refuses(SOURCE, "    int a = 1;\n", "    int a;\n" * 15, "16 lines to show")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        stale = changed(SNIPPET_TREE, LESSON, "int a = 1;", "int old;")
        stale = changed(stale, LESSON, "```text\na 1\n```\n", "")
        write_tree(root, {**stale, "chapters/ch01_one/README.zh.md": stale[LESSON]})
        code, said = run_in(root, [HERE / "sync.py"])
        same = all((root / name).read_text(encoding="utf-8") == SNIPPET_TREE[LESSON]
                   for name in (LESSON, "chapters/ch01_one/README.zh.md"))
        proof.note(code == 0 and same, f"sync.py does not fill (exit {code}): {said}")


LINK_TREE = {
    "README.md": "# Main `one`!\n\n[a](docs/a.md), [b](docs/a.md#second-part-1), [c](#main-one),\n"
                 "[d](docs/), [e](https://example.org/x?y=1#z), ![A picture](docs/p.svg),\n"
                 "`[x](none.md)`, [r][ref], [![B](docs/p.svg)](docs/a.md),\n"
                 "<https://example.org>, <img src=\"docs/p.svg\" alt=\"P\">\n\n"
                 "[ref]: docs/a.md\n\n```\n[x](none.md)\n```\n",
    "docs/a.md": "# A\n\n## Second part\n\n## Second part\n\n[up](../README.md)\n",
    "docs/p.svg": "<svg/>\n",
}


def link_faults(proof):
    proof.accepts(LINKS, LINK_TREE)
    for line, expected in [
            ("[x](none.md)", "none.md: no such file"),
            ("[x](docs/none/)", "docs/none/: no such file"),
            ("[x]()", "empty link: no such file"),
            ("[x](docs/a.md#third)", "no heading #third in docs/a.md"),
            ("[x](docs/a.md#second-part-2)", "no heading #second-part-2"),
            ("[x](#none)", "no heading #none"),
            ("[x](docs/p.svg#g)", "no heading #g"),
            ("[x](../other/a.md)", "leaves the project"),
            ("[x](/docs/a.md)", "from this file's folder"),
            ("[x](http://example.org)", "write https"),
            ("See http://example.org/.", "write https"),
            ("[x](https://)", "not a well-formed https"),
            ("[x](https://nodots/x)", "not a well-formed https"),
            ("[x](https://example.org:port/)", "not a well-formed https"),
            ("[x](//example.org)", "not a well-formed https"),
            ("[x](ftp://example.org)", "not a well-formed https"),
            ("[x](mailto:a@example.org)", "not a well-formed https"),
            ("![](docs/p.svg)", "an image without a text"),
            ("![x](docs/q.svg)", "docs/q.svg: no such file"),
            ("[![](docs/p.svg)](docs/a.md)", "an image without a text"),
            ("[![x](docs/q.svg)](docs/a.md)", "docs/q.svg: no such file"),
            ('<img src="docs/p.svg">', "an image without a text"),
            ('<a href="none.md">x</a>', "none.md: no such file"),
            ("[x][none]", "[none]: no such link definition"),
            ("[none]: docs/none.md", "docs/none.md: no such file")]:
        proof.refuses(LINKS, {**LINK_TREE, "b.md": line + "\n"}, expected)
    proof.refuses(LINKS, {**LINK_TREE, "docs/a.zh.md": "[x](none.md)\n"}, "docs/a.zh.md:1: none.md")


def figure_faults(proof):
    dot = "digraph { a -> b }\n"
    digest = hashlib.sha256(dot.encode()).hexdigest()
    svg = f"<!-- source sha256: {digest} -->\n<svg/>\n"
    good = {"docs/figures/f.dot": dot, "docs/figures/f.svg": svg,
            "chapters/ch01_one/figures/f.dot": dot, "chapters/ch01_one/figures/f.svg": svg,
            "docs/figures/drawn_by_hand.svg": "<svg/>\n"}
    proof.accepts(FIGURES, good)
    proof.refuses(FIGURES, {**good, "docs/figures/f.dot": "digraph {}\n"}, "of an older version")
    proof.refuses(FIGURES, {**good, "docs/figures/f.svg": "<svg/>\n"}, "missing")
    for name in good:
        if name.endswith("f.svg"):
            proof.refuses(FIGURES, {key: good[key] for key in good if key != name}, "is missing")
    without = {key: good[key] for key in good if key != "docs/figures/f.dot"}
    proof.refuses(FIGURES, without, "is gone")


def numbers_tree():
    rows = []
    for number in range(1, 56):
        row = f"N{number:02d}"
        if number == 1:
            tail = "[chapter 1](../chapters/ch01_one/README.md) | `N01 N02: first`<br>`N01: again`"
        elif number == 2:
            tail = "[chapter 1](../chapters/ch01_one/README.md) | `N01 N02: first`"
        else:
            tail = "chapter 7 | chapter 7"
        rows.append(f"| {row} | what | 1 | 1 | exact | {tail} |")
    return {"docs/numbers.md": "| id |\n|---|\n" + "\n".join(rows) + "\n",
            "chapters/ch01_one/README.md": "",
            "tests/ch01_one/test_one.cpp": 'TEST_CASE("N01 N02: first", "[ch01]") {}\n'
                                           'TEST_CASE("N01: "\n          "again") {}\n'
                                           'TEST_CASE("one: is 1") {}\n'}


def prose_faults(proof):
    good = {LESSON: "One is 1.2345 and 0.5, see 3.1415.\n\n```text\n9.9999\n```\n",
            OUTPUT: "x 1.2345\n", "tests/ch01_one/a.cpp": "check(3.1415);\n"}
    proof.accepts(PROSE, good)
    proof.refuses(PROSE, {**good, OUTPUT: "x 1.2346\n"}, "1.2345 is in no output")
    proof.refuses(PROSE, {**good, "tests/ch01_one/a.cpp": "check(3.14159);\n"}, "3.1415 is in no")


def number_faults(proof):
    good, table, test = numbers_tree(), "docs/numbers.md", "tests/ch01_one/test_one.cpp"
    proof.accepts(NUMBERS, good)

    def refuses(name, old, new, expected):
        proof.refuses(NUMBERS, changed(good, name, old, new), expected)

    proof.refuses(NUMBERS, {name: good[name] for name in good if name != table}, "missing")
    refuses(table, "| N03 | what | 1 | 1 | exact | chapter 7 | chapter 7 |\n", "", "not N01 to N55")
    refuses(table, "| N04 |", "| N05 |", "not N01 to N55")
    refuses(table, "| N55 |", "| N56 |", "not N01 to N55")
    refuses(table, "exact | [chapter", "fine | [chapter", "verdict 'fine'")
    refuses(table, "| N03 | what | 1", "| N03 | | 1", "none of them empty")
    refuses(table, "| N03 | what | 1", "| N03 | what", "none of them empty")
    refuses(table, "exact | chapter 7 |", "exact | later |", "names no chapter")
    refuses(table, "`N01: again`", "`N01: once more`", "stale")
    refuses(test, '"again"', '"once more"', "stale")
    refuses(test, "N01 N02: first", "N01: first",
            'N02: tests/ch01_one/ has no TEST_CASE("N02: ...")')
    refuses(test, "N01 N02: first", "N99: first", "has no row N99")
    refuses(test, "N01 N02: first", "N01 and N02: first", "a test of a number starts")
    refuses(test, "first", "a | b", "no | and no `")
    proof.refuses(NUMBERS, {**good, "chapters/ch07_seven/README.md": ""},
                  "N03: tests/ch07_seven/ has no")
    proof.refuses(NUMBERS, {**good, "tests/ch02_two/t.cpp": 'TEST_CASE("N03: x") {}\n'},
                  "N03: 'where' or")
    named = {**good, "docs/differences.md": "| `one: is 1` | `int x` |\n"}
    proof.accepts(NUMBERS, named)
    proof.refuses(NUMBERS, changed(named, test, "one: is 1", "one: is 2"),
                  "there is no TEST_CASE('one: is 1')")
    stale = changed(good, table, "`N01: again`", "")
    with tempfile.TemporaryDirectory() as folder:
        write_tree(Path(folder), stale)
        code, said = run_in(folder, [*NUMBERS, "--write"])
        written = (Path(folder) / table).read_text(encoding="utf-8")
        proof.note(code == 0 and written == good[table],
                   f"check_numbers.py --write (exit {code}): {said}")


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    proof = Proof()
    for faults in (sync_faults, link_faults, figure_faults, number_faults, prose_faults):
        faults(proof)
    return proof.finish()


if __name__ == "__main__":
    sys.exit(main())
