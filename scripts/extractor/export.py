"""Writes a checkpoint's weights as safetensors, for convert.ts: export.py CHECKPOINT.pt WEIGHTS.safetensors"""

import sys

import torch
from safetensors.torch import save_file

kept = torch.load(sys.argv[1], weights_only=True)
save_file({name: tensor.float().contiguous() for name, tensor in kept["model"].items()}, sys.argv[2])
print("weights after", kept["seen"], "examples")
