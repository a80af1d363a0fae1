#!/usr/bin/env python3
"""Deletes each line of arithmetic of a chapter in turn, and says which deletions no test notices.

    tools/check/mutate.py ch02_scaled_dot_product [--build DIR]

A line counts when it is a whole statement with an operator or a call, and no declaration: what
deletes a declaration does not compile. main.cpp is left out. For each line the chapter's test
program is built and run, and the line is put back. Exit code 0 when every deletion is noticed, 6
when one is not. Run it in a tree without other changes under way: it writes to the sources.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STATEMENT = re.compile(r"^\s+[A-Za-z_*(][^;]*[-+*/=(][^;]*;\s*(//.*)?$")
NOT_ARITHMETIC = re.compile(r"^\s+(return|throw|using|break|continue|case|if|for|while|static_cast<void>)\b"
                            r"|require_|^\s+(const |static |constexpr |auto |[A-Za-z_:<>]+[&*]? [a-z_]+(\(|\{| =|;))")
DECLARATION_WITH_LOOP = re.compile(r"^\s+(if|for|while) \(.*\) [^{]*;\s*$")


def candidates(path):
    """The numbers (from 0) of the lines to delete, one at a time."""
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        if DECLARATION_WITH_LOOP.match(line):
            yield number
        elif STATEMENT.match(line) and not NOT_ARITHMETIC.match(line):
            # The statement must begin on this line.
            before = re.sub(r"\s*//.*", "", lines[number - 1]).rstrip() if number else ""
            if not before or before.endswith((";", "{", "}")):
                yield number


def is_noticed(build, target, program):
    """'compiler' or 'test' when building or running fails, None when nothing is noticed."""
    if subprocess.run(["cmake", "--build", build, "--target", target],
                      capture_output=True).returncode != 0:
        return "compiler"
    try:
        result = subprocess.run([program], capture_output=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "time limit"
    return "test" if result.returncode != 0 else None


def subject(description):
    """From the command line: the chapter's folder, the build folder, target and test program."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("chapter", help="the folder, such as ch02_scaled_dot_product")
    parser.add_argument("--build", default=str(ROOT / "build"), help="a configured build folder")
    arguments = parser.parse_args()
    folder = ROOT / "chapters" / arguments.chapter
    if not folder.is_dir():
        parser.error(f"no chapter {arguments.chapter}")
    target = "test_" + arguments.chapter[:4]
    program = str(Path(arguments.build).resolve() / "bin" / target)
    return folder, arguments.build, target, program


def main():
    folder, build, target, program = subject(__doc__)
    if is_noticed(build, target, program):
        sys.exit(f"error: {target}: the tests fail before anything is deleted")

    missed = tried = 0
    for path in sorted(folder.glob("*.cpp")):
        if path.name == "main.cpp":
            continue
        original = path.read_text()
        lines = original.splitlines(keepends=True)
        for number in list(candidates(path)):
            try:
                path.write_text("".join(lines[:number] + ["\n"] + lines[number + 1:]))
                by = is_noticed(build, target, program)
            finally:
                path.write_text(original)
            tried += 1
            missed += by is None
            print(f"{by or 'NOT NOTICED':12} {path.name}:{number + 1}: {lines[number].strip()}",
                  flush=True)
    subprocess.run(["cmake", "--build", build, "--target", target], capture_output=True)
    print(f"{tried} lines deleted, {missed} not noticed")
    return 6 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
