#!/usr/bin/env python3
"""Fills the code and the program output that Markdown files show; with --check only compares.

In a Markdown file (each marker alone on its line; the fenced block between is generated):

    <!-- snippet: ch02_scaled_dot_product/attention.cpp scores -->      ... <!-- /snippet -->
    <!-- output: ch02_scaled_dot_product section "Why sqrt(d_k)" -->    ... <!-- /output -->
    <!-- output: ch02_scaled_dot_product from "Softmax of" to "Rows" --> ... <!-- /output -->

A snippet is the region between two lines "// [scores]" ("# [scores]" in CMake and Python), at most
15 lines of it, without the comment lines that mark exercises. An output is a part of the folder's
expected_output.txt: the lines under a title (a line underlined with = or - of the same length) up
to the next title, or the lines from the first one with a text to the next one with another.
Paths start at the root or at chapters/. Every region of a source must be shown somewhere.
"""

import re
import sys
import textwrap
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "check"))
import source_tree  # noqa: E402

SHOWN_LINES = 15
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".py": "python", ".cmake": "cmake", ".txt": "cmake"}
MARK = re.compile(r"\s*(?://|#) \[([\w-]+)\]\s*")
LOOKS_LIKE_MARK = re.compile(r"\s*(?://|#)[/!]?\s*\[[\w -]+\]\s*")
EXERCISE_LINE = re.compile(r"\s*// (?:EXERCISE|STEP|STUB)\b.*")
OPEN = re.compile(r"<!-- (snippet|output): (.*\S) -->")
QUOTED = r'"([^"]+)"'


class Problem(Exception):
    """What is wrong with one marker."""


def is_source(name):
    return name.endswith((".cpp", ".hpp", ".py", ".cmake")) or name.endswith("CMakeLists.txt")


class Sources:
    """The files of the checkout and the marked regions in them."""

    def __init__(self, root, faults):
        self.root = root
        self.names = source_tree.files(root)
        self.known = set(self.names)
        self.used = set()
        self.regions = {}  # (file, region) -> its lines
        self.places = {}  # (file, region) -> line number of its first mark
        for name in self.names:
            if is_source(name):
                self._find_regions(name, faults)

    def _find_regions(self, name, faults):
        lines = source_tree.read(self.root, name).splitlines()
        marks = {}
        for number, line in enumerate(lines, 1):
            mark = MARK.fullmatch(line)
            if mark:
                marks.setdefault(mark[1], []).append(number)
            elif LOOKS_LIKE_MARK.fullmatch(line):
                faults.add(name, number,
                           f"write a region's mark as // [name] (found {line.strip()})")
        for region, numbers in marks.items():
            if len(numbers) != 2:
                faults.add(name, numbers[0],
                           f"region [{region}] has {len(numbers)} marks (expected 2)")
                continue
            self.regions[name, region] = lines[numbers[0]:numbers[1] - 1]
            self.places[name, region] = numbers[0]

    def locate(self, path):
        for candidate in (f"chapters/{path}", path):
            if candidate in self.known:
                return candidate
        raise Problem(f"{path}: no such file")

    def snippet(self, arguments):
        words = arguments.split()
        if len(words) != 2:
            raise Problem(f"expected 'snippet: FILE REGION', found 'snippet: {arguments}'")
        name, region = self.locate(words[0]), words[1]
        if (name, region) not in self.regions:
            raise Problem(f"{name} has no region [{region}]")
        self.used.add((name, region))
        lines = [line.rstrip() for line in self.regions[name, region]
                 if not MARK.fullmatch(line) and not EXERCISE_LINE.fullmatch(line)]
        text = re.sub(r"\n{3,}", "\n\n", textwrap.dedent("\n".join(lines)).strip("\n"))
        shown = text.count("\n") + 1
        if not text or shown > SHOWN_LINES:
            raise Problem(f"{name} [{region}] has {shown if text else 0} lines to show "
                          f"(1 to {SHOWN_LINES})")
        return LANGUAGES[Path(name).suffix], text

    def output(self, arguments):
        words = arguments.split(maxsplit=1)
        name = self.locate(f"{words[0]}/expected_output.txt")
        lines = source_tree.read(self.root, name).splitlines()
        how = words[1] if len(words) == 2 else ""
        section = re.fullmatch(rf"section {QUOTED}", how)
        anchors = re.fullmatch(rf"from {QUOTED} to {QUOTED}", how)
        if section:
            part = under_title(name, lines, section[1])
        elif anchors:
            part = between(name, lines, anchors[1], anchors[2])
        else:
            raise Problem(f"expected 'output: FOLDER section \"TITLE\"' or 'output: FOLDER from "
                          f"\"TEXT\" to \"TEXT\"', found 'output: {arguments}'")
        text = "\n".join(line.rstrip() for line in part).strip("\n")
        if not text:
            raise Problem(f"{name}: that part is empty")
        return "text", text


def is_title(lines, index):
    if index + 1 >= len(lines) or not lines[index].strip():
        return False
    rule = lines[index + 1]
    return len(rule) >= 2 and rule in ("=" * len(lines[index]), "-" * len(lines[index]))


def under_title(name, lines, title):
    starts = [index for index in range(len(lines))
              if lines[index] == title and is_title(lines, index)]
    if len(starts) != 1:
        raise Problem(f'{name} has {len(starts)} sections "{title}" (expected 1)')
    begin = starts[0] + 2
    ends = [index for index in range(begin, len(lines)) if is_title(lines, index)]
    return lines[begin:ends[0] if ends else len(lines)]


def between(name, lines, first, last):
    begins = [index for index, line in enumerate(lines) if first in line]
    if not begins:
        raise Problem(f'{name} has no line with "{first}"')
    ends = [index for index in range(begins[0], len(lines)) if last in lines[index]]
    if not ends:
        raise Problem(f'{name} has no line with "{last}" after the one with "{first}"')
    return lines[begins[0]:ends[0] + 1]


def fenced(language, text):
    fence = "```"
    while fence in text:
        fence += "`"
    return [f"{fence}{language}", *text.split("\n"), fence]


def filled(name, text, sources, faults):
    """The Markdown text with every block as it should be; faults are added."""
    lines = text.split("\n")
    outside = {number for number, _ in source_tree.without_fences(text)}
    result, index = [], 0
    while index < len(lines):
        line, number = lines[index], index + 1
        result.append(line)
        index += 1
        if number not in outside or not re.match(r"\s*<!--\s*/?\s*(snippet|output)\b", line):
            continue
        match = OPEN.fullmatch(line)
        if not match:
            faults.add(name, number, f"not a marker that opens a block: {line.strip()}")
            continue
        kind, close = match[1], f"<!-- /{match[1]} -->"
        end = index
        while end < len(lines) and lines[end] != close and not OPEN.fullmatch(lines[end]):
            end += 1
        if end == len(lines) or lines[end] != close:
            faults.add(name, number, f"no {close} closes this block")
            continue
        try:
            language, shown = getattr(sources, kind)(match[2])
            result += fenced(language, shown)
        except Problem as problem:
            faults.add(name, number, str(problem))
            result += lines[index:end]
        result.append(close)
        index = end + 1
    return "\n".join(result)


def main():
    parser = source_tree.parser("Fills the code and the program output that Markdown files show.")
    parser.add_argument("--check", action="store_true",
                        help="change nothing; exit 1 on a difference")
    arguments = parser.parse_args()
    faults = source_tree.Faults()
    sources = Sources(arguments.root, faults)
    changed = []
    for name in (name for name in sources.names if name.endswith(".md")):
        text = source_tree.read(arguments.root, name)
        wanted = filled(name, text, sources, faults)
        if wanted == text:
            continue
        changed.append(name)
        if arguments.check:
            pairs = zip(text.split("\n"), wanted.split("\n"))
            line = next((at for at, (a, b) in enumerate(pairs, 1) if a != b), 1)
            faults.add(name, line, "differs from its source; tools/docs/sync.py fills it")
        else:
            (arguments.root / name).write_text(wanted, encoding="utf-8", newline="\n")
            print(f"filled {name}")
    for place in sources.regions.keys() - sources.used:
        faults.add(place[0], sources.places[place], f"region [{place[1]}] is shown nowhere")
    faults.lines.sort()
    return faults.finish(f"{len(sources.used)} regions are shown, {len(changed)} files changed")


if __name__ == "__main__":
    sys.exit(main())
