#!/usr/bin/env python3
"""Proves that each checker of this folder fails on each kind of fault that it is there for."""

import argparse
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

from bad_trees import Proof, changed

HERE = Path(__file__).resolve().parent
INCLUDES = [HERE / "include_direction.py"]
LIMITS = [HERE / "limits.py"]
WORDS = [HERE / "words.py"]

ONE, TWO = "chapters/ch01_one/", "chapters/ch02_two/"
SECTIONS = ["What you will have", "The idea", "By hand", "The formula", "The code", "Run it",
            "How we know it is right", "What we left out", "Exercises", "References"]
LESSON = "# Chapter 1: One\n\n" + "".join(f"## {title}\n\nText.\n\n" for title in SECTIONS)
EXERCISED = """#include "ch01_one/one.hpp"

int one() {
    // EXERCISE BEGIN 01-code
    // STUB: return 0;
    return 1;
    // EXERCISE END
}
"""


def exercise(name, kind):
    base = f"{ONE}exercises/{name}/"
    return {base + "exercise.toml": f'id = "{name}"\ntitle = "T"\nkind = "{kind}"\n',
            base + "task.md": "# T\n"}


GOOD = {
    "common/a.hpp": "#pragma once\n",
    "common/b.hpp": '#pragma once\n#include <vector>\n\n#include "common/a.hpp"\n',
    ONE + "CMakeLists.txt": "add_chapter(ch01_one)\n",
    ONE + "one.hpp": '#pragma once\n#include "common/b.hpp"\nint one();\n',
    ONE + "one.cpp": EXERCISED,
    ONE + "README.md": LESSON,
    **exercise("01-code", "code"), **exercise("01-hand", "hand"), **exercise("01-count", "count"),
    "tests/ch01_one/test_one.cpp": '#include "ch01_one/one.hpp"\n#include "support/s.hpp"\n',
    "tests/support/s.hpp": "#pragma once\n",
}
GOOD_TWO = {
    **GOOD,
    TWO + "CMakeLists.txt": "add_chapter(ch02_two USES ch01_one)\n",
    TWO + "two.hpp": '#pragma once\n#include "ch01_one/one.hpp"\n',
    "chapters/ch03_three/CMakeLists.txt": "add_chapter(ch03_three LONG_OUTPUT USES ch02_two)\n",
    "chapters/ch03_three/three.hpp": '#pragma once\n#include "ch02_two/two.hpp"\n',
}


def include_faults(proof):
    proof.accepts(INCLUDES, GOOD_TWO)

    def refuses(name, old, new, expected):
        proof.refuses(INCLUDES, changed(GOOD_TWO, name, old, new), expected)

    def adds(name, line, expected):
        proof.refuses(INCLUDES, {**GOOD_TWO, name: GOOD_TWO[name] + line + "\n"}, expected)

    adds(ONE + "one.hpp", '#include "ch02_two/two.hpp"', "a later chapter")
    adds("chapters/ch03_three/three.hpp", '#include "ch01_one/one.hpp"', "not in USES")
    adds("common/a.hpp", '#include "ch01_one/one.hpp"', "common includes only common")
    adds("common/a.hpp", '#include "tests/support/s.hpp"', "only tests include tests")
    adds("common/a.hpp", '#include "support/s.hpp"', "only tests include tests")
    adds(ONE + "one.hpp", '#include "tests/support/s.hpp"', "only tests include tests")
    adds(ONE + "one.hpp", '#include "../../common/a.hpp"', "from the root")
    adds(ONE + "one.hpp", '#include <common/a.hpp>', "stand in quotes")
    adds(ONE + "one.hpp", '#include "common/none.hpp"', "no such file")
    adds("common/a.hpp", '#include "common/b.hpp"', "in a circle")
    refuses(TWO + "CMakeLists.txt", "USES ch01_one", "USES ch03_three", "only earlier")
    refuses(TWO + "CMakeLists.txt", "USES ch01_one", "USES ch01_none", "no such chapter")
    refuses(TWO + "CMakeLists.txt", "USES ch01_one", "", "not in USES")
    refuses(TWO + "CMakeLists.txt", "ch02_two", "ch02_other", "no add_chapter")
    refuses(TWO + "two.hpp", '#include "ch01_one/one.hpp"', "", "no file of the chapter")


def limit_faults(proof):
    proof.accepts(LIMITS, GOOD)

    def refuses(name, old, new, expected):
        proof.refuses(LIMITS, changed(GOOD, name, old, new), expected)

    refuses(ONE + "one.hpp", "int one();", "//\n" * 200, "at most 200")
    refuses(ONE + "one.cpp", "    return 1;", "    one();\n" * 40 + "    return 1;", "a function of")
    refuses("common/a.hpp", "#pragma once", "#pragma once\nstruct S : public Base {};", "as a base class")
    refuses(ONE + "README.md", "Text.", "Text.\n" * 250, "at most 250")
    refuses("common/a.hpp", "#pragma once", "", "no #pragma once")
    refuses("common/a.hpp", "#pragma once", "#pragma once\n#define X 1", "#define")
    refuses("common/a.hpp", "#pragma once", "#pragma once\nstruct S { virtual ~S(); };", "virtual")
    refuses(ONE + "one.cpp", "    return 1;", "\treturn 1;", "a tab")
    refuses(ONE + "README.md", "# Chapter 1:", "# Chapter 2:", "the first line is not")
    for title in SECTIONS:
        refuses(ONE + "README.md", f"## {title}\n", "", f'0 sections "## {title}"')
    refuses(ONE + "README.md", "## By hand", "```\n## By hand\n```", '0 sections "## By hand"')
    refuses(ONE + "README.md", "## Run it\n\nText.\n\n## How we know it is right",
            "## How we know it is right\n\nText.\n\n## Run it", "not in their order")
    for sign in "[],;":
        proof.refuses(LIMITS, {**GOOD, "tests/ch01_one/a.cpp": f'TEST_CASE("one: x{sign}y", "[a]") {{}}\n'},
                      "which CTest cannot take")
    for text in ('TEST_CASE("one: x", "[.a]") {}\n', '#if 0\n#endif\n',
                 'TEST_CASE("one: x", "[!mayfail]") {}\n'):
        proof.refuses(LIMITS, {**GOOD, "tests/ch01_one/a.cpp": text}, "does not run or may fail")
    without = {name: text for name, text in GOOD.items() if "01-count" not in name}
    proof.refuses(LIMITS, without, "2 exercises (at least 3)")
    without = {name: text for name, text in GOOD.items() if name != ONE + "README.md"}
    proof.refuses(LIMITS, without, "README.md: missing")
    for part in ("exercise.toml", "task.md"):
        name = f"{ONE}exercises/01-hand/{part}"
        proof.refuses(LIMITS, {key: text for key, text in GOOD.items() if key != name},
                      f"{part}: missing")
    for name in ("oddly_named", "02-hand"):
        proof.refuses(LIMITS, {**GOOD, **exercise(name, "hand")}, "is named 01-name")
    hand = f"{ONE}exercises/01-hand/exercise.toml"
    refuses(hand, 'id = "01-hand"', 'id = "01-other"', "is not the folder's name")
    refuses(hand, 'title = "T"', 'title = " "', "no title")
    refuses(hand, 'kind = "hand"', 'kind = "song"', "kind 'song'")
    refuses(hand, "=", "==", "not TOML")
    exercise_faults(proof, refuses)
    proof.refuses(LIMITS, {**GOOD, ONE + "README.zh.md": "# X\n"}, "0 sections (expected 10)")


def exercise_faults(proof, refuses):
    source = ONE + "one.cpp"
    refuses(source, "    // EXERCISE END\n", "", "has no EXERCISE END")
    refuses(source, "    // EXERCISE BEGIN 01-code\n", "", "EXERCISE END without a BEGIN")
    refuses(source, "    // STUB: return 0;\n", "", "has no // STUB: line")
    refuses(source, "int one() {\n", "// STUB: x\nint one() {\n", "STUB outside an exercise")
    refuses(source, "01-code", "01-none", "belongs to no exercise")
    refuses(source, "01-code", "01-none", "0 regions EXERCISE BEGIN 01-code")
    refuses(source, "    return 1;\n", "    // EXERCISE BEGIN 01-b\n",
            "EXERCISE BEGIN inside 01-code")
    refuses(source, "EXERCISE END", "EXERCISE STOP", "neither EXERCISE BEGIN id nor")
    twice = {**GOOD, source: EXERCISED + EXERCISED}
    proof.refuses(LIMITS, twice, "2 regions EXERCISE BEGIN 01-code")


def word_faults(proof):
    good = {"a.md": "caf\u00e9\n", "a.py": '"""caf\u00e9"""\n', "a.cpp": 'auto x = "\u00e9";\n',
            "a.bin": b"\0\xff", "data/x.txt": b"a \r\n",
            "chapters/ch01_one/expected_output.txt": "a \n", ".gitignore": "/wor" "k/\n"}
    proof.accepts(WORDS, good)
    cases = [
        ("a.md", "See /wor" "k/x.\n", "a path of one machine"),
        ("a.md", "See `/hom" "e/x`.\n", "a path of one machine"),
        ("a.cpp", '// "/tm' 'p/x"\n', "a path of one machine"),
        ("a.md", "From pypi" ".org.\n", "a registry's host"),
        ("a.md", "a \n", "blanks at the end"),
        ("a.md", "a\t\n", "blanks at the end"),
        ("a.md", b"a\r\n", "a carriage return"),
        ("a.md", b"a\xff\n", "not UTF-8"),
        ("a.md", "a", "no newline at the end"),
        ("a.md", "\ufeffa\n", "control character U+FEFF"),
        ("a.cpp", "// caf\u00e9\n", "not ASCII outside"),
        ("a.cpp", "int x;  // caf\u00e9\n", "not ASCII outside"),
        ("a.py", "x = 1  # caf\u00e9\n", "not ASCII outside"),
        ("CMakeLists.txt", "# caf\u00e9\n", "not ASCII outside"),
    ]
    for name, content, expected in cases:
        proof.refuses(WORDS, {**good, name: content}, expected)


PROGRAMS = {  # the body of a program in Python; `out` is the folder that it was told to write to
    "good": "print('a'); write('f', 'x')",
    "other text": "print('b'); write('f', 'x')",
    "threads in the text": "print('a' if threads == '2' else 'b')",
    "threads in a file": "print('a'); write('f', threads)",
    "a file that is not always there": "print('a'); write(threads, 'x')",
    "exit code": "print('a'); sys.exit(3)",
    "a file elsewhere": "print('a'); open('stray', 'w').close()",
}
EXPECTED_FAULTS = {
    "other text": "+b", "threads in the text": "one thread", "threads in a file": "out/f",
    "a file that is not always there": "different bytes", "exit code": "exit code 3",
    "a file elsewhere": "wrote stray outside",
}


def run_expected(folder, body, expected, *options):
    program, file = folder / "program", folder / "expected.txt"
    program.write_text(f"#!{sys.executable}\nimport os, sys\n"
                       "threads = os.environ['OMP_NUM_THREADS']\n"
                       "out = sys.argv[sys.argv.index('--out') + 1]\n"
                       "def write(name, text):\n    os.makedirs(out, exist_ok=True)\n"
                       "    open(os.path.join(out, name), 'w').write(text)\n" + body + "\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    if expected is not None:
        file.write_text(expected)
    result = subprocess.run([sys.executable, HERE / "expected_output.py", program, file, *options],
                            capture_output=True, text=True)
    return result.returncode, result.stdout + result.stderr


def output_faults(proof):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        code, said = run_expected(folder, PROGRAMS["good"], "a\n")
        proof.note(code == 0, f"expected_output.py refuses a good program: {said}")
        for case, expected in EXPECTED_FAULTS.items():
            code, said = run_expected(folder, PROGRAMS[case], "a\n")
            proof.note(code == 1 and expected in said and "Traceback" not in said,
                       f"expected_output.py, {case}: exit {code}, {said}")
        code, said = run_expected(folder, PROGRAMS["other text"], "a\n", "--update")
        proof.note(code == 0 and (folder / "expected.txt").read_text() == "b\n",
                   f"expected_output.py --update: exit {code}, {said}")
        (folder / "expected.txt").unlink()
        code, said = run_expected(folder, PROGRAMS["good"], None)
        proof.note(code == 1 and "error:" in said, f"no file to compare: exit {code}, {said}")


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    proof = Proof()
    for faults in (include_faults, limit_faults, word_faults, output_faults):
        faults(proof)
    return proof.finish()


if __name__ == "__main__":
    sys.exit(main())
