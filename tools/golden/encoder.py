"""The Transformer encoder, its parts and their gradients, from PyTorch in double (chapter 7)."""
import numpy
import torch

from golden import random_arrays, save

SCRIPT = "encoder.py"
BATCH, TARGETS, WIDTH, HEADS, INNER, LAYERS = 3, 5, 24, 3, 40, 2
PADDING = [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0, 1, 1, 0]]

# This project's names of a layer's parts, and PyTorch's.
ENCODER_PARTS = {"attention_norm": "norm1", "feed_forward.inner": "linear1",
                 "feed_forward.outer": "linear2", "feed_forward_norm": "norm2"}


def draw(seed, module):
    """Fills every parameter with float32 values, norms near 1 and 0, the rest so that it spreads."""
    generator = numpy.random.default_rng(seed)
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            values = generator.standard_normal(tuple(parameter.shape))
            if "norm" in name:
                values = 0.3 * values + (1.0 if name.endswith("weight") else 0.0)
            else:
                values = values / (5.0 if name.endswith("weight") else 2.0)
            parameter.copy_(torch.from_numpy(values.astype(numpy.float32).astype(numpy.float64)))


def split_attention(prefix, attention, value_of):
    """query, key, value and output of a torch.nn.MultiheadAttention, by this project's names."""
    weights = value_of(attention.in_proj_weight).chunk(3)
    biases = value_of(attention.in_proj_bias).chunk(3)
    arrays = {}
    for i, part in enumerate(["query", "key", "value"]):
        arrays[f"{prefix}.{part}.weight"] = weights[i]
        arrays[f"{prefix}.{part}.bias"] = biases[i]
    arrays[f"{prefix}.output.weight"] = value_of(attention.out_proj.weight)
    arrays[f"{prefix}.output.bias"] = value_of(attention.out_proj.bias)
    return arrays


def parameters(stack, attentions, parts, value_of):
    """All parameters of a stack, or by value_of their gradients, by this project's names."""
    arrays = {}
    for index, layer in enumerate(stack.layers):
        prefix = f"layers.{index}"
        for ours, theirs in attentions.items():
            arrays.update(split_attention(f"{prefix}.{ours}", getattr(layer, theirs), value_of))
        for ours, theirs in parts.items():
            arrays[f"{prefix}.{ours}.weight"] = value_of(getattr(layer, theirs).weight)
            arrays[f"{prefix}.{ours}.bias"] = value_of(getattr(layer, theirs).bias)
    if stack.norm is not None:
        arrays["final_norm.weight"] = value_of(stack.norm.weight)
        arrays["final_norm.bias"] = value_of(stack.norm.bias)
    return {key: value.detach().clone() for key, value in arrays.items()}


def with_prefix(prefix, arrays):
    return {prefix + key: value for key, value in arrays.items()}


def encoder_of(seed, norm_first, activation):
    layer = torch.nn.TransformerEncoderLayer(WIDTH, HEADS, INNER, dropout=0.0, batch_first=True,
                                             activation=activation, norm_first=norm_first,
                                             dtype=torch.float64)
    final_norm = torch.nn.LayerNorm(WIDTH, dtype=torch.float64) if norm_first else None
    encoder = torch.nn.TransformerEncoder(layer, LAYERS, norm=final_norm,
                                          enable_nested_tensor=False)
    draw(seed, encoder)
    return encoder.train()  # the evaluation mode has a fast path that zeroes padded positions


def encoder_cases(seed):
    arrays = random_arrays(seed, x=(BATCH, TARGETS, WIDTH), loss_weights=(BATCH, TARGETS, WIDTH))
    arrays["attention_mask"] = numpy.array(PADDING, dtype=float)
    hidden = torch.tensor(PADDING) == 0
    for order, norm_first in {"post": False, "pre": True}.items():
        for activation in ["relu", "gelu"]:
            encoder = encoder_of(seed + 1, norm_first, activation)
            x = torch.from_numpy(arrays["x"]).requires_grad_()
            output = encoder(x, src_key_padding_mask=hidden)
            arrays[f"{order}_{activation}_output"] = output.detach()
            arrays[f"{order}_{activation}_plain_output"] = encoder(x).detach()
    # The last one, pre and gelu, has the parameters of all.
    names = ({"self_attention": "self_attn"}, ENCODER_PARTS)
    arrays.update(parameters(encoder, *names, lambda p: p))
    (output * torch.from_numpy(arrays["loss_weights"])).sum().backward()
    arrays.update(with_prefix("gradient.", parameters(encoder, *names, lambda p: p.grad)))
    arrays["gradient.x"] = x.grad
    save("ch07_encoder", arrays, SCRIPT, seed,
         f"torch.nn.TransformerEncoder, norms after and before, relu and gelu, with and without "
         f"padding; gradients of a weighted sum for norms before, gelu, padding: B {BATCH}, "
         f"T {TARGETS}, D {WIDTH}, H {HEADS}, F {INNER}, L {LAYERS}")


def layer_norm(seed):
    arrays = random_arrays(seed, x=(4, 3, 7), weight=(7,), bias=(7,), loss_weights=(4, 3, 7))
    arrays["x"][1] = (arrays["x"][1] + 1000.0).astype(numpy.float32)  # far from 0
    arrays["x"][2] = (arrays["x"][2] * 0.001).astype(numpy.float32)  # epsilon counts
    arrays["x"][3, 0] = 2.5  # constant: variance 0
    for epsilon, name, count in [(1e-5, "", 4), (1e-12, "small_epsilon_", 3)]:
        # Without the constant row under the small one: its gradient is a million times as large.
        tensors = {key: torch.from_numpy(arrays[key]).requires_grad_()
                   for key in ["x", "weight", "bias"]}
        tensors["x"] = torch.from_numpy(arrays["x"][:count]).requires_grad_()
        y = torch.nn.functional.layer_norm(tensors["x"], (7,), tensors["weight"], tensors["bias"],
                                           epsilon)
        (y * torch.from_numpy(arrays["loss_weights"][:count])).sum().backward()
        arrays[f"{name}output"] = y.detach()
        arrays.update({f"{name}gradient.{key}": x.grad for key, x in tensors.items()})
    save("ch07_layer_norm", arrays, SCRIPT, seed,
         "torch.nn.functional.layer_norm with gradients of a weighted sum, epsilon 1e-5 and 1e-12; "
         "rows far from 0, nearly constant and constant: (4, 3, 7)")


def activations(seed):
    x = numpy.concatenate([numpy.linspace(-8, 8, 129), [-40, -12.5, -1e-30, 1e-30, 12.5, 40, 1e30]])
    arrays = {"x": x.astype(numpy.float32).astype(numpy.float64)}
    functions = {"relu": torch.nn.functional.relu, "gelu": torch.nn.functional.gelu,
                 "gelu_tanh": lambda t: torch.nn.functional.gelu(t, approximate="tanh")}
    for name, function in functions.items():
        t = torch.from_numpy(arrays["x"]).requires_grad_()
        y = function(t)
        y.sum().backward()
        arrays[name], arrays[f"{name}_slope"] = y.detach(), t.grad
    save("ch07_activations", arrays, SCRIPT, seed,
         "torch.nn.functional relu, gelu and gelu(approximate='tanh') with their derivatives, "
         "from -40 to 1e30")


if __name__ == "__main__":
    encoder_cases(701)
    layer_norm(711)
    activations(721)
