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
        self.refused(2, "chapter 10 is not written yet", "chapter", "10")
        self.refused(2, "chapter 19 is not written yet", "test", "19")
        self.refused(2, "unknown chapter '../x'", "chapter", "../x")
        self.refused(2, "unknown chapter 'a b;*'", "test", "a b;*")
        self.refused(2, "needs a number or a name", "chapter")
        self.refused(2, "did you mean 'asan'?", "build", "asn")
        self.refused(2, "did you mean 'tensor'?", "bench", "tensr")

    def test_bert_says_which_chapter_brings_a_command(self):
        self.refused(2, "comes with chapter 15", "bert", "pretrain")

    def test_jobs(self):
        for jobs in ("0", "-1", "two", "1x"):
            self.refused(2, "JOBS", "chapters", JOBS=jobs)

    def test_extra_words(self):
        for words in (["run", "x"], ["docs", "x"], ["chapters", "x"], ["build", "release", "x"]):
            self.refused(2, "unexpected 'x'", *words)

    def test_what_a_terminal_would_obey_is_not_printed(self):
        self.refused(2, "unknown command '?[31mx'", "\x1b[31mx")
        self.refused(2, "unknown command 'a?b'", "a\nb")

    def test_a_long_word_has_no_near_one(self):
        self.refused(2, "' (./learn", "x" * 100)

    def test_benchmarks_are_no_patterns(self):
        self.refused(2, "unknown benchmark '.*'", "bench", ".*")

    def test_a_link_to_the_driver(self):
        with tempfile.TemporaryDirectory() as folder:
            link = Path(folder) / "link"
            link.symlink_to(LEARN)
            result = subprocess.run([str(link), "chapters"], capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stdout), learn("chapters")[:2])

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


RECORD = """#!/bin/sh
{ printf '%s' "${0##*/}"; printf ' [%s]' "$@"; echo; } >>"$CALLS"
"""
CMAKE = RECORD + """
[ "${FAIL:-}" = "$1" ] && exit 7
[ "$1" = --build ] && [ "${NOISE:-}" ] && echo "[1/1] Linking"
if [ "$1" = --preset ]; then
    mkdir -p "$4/bin" && touch "$4/build.ninja"
    echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >"$4/CMakeCache.txt"
    for number in 01 02 03 04 05; do
        printf '#!/bin/sh\\necho "$PWD" "$@"\\nexit ${CHAPTER_CODE:-0}\\n' >"$4/bin/ch$number"
        chmod +x "$4/bin/ch$number"
    done
    cp "$4/bin/ch01" "$4/bert"
fi
"""
CTEST = RECORD + """
printf '<testsuite name="(empty)"\\n\\ttests="9"\\n\\tfailures="%s"\\n\\tskipped="1"\\n' "${BAD:-0}" >"$8"
exit ${CODE:-0}
"""
DPKG = "#!/bin/sh\necho installed\n"


class LearnWithFakeTools(unittest.TestCase):
    """The driver with a cmake and a ctest that only write down how they were called."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.here = Path(self.folder.name).resolve()
        for name, text in (("cmake", CMAKE), ("ctest", CTEST), ("dpkg-query", DPKG)):
            path = self.here / "tools" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)
        self.build = self.here / "a build"
        self.root = LEARN.parent.resolve()

    def learn(self, *words, **environment):
        """Exit code, standard output, and the calls that were made."""
        calls = self.here / "calls"
        calls.write_text("")
        options = {"BUILD_DIR": str(self.build), "JOBS": "3", **environment}
        code, out, _ = learn(*words, folder=options.pop("folder", str(self.here)),
                             PATH=f"{self.here / 'tools'}:{os.environ['PATH']}",
                             CALLS=str(calls), **options)
        return code, out, calls.read_text().splitlines()

    def configured(self, preset="release", build=None):
        return f"cmake [--preset] [{preset}] [-B] [{build or self.build}]"

    def built(self, *targets, build=None):
        line = f"cmake [--build] [{build or self.build}] [--parallel] [3]"
        return line + "".join(f" [{word}]" for word in (("--target",) + targets if targets else ()))

    def test_build(self):
        self.assertEqual(self.learn("build", NOISE="yes"),
                         (0, "", [self.configured(), self.built("all")]))
        self.assertEqual(self.learn("build", "release"), (0, "", [self.built("all")]))
        for preset in ("dev", "asan", "double"):
            build = self.here / preset
            self.assertEqual(self.learn("build", preset, BUILD_DIR=str(build)),
                             (0, "", [self.configured(preset, build), self.built(build=build)]))
        relative = self.learn("build", BUILD_DIR="relative")[2]
        self.assertEqual(relative[0], self.configured(build=self.here / "relative"))

    def test_a_build_folder_of_another_checkout_is_configured_anew(self):
        self.learn("build")
        (self.build / "CMakeCache.txt").write_text("CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n")
        self.assertEqual(self.learn("build")[2][0], self.configured())
        (self.build / "CMakeCache.txt").unlink()
        self.assertEqual(self.learn("build")[2][0], self.configured())

    def test_a_failing_command_ends_with_its_exit_code(self):
        self.assertEqual(self.learn("build", FAIL="--preset")[0], 7)
        self.assertEqual(self.learn("build", FAIL="--build")[0], 7)
        self.assertEqual(self.learn("chapter", "2", CHAPTER_CODE="5")[0], 5)
        self.assertEqual(self.learn("run", CHAPTER_CODE="4")[0], 4)

    def test_chapter(self):
        for name in ("2", "02", "ch02", "scaled_dot_product", "ch02_scaled_dot_product"):
            code, out, calls = self.learn("chapter", name, "--words", "a b", NOISE="yes")
            self.assertEqual((code, calls[-1]), (0, self.built("ch02")))
            self.assertEqual(out, f"{self.here} --out {self.root}/out/ch02 --words a b\n")
        out = self.learn("chapter", "02", "--out", "x")[1]
        self.assertEqual(out, f"{self.here} --out x\n")
        out = self.learn("chapter", "03", folder=str(self.root))[1]
        self.assertEqual(out, f"{self.root} --out out/ch03\n")

    def test_bert(self):
        code, out, calls = self.learn("bert", "embed", "--json", "a b", NOISE="yes")
        self.assertEqual((code, calls[-1]), (0, self.built("bert")))
        self.assertEqual(out, f"{self.here} embed --json a b\n")
        self.assertEqual(self.learn("bert", "inspect", CHAPTER_CODE="3")[0], 3)
        self.assertEqual(self.learn("bert", FAIL="--build")[0], 7)

    def test_test(self):
        common = (f"ctest [--test-dir] [{self.build}] [--parallel] [3] [--output-on-failure] "
                  f"[--no-tests=error] [--output-junit] [{self.build}/test_results.xml]")
        code, out, calls = self.learn("test")
        self.assertEqual((code, out), (0, "8 passed, 0 failed, 1 skipped\n"))
        self.assertEqual(calls[1:], [self.built("all"), common])
        code, out, calls = self.learn("test", "4", "-R", "x", CODE="8", BAD="2")
        self.assertEqual((code, out), (8, "6 passed, 2 failed, 1 skipped\n"))
        self.assertEqual(calls, [self.built("ch04", "test_ch04"),
                                 common + " [-L] [^ch04$] [-R] [x]"])
        self.assertEqual(self.learn("test", "-R", "x")[2][-1], common + " [-R] [x]")
        self.assertEqual(self.learn("test", "14")[2], [self.built("ch14", "test_ch14", "test_bert"),
                                                       common + " [-L] [^(ch14|bert)$]"])


if __name__ == "__main__":
    unittest.main()
