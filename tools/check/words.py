#!/usr/bin/env python3
"""Checks what no text file of the project may contain.

Paths of one machine, hosts of package registries, trailing blanks, carriage returns, bytes that
are not UTF-8, invisible control characters, a missing last newline; in source code also anything
but ASCII outside string literals. Files under data/ are held to UTF-8 only by their own tests.
"""

import io
import re
import sys
import tokenize

import source_tree

# Written in pieces, so that this file does not contain what it looks for.
MACHINE_PATH = re.compile(r"(?<![\w.}>*)])/(?:wor" r"k|hom" r"e|tm" r"p|roo" r"t|User" r"s)/")
REGISTRY_HOSTS = re.compile("|".join(re.escape(host) for host in (
    "pypi" ".org", "python" "hosted.org", "registry.npm" "js.org", "deb.debian" ".org",
    "archive.ubuntu" ".com", "crates" ".io", "repo.maven" ".org", "repo1.maven" ".org",
    "proxy.go" "lang.org", "anaconda" ".org")))
CONTROL = re.compile("[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f"
                     "\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
SOURCE = (".cpp", ".hpp", ".py", ".pl", ".sh", ".cmake", "CMakeLists.txt", ".dot", "learn")


def outside_literals(name, text):
    """The text of a source without its string literals; line numbers stay."""
    if name.endswith(".py"):
        try:
            tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
        except (tokenize.TokenError, SyntaxError):
            return text
        lines = text.splitlines()
        for token in tokens:
            if tokenize.tok_name[token.type] in ("STRING", "FSTRING_MIDDLE"):
                for row in range(token.start[0], token.end[0] + 1):
                    lines[row - 1] = lines[row - 1].encode("ascii", "ignore").decode()
        return "\n".join(lines)
    if name.endswith(source_tree.CPP):
        return source_tree.cpp_code(text, keep_comments=True)
    return source_tree.STRING.sub(lambda match: "\n" * match[0].count("\n"), text)


def check(name, data, faults):
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        faults.add(name, data[:error.start].count(b"\n") + 1, "not UTF-8")
        return
    if text and not text.endswith("\n"):
        faults.add(name, text.count("\n") + 1, "no newline at the end")
    for number, line in enumerate(text.split("\n"), 1):
        if "\r" in line:
            faults.add(name, number, "a carriage return")
        elif line != line.rstrip() and not name.endswith("expected_output.txt"):
            faults.add(name, number, "blanks at the end of the line")
        if CONTROL.search(line):
            faults.add(name, number, f"control character U+{ord(CONTROL.search(line)[0]):04X}")
        if not name.endswith(".gitignore") and MACHINE_PATH.search(line):
            faults.add(name, number, f"a path of one machine: {MACHINE_PATH.search(line)[0]}...")
        if REGISTRY_HOSTS.search(line):
            faults.add(name, number, f"a registry's host: {REGISTRY_HOSTS.search(line)[0]}")
    if name.rpartition("/")[2].endswith(SOURCE):
        for number, line in enumerate(outside_literals(name, text).split("\n"), 1):
            if not line.isascii():
                faults.add(name, number, "not ASCII outside a string literal")


def main():
    root = source_tree.parser(__doc__).parse_args().root
    faults = source_tree.Faults()
    checked = 0
    for name in source_tree.files(root):
        data = (root / name).read_bytes()
        if b"\0" in data or name.startswith("data/"):
            continue
        checked += 1
        check(name, data, faults)
    return faults.finish(f"{checked} text files are clean")


if __name__ == "__main__":
    sys.exit(main())
