"""What all checkers share: the files of the checkout, and how faults are reported."""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENERATED = re.compile(r"(build[^/]*|out|work|\.git)/|(.*/)?__pycache__/")


def parser(description):
    """A parser with the one option that every checker has."""
    result = argparse.ArgumentParser(description=description)
    result.add_argument("--root", type=lambda text: Path(text).resolve(), default=ROOT,
                        help="the checkout to look at (default: the one this script lies in)")
    return result


def files(root):
    """Every file that belongs to the project, as sorted paths relative to root: what git tracks or
    would track; without git, everything but generated folders."""
    names = _git_files(root)
    if names is None:
        names = [path.relative_to(root).as_posix() for path in root.rglob("*")]
        names = [name for name in names if not GENERATED.match(name)]
    return sorted(name for name in names if (root / name).is_file())


def _git_files(root):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}

    def git(*arguments):
        return subprocess.run(["git", "-C", str(root), *arguments], env=environment,
                              capture_output=True, check=True).stdout.decode()

    try:
        if Path(git("rev-parse", "--show-toplevel").rstrip("\n")).resolve() != root:
            return None
        listed = git("ls-files", "-z", "--cached")
    except (OSError, subprocess.CalledProcessError):
        return None
    return {name for name in listed.split("\0") if name}


def read(root, name):
    """The text of a file; bytes that are not UTF-8 become U+FFFD (words.py refuses them)."""
    return (root / name).read_text(encoding="utf-8", errors="replace")


def without_fences(text):
    """The lines of a Markdown text as (number, line); lines of fenced blocks are left out."""
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        if fence:
            if mark and mark[1].startswith(fence) and line.strip() == mark[1]:
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            yield number, line


STRING = re.compile(r'R"([^()\\\s]*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'',
                    re.DOTALL)
COMMENT_OR_STRING = re.compile(r"//[^\n]*|/\*.*?\*/|" + STRING.pattern, re.DOTALL)
CPP = (".cpp", ".hpp")


def cpp_code(text, keep_comments=False):
    """C++ text without its comments and the inside of its literals; line numbers stay."""
    def blank(match):
        if keep_comments and match[0].startswith("/"):
            return match[0]
        return "\n" * match[0].count("\n") or " "
    # A quote between digits (1'000'000) is no literal.
    text = re.sub(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])", "", text)
    return COMMENT_OR_STRING.sub(blank, text)


class Faults:
    """Collects faults as file:line: message and turns them into an exit code."""

    def __init__(self):
        self.lines = []

    def add(self, name, line, message):
        self.lines.append(f"{name}:{line}: {message}" if line else f"{name}: {message}")

    def finish(self, all_well):
        for line in self.lines:
            print(line, file=sys.stderr)
        if not self.lines:
            print(all_well)
        return 1 if self.lines else 0
