#!/usr/bin/env python3
"""Makes data/curves/NAME.json from the logs of trainings that differ in their seeds alone.

    tools/golden/curves.py NAME ABOUT WINDOW LOG LOG...

A log has a JSON object with "loss" on each line. At steps that grow by half each time the band
goes from the least to the greatest mean loss of the last WINDOW steps, widened on both sides by
half its height and a twentieth of its middle: seeds that were not tried fall a little outside
those that were; no loss is below 0.
"""
import json
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "data" / "curves"


def losses_of(path):
    return [json.loads(line)["loss"] for line in pathlib.Path(path).read_text().splitlines()]


def main():
    name, about, window = sys.argv[1], sys.argv[2], int(sys.argv[3])
    runs = [losses_of(path) for path in sys.argv[4:]]
    length = min(map(len, runs))
    points = []
    step = window
    while True:
        means = [sum(run[max(0, step - window):step]) / min(step, window) for run in runs]
        low, high = min(means), max(means)
        margin = (high - low) / 2 + (high + low) / 40
        points.append({"step": step, "low": round(max(0.0, low - margin), 4), "high": round(high + margin, 4)})
        if step == length:
            break
        step = min(length, step + max(step // 2, 1))
    FOLDER.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join("    " + json.dumps(point) for point in points)
    (FOLDER / f"{name}.json").write_text(
        f'{{\n  "about": {json.dumps(about)},\n  "window": {window},\n  "seeds": {len(runs)},\n'
        f'  "points": [\n{lines}\n  ]\n}}\n')
    print(f"wrote {name}.json")


if __name__ == "__main__":
    main()
