#!/usr/bin/env python3
"""Checks who includes whom.

common includes common only; a chapter includes common, itself and the earlier chapters that its
CMakeLists.txt names in USES; nothing but a test includes tests. Paths start at the root or at
chapters/, never with "../", and no chain of includes comes back to its start.
"""

import re
import sys

import source_tree

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
CHAPTER = re.compile(r"(?:chapters/)?(ch(\d\d)_\w+)/")


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def uses_of(root, names, faults):
    """Chapter folder -> the set of chapters that its add_chapter line names."""
    uses = {}
    for name in names:
        match = re.fullmatch(r"chapters/(ch(\d\d)_\w+)/CMakeLists\.txt", name)
        if not match:
            continue
        text = re.sub(r"#[^\n]*", "", source_tree.read(root, name))
        call = re.search(r"add_chapter\(\s*(\w+)\s*(?:LONG_OUTPUT\s*)?(?:USES\s+([^)]*))?\)", text)
        if not call or call[1] != match[1]:
            faults.add(name, 1, f"no add_chapter({match[1]} [USES ...])")
            continue
        uses[match[1]] = set((call[2] or "").split())
        for used in sorted(uses[match[1]]):
            number = re.match(r"ch(\d\d)_", used)
            if not number or int(number[1]) >= int(match[2]):
                faults.add(name, 1, f"USES {used}: only earlier chapters")
            elif not any(other.startswith(f"chapters/{used}/") for other in names):
                faults.add(name, 1, f"USES {used}: there is no such chapter")
    return uses


def resolve(name, target, known):
    for candidate in (target, f"chapters/{target}", f"tests/{target}",
                      f"{name.rpartition('/')[0]}/{target}"):
        if candidate in known:
            return candidate
    return None


def why_not(name, target, uses):
    """Why the file `name` must not include the file `target`; None when it may."""
    own, other = CHAPTER.match(name), CHAPTER.match(target)
    own_top, other_top = name.split("/")[0], target.split("/")[0]
    if other_top == "tests" and own_top != "tests":
        return "only tests include tests"
    if own_top == "common" and other_top != "common":
        return "common includes only common"
    if own_top != "chapters":
        return None
    if other_top not in ("common", "chapters"):
        return "a chapter includes only common and earlier chapters"
    if not own or not other or own[1] == other[1]:
        return None
    if int(other[2]) >= int(own[2]):
        return f"a later chapter ({other[1]})"
    if other[1] not in uses.get(own[1], set()):
        return f"{other[1]} is not in USES of {own[1]}"
    return None


def find_cycle(graph):
    """One cycle of the graph as a list of files, or None."""
    done = set()
    for start in sorted(graph):
        path, on_path = [], set()
        stack = [(start, iter(sorted(graph[start])))] if start not in done else []
        while stack:
            node, targets = stack[-1]
            if node not in on_path:
                path.append(node)
                on_path.add(node)
            target = next(targets, None)
            if target is None:
                stack.pop()
                on_path.discard(path.pop())
                done.add(node)
            elif target in on_path:
                return path[path.index(target):] + [target]
            elif target not in done:
                stack.append((target, iter(sorted(graph.get(target, ())))))
    return None


def main():
    root = source_tree.parser(__doc__).parse_args().root
    faults = source_tree.Faults()
    names = source_tree.files(root)
    known = set(names)
    uses = uses_of(root, names, faults)
    needed = {chapter: set() for chapter in uses}
    graph = {}
    for name in (name for name in names if name.endswith(source_tree.CPP)):
        graph[name] = set()
        text = source_tree.read(root, name)
        for match in INCLUDE.finditer(text):
            line, quote, target = line_of(text, match.start()), match[1], match[2]
            if ".." in target.split("/") or target.startswith("/"):
                faults.add(name, line, f"{target}: write the path from the root or from chapters/")
                continue
            found = resolve(name, target, known)
            if quote == "<":
                if found and found in (target, f"chapters/{target}"):
                    faults.add(name, line, f"<{target}>: own files stand in quotes")
                continue
            if not found:
                faults.add(name, line, f"{target}: no such file in the project")
                continue
            graph[name].add(found)
            reason = why_not(name, found, uses)
            if reason:
                faults.add(name, line, f"includes {target}: {reason}")
            own, other = CHAPTER.match(name), CHAPTER.match(found)
            if own and other and name.startswith("chapters/"):
                needed.setdefault(own[1], set()).add(other[1])
    for chapter, named in uses.items():
        for used in sorted(named - needed[chapter]):
            faults.add(f"chapters/{chapter}/CMakeLists.txt", 1,
                       f"USES {used}, but no file of the chapter includes it")
    cycle = find_cycle(graph)
    if cycle:
        faults.add(cycle[0], 0, "includes in a circle: " + " -> ".join(cycle))
    return faults.finish(f"{len(graph)} files include in the right direction")


if __name__ == "__main__":
    sys.exit(main())
