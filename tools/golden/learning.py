"""Fifty steps of each optimiser, and functions with gradients, from PyTorch in double (chapter 6)."""
import numpy
import torch

from golden import random_arrays, save

SCRIPT = "learning.py"
STEPS = 50
MAX_NORM = 5.5
SHAPES = {"weight": (4, 3), "bias": (3,), "filter": (2, 3, 2), "scale": ()}


def constant(t, warmup=10):
    return min(1.0, t / warmup)


def linear(t, warmup=10, total=STEPS):
    return t / warmup if t <= warmup else (total + 1 - t) / (total + 1 - warmup)


def inverse_root(t, warmup=8):
    return min(t / warmup, (warmup / t) ** 0.5)


def groups(parameters, decay):
    """Rank 1 and below, biases and gains, do not decay."""
    return [{"params": [p for p in parameters if p.dim() >= 2], "weight_decay": decay},
            {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0}]


# name: optimiser of the parameters, peak of the learning rate, schedule
OPTIMISERS = {
    "sgd": (lambda p, r: torch.optim.SGD(p, lr=r), 0.1, constant),
    "momentum": (lambda p, r: torch.optim.SGD(p, lr=r, momentum=0.9), 0.02, linear),
    "adam": (lambda p, r: torch.optim.Adam(p, lr=r, betas=(0.9, 0.98), eps=1e-9), 0.02,
             inverse_root),
    "adamw": (lambda p, r: torch.optim.AdamW(groups(p, 0.1), lr=r, eps=1e-6), 0.02, linear),
}


def trajectory(arrays, make, peak, schedule):
    """Parameters after each step, norms before clipping and learning rates. The loss
    sum c / 2 (w - a)^2 + noise[t] w has the gradient c (w - a) + noise[t]."""
    t = {key: torch.tensor(x) for key, x in arrays.items()}
    parameters = {name: torch.nn.Parameter(t[f"{name}_start"].clone()) for name in SHAPES}
    optimiser = make(list(parameters.values()), peak)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda done: schedule(done + 1))
    after = {name: [] for name in SHAPES}
    norms, rates = [], []
    for step in range(STEPS):
        optimiser.zero_grad()
        loss = sum((t[f"{n}_curvature"] / 2 * (p - t[f"{n}_target"]) ** 2
                    + t[f"{n}_noise"][step] * p).sum() for n, p in parameters.items())
        loss.backward()
        norms.append(torch.nn.utils.clip_grad_norm_(parameters.values(), max_norm=MAX_NORM))
        rates.append(optimiser.param_groups[0]["lr"])
        optimiser.step()
        scheduler.step()
        for name, p in parameters.items():
            after[name].append(p.detach().clone())
    return {**{name: torch.stack(steps) for name, steps in after.items()},
            "norms": torch.stack(norms), "rates": torch.tensor(rates, dtype=torch.float64)}


def optimisers(seed):
    arrays = {}
    for i, (name, shape) in enumerate(SHAPES.items()):
        part = random_arrays(seed + i, start=shape, target=shape, curvature=shape,
                             noise=(STEPS, *shape))
        part["curvature"] = numpy.abs(part["curvature"])
        for key in ("start", "target"):  # a quarter is exact, and keeps rounding errors small
            part[key] = part[key] / 4
        arrays.update({f"{name}_{key}": x for key, x in part.items()})
    results = {}
    for optimiser, (make, peak, schedule) in OPTIMISERS.items():
        found = trajectory(arrays, make, peak, schedule)
        print(optimiser, "steps clipped:", int((found["norms"] > MAX_NORM).sum()), "of", STEPS)
        results.update({f"{optimiser}_{key}": x for key, x in found.items()})
    save("ch06_optimisers", {**arrays, **results}, SCRIPT, seed,
         "torch.optim SGD, SGD with momentum 0.9, Adam (betas 0.9, 0.98, eps 1e-9), AdamW (decay "
         "0.1 from rank 2 on, eps 1e-6) over 50 steps, clipped to norm 5.5, LambdaLR: constant after "
         "10, linear, inverse root after 8, linear")


def functions(seed):
    arrays = random_arrays(seed, x=(5, 7), upstream=(5, 7), table=(6, 3), rows_upstream=(3, 5, 3))
    arrays["x"] *= 4
    results = {}
    for name, function in {"tanh": torch.tanh, "sigmoid": torch.sigmoid}.items():
        x = torch.from_numpy(arrays["x"]).requires_grad_()
        y = function(x)
        y.backward(torch.from_numpy(arrays["upstream"]))
        results.update({name: y.detach(), f"{name}_gradient": x.grad})
    rows = torch.tensor([[0, 5, 2, 2, 0], [1, 2, 2, 5, 0], [2, 2, 2, 2, 1]])
    table = torch.from_numpy(arrays["table"]).requires_grad_()
    gathered = torch.nn.functional.embedding(rows, table)
    gathered.backward(torch.from_numpy(arrays["rows_upstream"]))
    save("ch06_functions", {**arrays, **results, "rows": rows.double(),
                            "gathered": gathered.detach(), "table_gradient": table.grad},
         SCRIPT, seed, "torch.tanh, torch.sigmoid, torch.nn.functional.embedding, with gradients")


def losses(seed):
    """Label 6 of the last row of each example is ignored."""
    arrays = random_arrays(seed, logits=(3, 5, 11), upstream=(3, 5, 11))
    arrays["logits"] *= 3
    labels = torch.randint(0, 11, (3, 5), generator=torch.Generator().manual_seed(seed))
    labels[:, -1] = -100
    results = {"labels": labels.double()}
    logits = torch.from_numpy(arrays["logits"]).requires_grad_()
    for name, smoothing in {"plain": 0.0, "smoothed": 0.1}.items():
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(),
                                                 label_smoothing=smoothing)
        results[f"{name}_loss"] = loss.detach()
        results[f"{name}_gradient"], = torch.autograd.grad(loss, logits)
    logarithms = torch.log_softmax(logits, -1)
    results["log_softmax"] = logarithms.detach()
    results["log_softmax_gradient"], = torch.autograd.grad(
        logarithms, logits, torch.from_numpy(arrays["upstream"]))
    save("ch06_losses", {**arrays, **results}, SCRIPT, seed,
         "torch.nn.functional.cross_entropy with ignored labels, with and without label "
         "smoothing, and torch.log_softmax, with gradients")


if __name__ == "__main__":
    optimisers(601)
    functions(621)
    losses(631)
