#!/usr/bin/env python3
"""Replaces each exercise region of a chapter by its stub: it must compile, and fail a test.

    tools/check/stubs.py ch02_scaled_dot_product [--build DIR]

Exit code 0 when every stub does, 6 when one does not; DIR is best one with BERT_WERROR=ON. Like mutate.py it writes to the sources and
puts them back.
"""

import re
import sys

import mutate

REGION = re.compile(r"^([ \t]*)// EXERCISE BEGIN (\S+)\n(.*?)^[ \t]*// EXERCISE END\n",
                    re.MULTILINE | re.DOTALL)


def stub_of(region):
    """The region's text as a reader starts with it: its comments, and the stub as code."""
    indent, body = region[1], region[3]
    stub = re.search(r"// STUB:(.*)", body)[1].strip()
    steps = [line for line in body.splitlines() if line.strip().startswith("// STEP")]
    return "\n".join(steps + ([indent + stub] if stub else [])) + "\n"


def main():
    folder, build, target, program = mutate.subject(__doc__)
    faults = tried = 0
    for path in sorted(folder.glob("*.cpp")):
        original = path.read_text()
        for region in REGION.finditer(original):
            try:
                path.write_text(original[:region.start(3)] + stub_of(region)
                                + original[region.end(3):])
                by = mutate.is_noticed(build, target, program)
            finally:
                path.write_text(original)
            tried += 1
            faults += by != "test"
            print(f"{region[2]}: " + {"test": "compiles and fails its tests",
                                      "compiler": "DOES NOT COMPILE",
                                      "time limit": "DOES NOT END"}.get(by, "FAILS NO TEST"),
                  flush=True)
    mutate.is_noticed(build, target, program)
    print(f"{tried} stubs, {faults} faults")
    return 6 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
