"""Small BERTs with random weights, saved by transformers, and what they give in double (chapter 14).

Each folder data/golden/bert/NAME is a checkpoint as save_pretrained writes it, in one of the forms
that are met: with and without heads, pooler and prefix, in halves, in several files, under the old
names of LayerNorm. output.npz beside it holds inputs and outputs.
"""
import shutil

import numpy
import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import (BertConfig, BertForMaskedLM, BertForNextSentencePrediction,
                          BertForPreTraining, BertModel)

from golden import FOLDER, save

SCRIPT = "bert.py"

# name: class, changes to the config, batch, length, form of the file
CASES = {
    "a_usual": (BertForPreTraining, dict(), 2, 9, "plain"),
    "b_one_token": (BertForPreTraining, dict(hidden_size=8, num_attention_heads=1), 1, 1, "plain"),
    "c_odd_width": (BertForPreTraining, dict(hidden_size=33, num_attention_heads=3,
                                             intermediate_size=37, hidden_act="relu"), 3, 7, "plain"),
    "d_gelu_new": (BertForPreTraining, dict(hidden_act="gelu_new", layer_norm_eps=1e-5), 3, 5, "plain"),
    "e_full_length": (BertForPreTraining, dict(num_hidden_layers=3, max_position_embeddings=13), 2, 13,
                      "plain"),
    "f_three_types": (BertForPreTraining, dict(type_vocab_size=3, hidden_size=20,
                                               num_attention_heads=5), 4, 6, "plain"),
    "g_masked_lm": (BertForMaskedLM, dict(vocab_size=61, hidden_act="relu"), 2, 8, "plain"),
    "h_next_sentence": (BertForNextSentencePrediction, dict(num_hidden_layers=1), 3, 4, "plain"),
    "i_bare": (BertModel, dict(layer_norm_eps=1e-5), 2, 6, "plain"),
    "j_bare_no_pooler": (BertModel, dict(hidden_act="gelu_new"), 2, 6, "no pooler"),
    "k_half": (BertForPreTraining, dict(), 2, 5, "float16"),
    "l_bfloat_shards": (BertForPreTraining, dict(num_attention_heads=4), 2, 5, "bfloat16 shards"),
    "m_old_names": (BertForPreTraining, dict(hidden_size=40, num_attention_heads=4), 5, 3, "old names"),
    "n_wide_batch": (BertForPreTraining, dict(hidden_size=16, num_attention_heads=2,
                                              max_position_embeddings=40), 6, 37, "plain"),
}


def config_of(changes):
    usual = dict(vocab_size=47, hidden_size=24, num_hidden_layers=2, num_attention_heads=3,
                 intermediate_size=50, max_position_embeddings=16, hidden_act="gelu",
                 attn_implementation="eager")
    return BertConfig(**{**usual, **changes})


def draw(generator, model, dtype):
    """Weights that spread, of values that the file's type can hold."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            values = generator.standard_normal(tuple(parameter.shape))
            if "LayerNorm" in name:
                values = 0.3 * values + (1.0 if name.endswith("weight") else 0.0)
            elif "embeddings" not in name:
                values = values / (4.0 if name.endswith("weight") else 2.0)
            parameter.copy_(torch.from_numpy(values).to(dtype).to(parameter.dtype))


def save_model(folder, model, form):
    dtype = {"float16": torch.float16, "bfloat16 shards": torch.bfloat16}.get(form, torch.float32)
    shards = dict(max_shard_size="12KB") if "shards" in form else {}
    model.to(dtype).save_pretrained(folder, **shards)
    if form == "old names":
        path = folder / "model.safetensors"
        tensors = {name.replace("LayerNorm.weight", "LayerNorm.gamma")
                   .replace("LayerNorm.bias", "LayerNorm.beta"): tensor
                   for name, tensor in load_file(path).items()}
        tensors["bert.embeddings.position_ids"] = torch.arange(16)[None]
        save_file(tensors, path, metadata={"format": "pt"})


def inputs_of(generator, config, batch, length):
    ids = generator.integers(0, config.vocab_size, (batch, length))
    types = generator.integers(0, config.type_vocab_size, (batch, length))
    mask = numpy.ones((batch, length), dtype=numpy.int64)
    for b in range(1, batch):                       # the first example has no padding
        if b % 3 == 1:
            mask[b, length - b % length:] = 0       # at the end
        elif b % 3 == 2:
            mask[b, :b % length] = 0                # at the beginning
        else:
            mask[b, 1::2] = 0                       # with gaps
        mask[b, length // 2] = 1                    # something to see
    return {"input_ids": ids, "token_type_ids": types, "attention_mask": mask}


def run(model, inputs):
    with torch.no_grad():
        tensors = {name: torch.from_numpy(value) for name, value in inputs.items()}
        out = model.double()(**tensors, output_hidden_states=True, output_attentions=True)
    base = getattr(model, "bert", model)
    with torch.no_grad():
        bare = base(**tensors)
    arrays = {"last_hidden_state": bare.last_hidden_state,
              "hidden_states": torch.stack(out.hidden_states),
              "attentions": torch.stack(out.attentions)}
    if bare.pooler_output is not None:
        arrays["pooler_output"] = bare.pooler_output
    if isinstance(model, BertForPreTraining):
        arrays["prediction_logits"] = out.prediction_logits
        arrays["seq_relationship_logits"] = out.seq_relationship_logits
    elif isinstance(model, BertForMaskedLM):
        arrays["prediction_logits"] = out.logits
    elif isinstance(model, BertForNextSentencePrediction):
        arrays["seq_relationship_logits"] = out.logits
    return arrays


def main():
    for seed, (name, (kind, changes, batch, length, form)) in enumerate(CASES.items()):
        generator = numpy.random.default_rng(1400 + seed)
        config = config_of(changes)
        model = kind(config, **(dict(add_pooling_layer=False) if form == "no pooler" else {})).eval()
        folder = FOLDER / "bert" / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        dtype = {"float16": torch.float16, "bfloat16 shards": torch.bfloat16}.get(form, torch.float32)
        draw(generator, model, dtype)
        save_model(folder, model, form)
        for file in folder.iterdir():
            file.chmod(0o644)
        inputs = inputs_of(generator, config, batch, length)
        save(f"bert/{name}/output", {**inputs, **run(model, inputs)}, SCRIPT, 1400 + seed,
             f"{kind.__name__} of transformers {transformers.__version__}, file: {form}")


if __name__ == "__main__":
    main()
