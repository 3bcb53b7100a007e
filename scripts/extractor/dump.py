"""Writes held-out examples and what the unrounded weights find in them, for check.ts: dump.py BASE CHECKPOINT.pt EXAMPLES.jsonl"""

import json
import random
import sys

import grammar
from data import shuffled
from evaluate import load
from model import Encoder, predict

base, weights, out = sys.argv[1:]
r = random.Random(11)
examples = [shuffled(grammar.made(r, r.choice([grammar.HELD_OUT, grammar.TRAINED])), r) for _ in range(400)]
results = predict(load(base, weights), Encoder(base), examples)
with open(out, "w") as file:
    for e, (found, asks) in zip(examples, results):
        row = dict(
            target=dict(name=e.target[0], description=e.target[1]),
            prompt=e.prompt,
            asked=list(e.asked),
            asks=asks,
            parameters=[
                dict(name=p.name, description=p.description, type=p.type, enum=list(p.enum), format=p.format)
                for p in e.parameters
            ],
            found=[dict(start=spans[0][0][0], end=spans[0][0][1], odds=spans[0][1]) for spans in found],
        )
        file.write(json.dumps(row) + "\n")
