#!/usr/bin/env python3
"""Checks every link and image in the Markdown files.

A relative link must lead to a file or folder of the project, and its #anchor to a heading there
(as GitHub spells it); a link to the outside must be a well-formed https address, which is not
fetched; an image needs a text for those who do not see it.
"""

import posixpath
import re
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "check"))
import source_tree  # noqa: E402

TARGET = r"""\(\s*<?((?:[^()\s<>]|\([^()\s]*\))*)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)"""
LINK = re.compile(r"(?<!!)\[((?:[^\[\]\\]|\\.|\[[^\]]*\])*)\]" + TARGET)
IMAGE = re.compile(r"!\[([^\[\]]*)\]" + TARGET)
DEFINITION = re.compile(r"^ {0,3}\[([^\]^]+)\]:\s*<?(\S+?)>?(?:\s+[\"'(].*)?$")
REFERENCE = re.compile(r"(!?)\[((?:[^\[\]])+)\]\[([^\]]*)\]")
HTML_IMAGE = re.compile(r"<img\b[^>]*>", re.IGNORECASE)
HTML_TARGET = re.compile(r"\b(?:href|src)\s*=\s*[\"']([^\"']*)[\"']", re.IGNORECASE)
HTML_ANCHOR = re.compile(r"<[^>]*\b(?:id|name)\s*=\s*[\"']([^\"']+)[\"']", re.IGNORECASE)
BARE = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s<>()\"'`]+", re.IGNORECASE)
HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}", re.IGNORECASE)


def blank(match):
    """As many blanks as the match is long, so that other matches keep their lines."""
    return re.sub(r"[^\n]", " ", match[0])


def prose(text):
    """The text without fenced blocks, code spans and comments; line numbers stay."""
    lines = [""] * (text.count("\n") + 1)
    for number, line in source_tree.without_fences(text):
        lines[number - 1] = line
    result = re.sub(r"<!--.*?-->", blank, "\n".join(lines), flags=re.DOTALL)
    return re.sub(r"(?<!`)(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)", blank, result, flags=re.DOTALL)


def slug(heading):
    """The anchor that GitHub makes from a heading."""
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().rstrip("#").strip())
    heading = re.sub(r"<[^>]+>", "", heading)
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchors(text):
    """Every anchor of a Markdown text."""
    found, seen = set(), {}
    for _, line in source_tree.without_fences(text):
        heading = re.match(r" {0,3}#{1,6}\s+(.*)", line)
        if heading:
            name = slug(heading[1])
            count = seen.get(name, 0)
            seen[name] = count + 1
            found.add(f"{name}-{count}" if count else name)
        found.update(HTML_ANCHOR.findall(line))
    return found


class Checker:
    def __init__(self, root, faults):
        self.root, self.faults = root, faults
        self.names = source_tree.files(root)
        self.known = set(self.names)
        self.folders = {"."}
        for name in self.names:
            parts = name.split("/")[:-1]
            self.folders.update("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))
        self.anchors = {}
        self.links = 0

    def outside(self, name, line, target):
        try:
            parts = urlsplit(target)
            host = parts.hostname or ""
            port_is_good = parts.port is None or parts.port > 0
        except ValueError:
            host, parts, port_is_good = "", urlsplit(""), False
        if parts.scheme.lower() == "http":
            self.faults.add(name, line, f"{target}: write https")
        elif parts.scheme.lower() != "https" or not HOST.fullmatch(host) or not port_is_good:
            self.faults.add(name, line, f"{target}: not a well-formed https address")

    def target(self, name, line, target):
        self.links += 1
        if re.match(r"[a-z][a-z0-9+.-]*:", target, re.IGNORECASE) or target.startswith("//"):
            self.outside(name, line, target)
            return
        path, _, anchor = target.partition("#")
        if path.startswith("/"):
            self.faults.add(name, line, f"{target}: write the path from this file's folder")
            return
        here = posixpath.dirname(name)
        file = posixpath.normpath(posixpath.join(here, unquote(path))) if path else name
        if file.startswith(".."):
            self.faults.add(name, line, f"{target}: leaves the project")
        elif not target or (file not in self.known and file.rstrip("/") not in self.folders):
            self.faults.add(name, line, f"{target or 'empty link'}: no such file")
        elif anchor:
            if file not in self.anchors:
                self.anchors[file] = (anchors(source_tree.read(self.root, file))
                                      if file.endswith(".md") else set())
            if unquote(anchor) not in self.anchors[file]:
                self.faults.add(name, line, f"{target}: no heading #{anchor} in {file}")

    def image(self, name, line, text, target):
        if not text.strip():
            self.faults.add(name, line, f"{target}: an image without a text")

    def check(self, name):
        text = prose(source_tree.read(self.root, name))

        def line_of(match):
            return text.count("\n", 0, match.start()) + 1

        definitions = {}
        for number, line in enumerate(text.split("\n"), 1):
            match = DEFINITION.match(line)
            if match:
                definitions[match[1].lower()] = match[2]
                self.target(name, number, match[2])
        for match in LINK.finditer(text):
            self.target(name, line_of(match), match[2])
        for match in IMAGE.finditer(text):
            self.target(name, line_of(match), match[2])
            self.image(name, line_of(match), match[1], match[2])
        for match in REFERENCE.finditer(text):
            label = (match[3] or match[2]).lower()
            if label not in definitions:
                self.faults.add(name, line_of(match), f"[{label}]: no such link definition")
            elif match[1]:
                self.image(name, line_of(match), match[2], definitions[label])
        for match in re.finditer(r"<[a-zA-Z][^>]*>", text):
            for target in HTML_TARGET.findall(match[0]):
                self.target(name, line_of(match), target)
        for match in HTML_IMAGE.finditer(text):
            alt = re.search(r"\balt\s*=\s*[\"']([^\"']*)[\"']", match[0])
            self.image(name, line_of(match), alt[1] if alt else "", match[0])
        rest = re.sub(r"<[a-zA-Z]+\s[^>]*>", blank, text)
        rest = LINK.sub(blank, IMAGE.sub(blank, rest))
        for match in BARE.finditer(rest):
            if not DEFINITION.match(rest.split("\n")[line_of(match) - 1]):
                self.outside(name, line_of(match), match[0].rstrip(".,;:!?"))


def main():
    root = source_tree.parser(__doc__).parse_args().root
    faults = source_tree.Faults()
    checker = Checker(root, faults)
    pages = [name for name in checker.names if name.endswith(".md")]
    for name in pages:
        checker.check(name)
    return faults.finish(f"{checker.links} links in {len(pages)} pages lead somewhere")


if __name__ == "__main__":
    sys.exit(main())
