#!/usr/bin/env python3
"""The driver ./learn: its commands that need no build, and what it says to wrong ones."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

LEARN = Path(__file__).resolve().parents[2] / "learn"


def learn(*words, folder="/", **environment):
    """Exit code, standard output and standard error of ./learn, run from another folder."""
    result = subprocess.run([str(LEARN), *words], cwd=folder, text=True, capture_output=True,
                            stdin=subprocess.DEVNULL, timeout=60,
                            env={**os.environ, **environment})
    return result.returncode, result.stdout, result.stderr


class Learn(unittest.TestCase):
    def refused(self, code, message, *words, **options):
        found, out, error = learn(*words, **options)
        self.assertEqual(found, code, error)
        self.assertEqual(out, "")
        self.assertRegex(error, r"\Aerror: [^\n]+\n\Z")
        self.assertIn(message, error)

    def test_help(self):
        for words in (["help"], ["--help"], []):
            code, out, error = learn(*words)
            self.assertEqual((code, error), (0, ""))
            for command in ("run", "test", "chapter", "chapters", "build", "docs", "bench", "bert"):
                self.assertRegex(out, rf"(?m)^  {command}\b")

    def test_chapters(self):
        code, out, _ = learn("chapters")
        self.assertEqual(code, 0)
        lines = out.splitlines()
        self.assertRegex(lines[0], r"^01  attention_by_hand +\S.{20}")
        self.assertRegex(lines[4], r"^05  positions +\S.{20}")

    def test_unknown_words(self):
        self.refused(2, "did you mean 'chapter'?", "chaptr")
        self.refused(2, "unknown command 'qqqqqqqq' (", "qqqqqqqq")
        self.refused(2, "did you mean 'multi_head'?", "chapter", "multihead")
        self.refused(2, "unknown chapter '77' (./learn chapters lists them)", "chapter", "77")
        self.refused(2, "chapter 7 is not written yet", "chapter", "7")
        self.refused(2, "chapter 19 is not written yet", "test", "19")
        self.refused(2, "unknown chapter '../x'", "chapter", "../x")
        self.refused(2, "unknown chapter 'a b;*'", "test", "a b;*")
        self.refused(2, "needs a number or a name", "chapter")
        self.refused(2, "did you mean 'asan'?", "build", "asn")
        self.refused(2, "did you mean 'tensor'?", "bench", "tensr")

    def test_bert_says_which_chapter_brings_a_command(self):
        self.refused(2, "comes with chapter 12", "bert", "tokenize", "text")
        self.refused(2, "comes with chapter 14", "bert", "encode")
        self.refused(2, "comes with chapter 15", "bert", "pretrain")
        self.refused(2, "comes with chapter 17", "bert", "attention")
        self.refused(2, "did you mean 'fill-mask'?", "bert", "fillmask")

    def test_jobs(self):
        for jobs in ("0", "-1", "two", "1x"):
            self.refused(2, "JOBS", "chapters", JOBS=jobs)

    def test_offline_names_the_line_that_installs(self):
        with tempfile.TemporaryDirectory() as folder:
            # A package manager that has nothing installed, and must not be asked to install.
            for name, body in (("dpkg-query", "exit 1"), ("apt-get", "echo called >&2; exit 1"),
                               ("sudo", "echo called >&2; exit 1")):
                path = Path(folder) / name
                path.write_text(f"#!/bin/sh\n{body}\n")
                path.chmod(0o755)
            path = folder + ":" + os.environ["PATH"]
            for words in (["--offline", "build"], ["chapter", "--offline", "01"],
                          ["test", "--offline"]):
                self.refused(4, "apt-get install -y --no-install-recommends", *words, PATH=path,
                             BUILD_DIR=folder + "/build")
                self.assertIn("libdnnl-dev", learn(*words, PATH=path)[2])


if __name__ == "__main__":
    unittest.main()
