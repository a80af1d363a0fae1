"""Proves that a checker can fail: it accepts a small good tree and refuses it with one fault."""

import subprocess
import sys
import tempfile
from pathlib import Path


def write_tree(root, tree):
    for name, content in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content, encoding="utf-8", newline="\n")


def run_in(folder, command):
    """Exit code and everything that the checker says about the tree in a folder."""
    result = subprocess.run([sys.executable, *map(str, command), "--root", str(folder)],
                            capture_output=True, text=True, encoding="utf-8")
    return result.returncode, result.stdout + result.stderr


def run(command, tree):
    """The same for a tree that is there for this run only."""
    with tempfile.TemporaryDirectory() as folder:
        write_tree(Path(folder), tree)
        return run_in(folder, command)


def changed(tree, name, old, new):
    """The tree with a text replaced in one file; the text must be there."""
    assert old in tree[name], f"{name} does not contain {old!r}"
    return {**tree, name: tree[name].replace(old, new, 1)}


class Proof:
    """Counts what was proved and remembers what was not."""

    def __init__(self):
        self.proved = 0
        self.wrong = []

    def accepts(self, command, tree):
        code, said = run(command, tree)
        self.note(code == 0, f"{command[0].name} refuses a good tree (exit {code}):\n{said}")

    def refuses(self, command, tree, expected):
        code, said = run(command, tree)
        self.note(code == 1 and expected in said and "Traceback" not in said,
                   f"{command[0].name} does not say {expected!r} (exit {code}):\n{said}")

    def note(self, right, message):
        self.proved += right
        if not right:
            self.wrong.append(message)

    def finish(self):
        for message in self.wrong:
            print(message, file=sys.stderr)
        print(f"{self.proved} behaviours proved, {len(self.wrong)} not")
        return 1 if self.wrong else 0
