#!/usr/bin/env python3
"""Shows the maps of a dump in BertViz: view_in_bertviz.py x.attn.npz out.html (numpy, torch, bertviz)."""

import sys

# [bertviz]
import numpy
import torch
from bertviz import head_view

dump = numpy.load(sys.argv[1], allow_pickle=False)
first = torch.from_numpy(dump["attentions"][:, :1])  # of the first sequence: (L, 1, H, T, S)
page = head_view(tuple(first), dump["tokens"][0].tolist(), html_action="return")
# [bertviz]

with open(sys.argv[2], "w", encoding="utf-8") as file:
    file.write(page.data)
