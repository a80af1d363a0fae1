#!/usr/bin/env python3
"""Reads the files of an attention dump with Python's own parsers and compares them.

    check_files.py NPZ JSON CSV SVG PNG [SCHEMA]

The .npz is the reference: its arrays, the meta data (against the schema), and what the other files
must agree with. Prints one line and ends with 0, or fails with the first difference.
"""

import ast
import csv
import io
import json
import math
import re
import struct
import sys
import xml.etree.ElementTree
import zipfile
import zlib


def read_npy(data):
    """Shape, dtype and the elements in C order."""
    assert data[:6] == b"\x93NUMPY" and data[6] in (1, 2, 3)
    size = 2 if data[6] == 1 else 4
    length = int.from_bytes(data[8:8 + size], "little")
    start = 8 + size + length
    assert start % 64 == 0, "the numbers do not start at a multiple of 64"
    header = ast.literal_eval(data[8 + size:start].decode("latin1"))
    assert not header["fortran_order"]
    dtype, count = header["descr"], math.prod(header["shape"])
    body = data[start:]
    if dtype.startswith("<U"):
        width = 4 * int(dtype[2:])
        values = [body[i * width:(i + 1) * width].decode("utf-32-le").rstrip("\0")
                  for i in range(count)]
    else:
        code = {"<f2": "e", "<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q"}[dtype]
        values = list(struct.unpack(f"<{count}{code}", body))
    return header["shape"], dtype, values


def read_npz(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        for entry in archive.infolist():
            assert entry.compress_type == zipfile.ZIP_STORED
        return {entry.filename.removesuffix(".npy"): read_npy(archive.read(entry))
                for entry in archive.infolist()}


TYPES = {"object": dict, "array": list, "string": str, "null": type(None)}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def check_schema(value, schema, where="meta"):
    """The part of JSON Schema that the project's schema uses; refuses any other word."""
    known = {"$schema", "title", "description", "type", "const", "enum", "required", "properties",
             "additionalProperties", "items", "minItems", "maxItems", "minimum", "minLength",
             "pattern"}
    assert set(schema) <= known, f"{where}: unknown words {set(schema) - known}"
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    assert not types or any(is_type(value, name) for name in types), f"{where}: {value!r}"
    assert "const" not in schema or value == schema["const"], f"{where}: {value!r}"
    assert "enum" not in schema or value in schema["enum"], f"{where}: {value!r}"
    if isinstance(value, dict):
        for key in schema.get("required", []):
            assert key in value, f"{where}: no {key}"
        for key, part in value.items():
            inner = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
            if inner is not None:
                check_schema(part, inner, f"{where}.{key}")
    if isinstance(value, list):
        assert schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)), where
        for i, part in enumerate(value):
            check_schema(part, schema.get("items", {}), f"{where}[{i}]")
    if isinstance(value, str):
        assert len(value) >= schema.get("minLength", 0), where
        assert re.search(schema.get("pattern", ""), value), f"{where}: {value!r}"
    if isinstance(value, int) and "minimum" in schema:
        assert value >= schema["minimum"], f"{where}: {value}"


def flat(nested):
    if not isinstance(nested, list):
        return [nested]
    return [x for part in nested for x in flat(part)]


def shape_of(nested):
    shape = []
    while isinstance(nested, list):
        shape.append(len(nested))
        nested = nested[0]
    return tuple(shape)


def check_weights(arrays, meta):
    shape, dtype, values = arrays["attentions"]
    assert len(shape) == 5 and dtype in ("<f4", "<f2")
    layers, batch, heads, targets, sources = shape
    assert arrays["layers"][0] == (layers,) and arrays["heads"][0] == (heads,)
    assert arrays["tokens"][0] == (batch, targets)
    assert len(meta["axes"]["attentions"]) == 5
    assert set(meta["axes"]) == set(arrays) - {"layers", "heads", "meta"}
    assert len(meta["sentence_b_start"]) == batch
    tolerance = 1e-5 if dtype == "<f4" else 1e-3
    for r in range(0, len(values), sources):
        assert abs(sum(values[r:r + sources]) - 1) <= tolerance, f"row {r // sources}"
    for name in ("input_ids", "attention_mask", "word_ids", "offsets", "token_type_ids",
                 "special_tokens_mask"):
        if name in arrays:
            assert arrays[name][1] == "<i4" and arrays[name][0][:2] == (batch, targets)


def check_json(path, arrays, meta):
    with open(path, encoding="utf-8") as file:
        found = json.load(file, parse_constant=lambda word: sys.exit(f"{word} in JSON"))
    assert set(found) == set(arrays), set(found) ^ set(arrays)
    assert found.pop("meta") == meta
    for key, nested in found.items():
        shape, dtype, values = arrays[key]
        assert shape_of(nested) == shape, key
        for a, b in zip(flat(nested), values, strict=True):
            close = a == b if not dtype.startswith("<f") else abs(a - b) <= 6e-6 * abs(b)
            assert close, f"{key}: {a} is not {b}"


def check_csv(path, arrays):
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    assert text.endswith("\r\n")
    rows = list(csv.reader(io.StringIO(text), strict=True))
    assert rows[0] == ["layer", "head", "target", "target_token", "source", "source_token", "weight"]
    (layers, _, heads, targets, sources), _, values = arrays["attentions"]
    tokens = arrays["tokens"][2]
    names = arrays["source_tokens"][2] if "source_tokens" in arrays else tokens
    lines = iter(rows[1:])
    for l in range(layers):
        for h in range(heads):
            for t in range(targets):
                for s in range(sources):
                    row = next(lines)
                    weight = values[((l * arrays["attentions"][0][1] * heads + h) * targets + t)
                                    * sources + s]
                    assert row[:3] + [row[4]] == [
                        str(arrays["layers"][2][l]), str(arrays["heads"][2][h]), str(t), str(s)]
                    for cell, token in ((row[3], tokens[t]), (row[5], names[s])):
                        assert cell == token or cell == "'" + token, (cell, token)
                        assert len(cell) < 2 or cell[0] not in "=+-@\t\r", cell
                    assert abs(float(row[6]) - weight) <= 6e-6 * weight
    assert next(lines, None) is None


def check_svg(path):
    root = xml.etree.ElementTree.parse(path).getroot()
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == space + "svg"
    names = {element.tag for element in root.iter()}
    allowed = {"svg", "title", "desc", "rect", "g", "text", "polyline", "image"}
    assert names <= {space + name for name in allowed}, names
    for element in root.iter():
        for key, value in element.attrib.items():
            assert not key.lower().startswith("on"), key
            assert not key.endswith("href") or value.startswith("data:image/png;base64,"), value


def check_png(path):
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, pixels, kinds, header = 8, b"", [], None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == \
            zlib.crc32(kind + body)
        header = struct.unpack(">IIBBBBB", body) if kind == b"IHDR" else header
        pixels += body if kind == b"IDAT" else b""
        kinds.append(kind)
        at += 12 + length
    assert kinds[0] == b"IHDR" and kinds[-1] == b"IEND" and at == len(data)
    width, height, depth, colour = header[:4]
    assert (depth, colour) == (8, 2)
    assert len(zlib.decompress(pixels)) == height * (1 + 3 * width)


def main():
    npz, json_file, csv_file, svg, png, *schema = sys.argv[1:]
    arrays = read_npz(npz)
    shape, _, texts = arrays["meta"]
    assert shape == ()
    meta = json.loads(texts[0])
    if schema:
        with open(schema[0], encoding="utf-8") as file:
            check_schema(meta, json.load(file))
    check_weights(arrays, meta)
    check_json(json_file, arrays, meta)
    check_csv(csv_file, arrays)
    check_svg(svg)
    check_png(png)
    print(f"{len(arrays)} arrays, {len(arrays['attentions'][2])} weights in five formats")


if __name__ == "__main__":
    main()
