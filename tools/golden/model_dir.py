"""What transformers computes with a real checkpoint, for the tests that BERT_MODEL_DIR switches on.

    tools/golden/model_dir.py DIR        writes DIR/expected.npz; then
    BERT_MODEL_DIR=DIR ./learn test 14

In double, on sentences of several lengths with padding, one pair among them.
"""
import pathlib
import sys

import numpy
import torch
from transformers import AutoConfig, AutoTokenizer, BertForPreTraining, BertModel
from safetensors import safe_open

TEXTS = ["The quick brown fox jumps over the lazy dog.", "Time flies like an arrow; fruit flies like a banana.",
         "strawberries", "Na\u00efve caf\u00e9s in Krak\u00f3w, and \u4e2d\u6587 too: 3.14159!", "A", " ".join(["word"] * 90)]
PAIR = ("She opened the door.", "Nobody was there.")


def has_heads(folder):
    files = list(folder.glob("*.safetensors"))
    return any(name.startswith("cls.") for file in files for name in safe_open(file, "pt").keys())


def main():
    folder = pathlib.Path(sys.argv[1])
    tokenizer = AutoTokenizer.from_pretrained(folder)
    config = AutoConfig.from_pretrained(folder)
    config._attn_implementation = "eager"
    kind = BertForPreTraining if has_heads(folder) else BertModel
    model = kind.from_pretrained(folder, config=config).double().eval()
    arrays = {}
    for name, texts in {"batch": (TEXTS,), "pair": ([PAIR[0]], [PAIR[1]])}.items():
        inputs = tokenizer(*texts, padding=True, return_tensors="pt")
        with torch.no_grad():
            out = model(**inputs, output_hidden_states=True, output_attentions=True)
            base = getattr(model, "bert", model)(**inputs)
        found = {**inputs, "last_hidden_state": base.last_hidden_state,
                 "hidden_states": torch.stack(out.hidden_states),
                 "attentions": torch.stack(out.attentions)}
        if base.pooler_output is not None:
            found["pooler_output"] = base.pooler_output
        if kind is BertForPreTraining:
            found["prediction_logits"] = out.prediction_logits
            found["seq_relationship_logits"] = out.seq_relationship_logits
        arrays.update({f"{name}_{key}": numpy.asarray(value) for key, value in found.items()})
    numpy.savez(folder / "expected.npz", **arrays)


if __name__ == "__main__":
    main()
