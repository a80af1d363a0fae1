#!/usr/bin/env python3
"""Checks docs/numbers.md: every number of the documents, and the tests that hold it.

The table has the rows N01 to N55 in order. A test of a row is a TEST_CASE whose name starts with
the row's id ("N05: ..." or "N01 N02: ..."), in the test folder of any chapter; a row needs one in
the folder of its own chapter as soon as that chapter exists. The columns "where" and "tests" are
made from what is there: --write fills them, and without it they are compared. docs/differences.md
names tests as well, in code marks (`name: what is true`): each must exist.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "check"))
import source_tree  # noqa: E402

TABLE = "docs/numbers.md"
DIFFERENCES = "docs/differences.md"
IDS = [f"N{number:02d}" for number in range(1, 56)]
COLUMNS = ["id", "what", "the documents", "exact", "verdict", "where", "tests"]
VERDICTS = ("exact", "rounded", "loose", "erratum", "gap", "show", "compare")
STRINGS = r'"(?:[^"\\]|\\.)*"'
TEST_CASE = re.compile(rf"^TEST_CASE\(\s*({STRINGS}(?:\s*{STRINGS})*)", re.MULTILINE)
IDS_OF_TEST = re.compile(r"(N\d\d(?: N\d\d)*): \S")


def test_cases(root, names):
    """Every TEST_CASE as (file, line, its name)."""
    for file in names:
        if not re.fullmatch(r"tests/.*\.cpp", file):
            continue
        text = source_tree.read(root, file)
        for case in TEST_CASE.finditer(text):
            name = "".join(part[1:-1] for part in re.findall(STRINGS, case[1]))
            yield file, text.count("\n", 0, case.start()) + 1, name


def tests_of_numbers(cases, faults):
    """id -> list of (test folder, name of the test case)."""
    found = {}
    for file, line, name in cases:
        folder = re.match(r"tests/(ch\d\d_\w+)/", file)
        ids = IDS_OF_TEST.match(name)
        if not folder or not ids:
            if folder and re.match(r"\W*N\d", name):
                faults.add(file, line,
                           f'"{name}": a test of a number starts "N01: " or "N01 N02: "')
            continue
        if re.search(r"[|`]", name):
            faults.add(file, line, f'"{name}": no | and no ` in the name of a test')
        for number in ids[1].split():
            if number not in IDS:
                faults.add(file, line, f'"{name}": {TABLE} has no row {number}')
            found.setdefault(number, []).append((folder[1], name))
    return found


def check_differences(root, names, cases, faults):
    known = {name for _, _, name in cases}
    if DIFFERENCES not in names:
        return
    for number, line in source_tree.without_fences(source_tree.read(root, DIFFERENCES)):
        for name in re.findall(r"`([^`]+: [^`]+)`", line):
            if name not in known:
                faults.add(DIFFERENCES, number, f"there is no TEST_CASE({name!r})")


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def generated(cells, chapters, tests, faults, line):
    """The columns "where" and "tests" of one row."""
    number = cells[0]
    chapter = re.search(r"chapter (\d+)", cells[5])
    if not chapter:
        faults.add(TABLE, line, f"{number}: the column 'where' names no chapter")
        return cells[5], cells[6]
    own = tests.get(number, [])
    folder = chapters.get(int(chapter[1]))
    if folder and not any(place == folder for place, _ in own):
        faults.add(TABLE, line, f'{number}: tests/{folder}/ has no TEST_CASE("{number}: ...")')
    where = f"[chapter {chapter[1]}](../chapters/{folder}/README.md)" if folder else chapter[0]
    names = "<br>".join(f"`{name}`" for _, name in sorted(own))
    return where, names or chapter[0]


def main():
    parser = source_tree.parser(__doc__)
    parser.add_argument("--write", action="store_true", help="fill the generated columns")
    arguments = parser.parse_args()
    root, faults = arguments.root, source_tree.Faults()
    names = source_tree.files(root)
    if TABLE not in names:
        faults.add(TABLE, 0, "missing")
        return faults.finish("")
    chapters = {int(match[2]): match[1] for match in
                (re.match(r"chapters/(ch(\d\d)_\w+)/", name) for name in names) if match}
    cases = list(test_cases(root, names))
    tests = tests_of_numbers(cases, faults)
    check_differences(root, names, cases, faults)
    lines = source_tree.read(root, TABLE).split("\n")
    ids = []
    for index, line in enumerate(lines):
        if not re.match(r"\|\s*N\d", line):
            continue
        cells = cells_of(line)
        ids.append(cells[0])
        if len(cells) != len(COLUMNS) or not all(cells[:6]):
            faults.add(TABLE, index + 1, f"a row has {len(COLUMNS)} cells, none of them empty")
            continue
        if not re.match(rf"({'|'.join(VERDICTS)})\b", cells[4]):
            faults.add(TABLE, index + 1, f"verdict {cells[4]!r} (expected {', '.join(VERDICTS)})")
        made = generated(cells, chapters, tests, faults, index + 1)
        if tuple(cells[5:]) != made:
            if arguments.write:
                lines[index] = "| " + " | ".join([*cells[:5], *made]) + " |"
            else:
                faults.add(TABLE, index + 1,
                           f"{cells[0]}: 'where' or 'tests' is stale; "
                           "check_numbers.py --write fills it")
    if ids != IDS:
        faults.add(TABLE, 0, f"the rows are not N01 to N{len(IDS)} in order")
    if arguments.write:
        (root / TABLE).write_text("\n".join(lines), encoding="utf-8", newline="\n")
    count = len({test for places in tests.values() for test in places})
    return faults.finish(f"{len(ids)} numbers, {count} tests of them")


if __name__ == "__main__":
    sys.exit(main())
