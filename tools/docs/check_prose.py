#!/usr/bin/env python3
"""Checks the numbers in the text of the lessons.

A number with three or more decimals in a lesson, outside its code blocks, must stand, digit for
digit, in the chapter's expected_output.txt or in one of its tests: there a run or an assertion
holds it. Shorter numbers are examples and settings, and are left to the reader.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "check"))
import source_tree  # noqa: E402

NUMBER = re.compile(r"(?<![\w.])\d+\.\d{3,}(?!\d|\w)")


def main():
    root = source_tree.parser(__doc__).parse_args().root
    faults = source_tree.Faults()
    names = source_tree.files(root)
    count = 0
    for name in names:
        lesson = re.fullmatch(r"chapters/(ch\d\d_\w+)/README(\.zh)?\.md", name)
        if not lesson:
            continue
        sources = [f"chapters/{lesson[1]}/expected_output.txt"]
        sources += [test for test in names
                    if test.startswith(f"tests/{lesson[1]}/") and test.endswith(".cpp")]
        held = set()
        for source in sources:
            if source in names:
                held |= set(NUMBER.findall(source_tree.read(root, source)))
        for line_number, line in source_tree.without_fences(source_tree.read(root, name)):
            for number in NUMBER.findall(line):
                count += 1
                if number not in held:
                    faults.add(name, line_number,
                               f"{number} is in no output and no test of the chapter")
    return faults.finish(f"{count} numbers in the text are held by a run or a test")


if __name__ == "__main__":
    sys.exit(main())
