#!/usr/bin/env python3
"""Checks the form of code, lessons and exercises.

Code of a chapter has at most 200 lines, its functions at most 40; a lesson has at most 250 outside
its code blocks, and all its sections; headers have #pragma once; no #define, no virtual, no base
classes, no tabs. Every lesson has at least three exercises, each a folder NN-name (NN the chapter)
with exercise.toml and task.md, and every exercise of kind "code" has one marked region with a stub
in the chapter's sources. Tests run, must not fail, and have no name that CTest cannot take.
"""

import re
import sys
import tomllib

import source_tree

CODE_LINES = 200
FUNCTION_LINES = 40
LESSON_LINES = 250
EXERCISES = 3
SECTIONS = ["What you will have", "The idea", "By hand", "The formula", "The code", "Run it",
            "How we know it is right", "What we left out", "Exercises", "References"]
KINDS = ["hand", "code", "predict", "debug", "test", "count", "explore"]
NO_TABS = (".cpp", ".hpp", ".py", ".pl", ".sh", ".cmake", ".txt", ".md", ".dot", ".toml")
# An attribute that other processors do not know cannot be written without one.
ONE_MACRO = "common/tensor/vector_clones.hpp"


def check_code(name, text, faults):
    code = source_tree.cpp_code(text)
    in_chapter = name.startswith("chapters/")
    lines = text.count("\n")
    if in_chapter and lines > CODE_LINES:
        faults.add(name, lines, f"{lines} lines (at most {CODE_LINES})")
    if name.endswith(".hpp") and not re.search(r"^#pragma once$", text, re.MULTILINE):
        faults.add(name, 1, "no #pragma once")
    if name.startswith(("chapters/", "common/", "tools/")):
        for number, line in enumerate(code.splitlines(), 1):
            if re.match(r"\s*#\s*define\b", line) and name != ONE_MACRO:
                faults.add(name, number, "#define: write a constant or a function")
            if re.search(r"\bvirtual\b", line):
                faults.add(name, number, "virtual: the project has no base classes")
            base = re.match(r"\s*(?:struct|class) \w+(?: final)? : (?:public )?([\w:]+)", line)
            if base and not base[1].startswith("std::"):
                faults.add(name, number, f"{base[1]} as a base class: the project has none")
    if in_chapter:
        check_functions(name, code, faults)


def check_lesson(name, text, faults):
    body = list(source_tree.without_fences(text))
    if len(body) > LESSON_LINES:
        faults.add(name, 1, f"{len(body)} lines of text outside code blocks (at most {LESSON_LINES})")
    headings = [(number, line[3:].strip()) for number, line in body if line.startswith("## ")]
    if name.endswith(".zh.md"):  # the sections are translated: only their number is known
        if len(headings) < len(SECTIONS):
            faults.add(name, 1, f"{len(headings)} sections (expected {len(SECTIONS)})")
        return
    chapter = int(re.match(r"chapters/ch(\d\d)", name)[1])
    if not body or not re.match(rf"# Chapter {chapter}: \S", body[0][1]):
        faults.add(name, 1, f'the first line is not "# Chapter {chapter}: ..."')
    titles = [title for _, title in headings]
    for section in SECTIONS:
        if titles.count(section) != 1:
            faults.add(name, 1, f'{titles.count(section)} sections "## {section}" (expected 1)')
    order = [title for title in titles if title in SECTIONS]
    if sorted(order, key=SECTIONS.index) != order:
        faults.add(name, 1, "the sections are not in their order: " + ", ".join(SECTIONS))


def check_functions(name, code, faults):
    """Functions of a chapter that are too long; the formatter starts and ends them in column 1."""
    start = 0
    for number, line in enumerate(code.splitlines(), 1):
        if re.match(r"(namespace|struct|class|enum|union|extern)\b", line):
            start = 0
        elif re.match(r"[^\s}#].*\{\s*$|\s+[^;]*\) (const )?\{\s*$", line) and not start:
            start = number
        elif line.startswith("}") and start:
            if number - start + 1 > FUNCTION_LINES:
                faults.add(name, start, f"a function of {number - start + 1} lines "
                                        f"(at most {FUNCTION_LINES})")
            start = 0


def check_test_names(name, text, faults):
    """CTest makes lists of names, so a name must not hold what separates or brackets a list."""
    for match in re.finditer(r'^TEST_CASE\(\s*"((?:[^"\\\n]|\\.)*)"', text, re.MULTILINE):
        bad = re.search(r"[\[\];,\\]", match[1])
        if bad:
            faults.add(name, text[:match.start()].count("\n") + 1,
                       f"the test's name holds {bad[0]!r}, which CTest cannot take")
    for match in re.finditer(r'^\s*#\s*if 0\b|"\[(?:\.|!hide|!mayfail|!shouldfail)', text, re.MULTILINE):
        faults.add(name, text[:match.start()].count("\n") + 1, "a test that does not run or may fail")


def exercise_regions(name, text, faults):
    """The ids of the marked regions in one source; faults in the marking are added."""
    ids, open_id, open_line, stub = [], None, 0, False
    for number, line in enumerate(text.splitlines(), 1):
        begin = re.search(r"// EXERCISE BEGIN\b\s*(\S*)\s*$", line)
        if begin:
            if open_id is not None:
                faults.add(name, number, f"EXERCISE BEGIN inside {open_id}")
            open_id, open_line, stub = begin[1], number, False
            ids.append((begin[1], number))
        elif re.search(r"// EXERCISE END\b", line):
            if open_id is None:
                faults.add(name, number, "EXERCISE END without a BEGIN")
            elif not stub:
                faults.add(name, open_line, f"exercise {open_id} has no // STUB: line")
            open_id = None
        elif re.search(r"// STUB:", line):
            if open_id is None:
                faults.add(name, number, "STUB outside an exercise")
            stub = True
        elif "// EXERCISE" in line:
            faults.add(name, number, "neither EXERCISE BEGIN id nor EXERCISE END")
    if open_id is not None:
        faults.add(name, open_line, f"exercise {open_id} has no EXERCISE END")
    return ids


def read_exercise(root, name, folder, faults):
    """The fields of an exercise.toml; None when it cannot be read."""
    try:
        fields = tomllib.loads(source_tree.read(root, name))
    except tomllib.TOMLDecodeError as error:
        faults.add(name, 0, f"not TOML: {error}")
        return None
    if fields.get("id") != folder:
        faults.add(name, 1, f"id {fields.get('id')!r} is not the folder's name {folder!r}")
    if not isinstance(fields.get("title"), str) or not fields["title"].strip():
        faults.add(name, 1, "no title")
    if fields.get("kind") not in KINDS:
        faults.add(name, 1, f"kind {fields.get('kind')!r} (expected one of {', '.join(KINDS)})")
    return fields


def check_exercises(root, chapter, names, faults):
    """The exercises of one chapter, and the regions of its sources."""
    prefix = f"chapters/{chapter}/"
    own = [name for name in names if name.startswith(prefix)]
    folders = sorted({name.split("/")[3] for name in own
                      if re.match(rf"{prefix}exercises/[^/]+/", name)})
    if len(folders) < EXERCISES:
        faults.add(prefix + "README.md", 0, f"{len(folders)} exercises (at least {EXERCISES})")
    regions = {}
    for name in own:
        if name.endswith(source_tree.CPP):
            for found, line in exercise_regions(name, source_tree.read(root, name), faults):
                regions.setdefault(found, []).append(f"{name}:{line}")
    for folder in folders:
        base = f"{prefix}exercises/{folder}/"
        if not re.fullmatch(rf"{chapter[2:4]}-[a-z0-9]+(-[a-z0-9]+)*", folder):
            faults.add(base, 0, f"an exercise of this chapter is named {chapter[2:4]}-name")
        for part in ("exercise.toml", "task.md"):
            if base + part not in own:
                faults.add(base + part, 0, "missing")
        if base + "exercise.toml" not in own:
            continue
        fields = read_exercise(root, base + "exercise.toml", folder, faults)
        places = regions.pop(folder, [])
        if fields and fields.get("kind") == "code" and len(places) != 1:
            faults.add(base + "exercise.toml", 1,
                       f"{len(places)} regions EXERCISE BEGIN {folder} in the sources (expected 1)")
    for found, places in regions.items():
        faults.add(places[0], 0, f"region {found!r} belongs to no exercise of the chapter")


def main():
    root = source_tree.parser(__doc__).parse_args().root
    faults = source_tree.Faults()
    names = source_tree.files(root)
    lessons = 0
    for name in names:
        if not name.endswith(NO_TABS) or name.startswith("data/"):
            continue
        text = source_tree.read(root, name)
        if "\t" in text and not name.endswith("expected_output.txt"):
            faults.add(name, text[:text.index("\t")].count("\n") + 1, "a tab")
        if name.endswith(source_tree.CPP):
            check_code(name, text, faults)
            if name.startswith("tests/"):
                check_test_names(name, text, faults)
        elif re.fullmatch(r"chapters/ch\d\d_\w+/README(\.zh)?\.md", name):
            lessons += 1
            check_lesson(name, text, faults)
    chapters = sorted({name.split("/")[1] for name in names
                       if re.match(r"chapters/ch\d\d_\w+/", name)})
    for chapter in chapters:
        if f"chapters/{chapter}/README.md" not in names:
            faults.add(f"chapters/{chapter}/README.md", 0, "missing")
        check_exercises(root, chapter, names, faults)
    return faults.finish(f"{lessons} lessons in {len(chapters)} chapters have the right form")


if __name__ == "__main__":
    sys.exit(main())
