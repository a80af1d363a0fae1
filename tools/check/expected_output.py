#!/usr/bin/env python3
"""Runs a chapter's program and compares what it prints with a file.

The program runs as "PROGRAM --out out" in an empty folder with two threads, then again with one:
both runs must print the same and write the same bytes below out/.
"""

import argparse
import difflib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TIMEOUT_SECONDS = 600


def run(program, threads):
    """What the program printed, and the files it wrote as a dictionary from name to bytes."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "NO_COLOR": "1",
                   "OMP_NUM_THREADS": str(threads)}
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run([str(program), "--out", "out"], cwd=folder, env=environment,
                                stdin=subprocess.DEVNULL, capture_output=True,
                                timeout=TIMEOUT_SECONDS)
        if result.returncode != 0:
            sys.stderr.buffer.write(result.stderr)
            raise RuntimeError(f"{program}: exit code {result.returncode} with {threads} threads")
        stray = [path.name for path in Path(folder).iterdir() if path.name != "out"]
        if stray:
            raise RuntimeError(f"{program}: wrote {', '.join(sorted(stray))} outside --out")
        out = Path(folder) / "out"
        written = {path.relative_to(out).as_posix(): path.read_bytes()
                   for path in sorted(out.rglob("*")) if path.is_file()}
    return result.stdout, written


def difference(expected, found, expected_name, found_name):
    def lines(data):
        return data.decode("utf-8", errors="replace").splitlines(keepends=True)
    return "".join(line if line.endswith("\n") else line + "\n\\ no newline at the end\n"
                   for line in difflib.unified_diff(lines(expected), lines(found),
                                                    expected_name, found_name))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path)
    parser.add_argument("expected", type=Path)
    parser.add_argument("--update", action="store_true", help="write the file instead")
    arguments = parser.parse_args()
    try:
        program = arguments.program.resolve(strict=True)
        printed, written = run(program, 2)
        printed_alone, written_alone = run(program, 1)
        if arguments.update:
            arguments.expected.write_bytes(printed)
        expected = arguments.expected.read_bytes()
    except (OSError, RuntimeError, subprocess.TimeoutExpired) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1

    faults = []
    if printed != expected:
        faults.append(difference(expected, printed, str(arguments.expected), "printed"))
    if printed_alone != printed:
        faults.append(difference(printed, printed_alone, "two threads", "one thread"))
    for name in sorted(written.keys() | written_alone.keys()):
        if written.get(name) != written_alone.get(name):
            faults.append(f"out/{name}: two threads and one thread write different bytes\n")
    sys.stderr.write("".join(faults))
    if not faults:
        print(f"{arguments.program.name}: {printed.count(10)} lines as expected, "
              f"{len(written)} files equal for one and two threads")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
