"""Trains the extractor on one CPU thread and keeps checkpoints, from which the same command goes on.

    train.py --base FOLDER --data FOLDER --out FOLDER [--examples 1000000]

The rate falls to nothing at --examples; a later run with more goes on at a higher rate. A fixed seed gives the same weights on the same
machine; the arithmetic is bfloat16 where the CPU has it.
"""

import argparse
import json
import math
import os
import random
import signal
import time
from pathlib import Path

import torch

from data import Mixture
from model import Encoder, Extractor, Linear, batched, losses

WARM_UP, BATCH, POOL, BETAS, DECAY, CLIP, HEAD_FACTOR = 100, 48, 16, (0.9, 0.98), 0.01, 1.0, 5
#: The last part of the training is with the rounding of the int8 form.
ROUNDED_FROM = 0.75
EVERY = 20_000  # examples between two checkpoints


def main():
    a = argparse.ArgumentParser()
    for name in ("base", "data", "out"):
        a.add_argument(f"--{name}", required=True)
    a.add_argument("--examples", type=int, default=1_000_000)
    a.add_argument("--rate", type=float, default=2.5e-4)
    a.add_argument("--seed", type=int, default=1)
    o = a.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(o.seed)
    out = Path(o.out)
    out.mkdir(parents=True, exist_ok=True)

    model, encoder = Extractor().start_from(o.base), Encoder(o.base)
    heads = {id(p) for p in model.heads()}
    tuned = [p for p in model.parameters() if p.requires_grad]
    groups = [
        dict(params=[p for p in tuned if id(p) not in heads], factor=1),
        dict(params=[p for p in tuned if id(p) in heads], factor=HEAD_FACTOR),
    ]
    optimizer = torch.optim.AdamW(groups, lr=o.rate, betas=BETAS, weight_decay=DECAY, fused=True)
    seen, step = 0, 0
    last = out / "last.pt"
    if last.exists():
        kept = torch.load(last, weights_only=True)
        model.load_state_dict(kept["model"], strict=False)
        optimizer.load_state_dict(kept["optimizer"])
        seen, step = kept["seen"], kept["step"]
        print("going on from", seen, "examples", flush=True)
    mixture = Mixture(o.data, o.seed + seen)  # another part of the endless stream than before
    shuffler = random.Random(o.seed + seen)

    stopped = []
    for number in (signal.SIGTERM, signal.SIGINT):  # kept before the end, however it is stopped
        signal.signal(number, lambda *_: stopped.append(1))
    began, at_start, recent = time.time(), seen, []
    while seen < o.examples and not stopped:
        rows = sorted((encoder(mixture.draw()) for _ in range(BATCH * POOL)), key=lambda row: len(row.ids))
        batches = [rows[i : i + BATCH] for i in range(0, len(rows), BATCH)]
        shuffler.shuffle(batches)
        for part in batches:
            rate = (
                o.rate
                * min(1, step / WARM_UP)
                * max(0.01, 0.5 * (1 + math.cos(math.pi * min(1, seen / o.examples))))
            )
            for group in optimizer.param_groups:
                group["lr"] = rate * group["factor"]
            Linear.rounded = seen >= ROUNDED_FROM * o.examples
            b = batched(part)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                scores = model(b)
            span, asks = losses(scores, b)
            optimizer.zero_grad()
            (span + asks).backward()
            torch.nn.utils.clip_grad_norm_(tuned, CLIP)
            optimizer.step()
            seen, step = seen + len(part), step + 1
            recent.append((span.item(), asks.item()))
            if step % 50 == 0:
                spans, asked = (sum(x) / len(recent) for x in zip(*recent))
                line = dict(
                    step=step,
                    seen=seen,
                    seconds=round(time.time() - began),
                    span=round(spans, 4),
                    asks=round(asked, 4),
                    rate=round(rate, 7),
                    speed=round((seen - at_start) / (time.time() - began), 1),
                )
                print(json.dumps(line), flush=True)
                recent = []
            if stopped:
                break
            if seen // EVERY > (seen - len(part)) // EVERY:
                keep(out, model, optimizer, seen, step)
    keep(out, model, optimizer, seen, step)


def keep(out, model, optimizer, seen, step):
    """Written beside and renamed: a run that is cut off leaves the checkpoint before it whole."""
    weights = {name: tensor for name, tensor in model.state_dict().items() if name != "words.weight"}
    torch.save(
        dict(model=weights, optimizer=optimizer.state_dict(), seen=seen, step=step), out / "writing.pt"
    )
    os.replace(out / "writing.pt", out / "last.pt")


if __name__ == "__main__":
    main()
