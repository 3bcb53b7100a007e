"""Measures weights on what they were not trained on: made-up targets that were held out, and the test parts of the public sets.

    evaluate.py --base FOLDER --data FOLDER --weights FILE.pt [--count 600]

A value is right where the words of the span are those of the text. `margin` is the log odds that a span needs over "not stated".
"""

import argparse
import random
import re

import torch

import grammar
import public
from data import shuffled
from model import MAX_PARAMETERS, Encoder, Example, Extractor, predict, settled


def words(text):
    return re.findall(r"\w+", text.lower())


class Figures:
    def __init__(self):
        self.stated = self.given = self.right = self.invented = self.empty = 0

    def add(self, said, gold):
        self.stated += gold is not None
        self.empty += gold is None
        self.given += said is not None
        self.invented += said is not None and gold is None
        self.right += said is not None and gold is not None and words(said) == words(gold)

    def __str__(self):
        return f"recall {self.right / max(1, self.stated):.3f} ({self.right}/{self.stated})  precision {self.right / max(1, self.given):.3f}  invented {self.invented}/{self.empty}"


def spans(title, examples, results, kinds=None):
    print(f"{title}: {len(examples)} prompts")
    for margin in (0, 1, 2, 4):
        every, by_kind = Figures(), {}
        for n, (e, (found, _)) in enumerate(zip(examples, results)):
            for k, (gold, span) in enumerate(zip(e.spans, settled(found, margin))):
                if gold == "?":
                    continue
                said, want = (e.prompt[slice(*s)] if s else None for s in (span, gold))
                every.add(said, want)
                if kinds:
                    by_kind.setdefault(kinds[n][k], Figures()).add(said, want)
        print(f"  margin {margin}: {every}")
        if kinds and margin == 0:
            for kind, figures in sorted(by_kind.items()):
                print(f"      {kind:9} {figures}")


def fires(title, yes, no):
    """Of the scores of prompts that ask and of those that do not."""
    line = [
        f"{limit}: {sum(s > limit for s in yes)}/{len(yes)} right, {sum(s > limit for s in no)}/{len(no)} false"
        for limit in (-1, 0, 1, 2, 3)
    ]
    print(f"{title}: " + "; ".join(line))


def chunks(e):
    """At most MAX_PARAMETERS parameters in a pass."""
    kept = [i for i, p in enumerate(e.parameters) if p.type not in ("boolean", "bool")]
    parts = [kept[i : i + MAX_PARAMETERS] for i in range(0, len(kept), MAX_PARAMETERS)] or [[]]
    return [
        Example(e.target, [e.parameters[i] for i in part], e.prompt, [e.spans[i] for i in part], e.asks)
        for part in parts
    ]


def held_out(ask, r, count):
    made = [grammar.made(r, grammar.HELD_OUT, 0) for _ in range(count)]
    keys, examples = [e.key for e in made], [shuffled(e, r) for e in made]
    kinds = [[m.kinds[p.name] for p in e.parameters] for m, e in zip(made, examples)]
    results = ask(examples)
    spans("held-out targets", examples, results, kinds)
    near = [
        Example(e.target, e.parameters, grammar.near(key, r), [None] * len(e.parameters))
        for e, key in zip(examples[: count // 2], keys)
    ]
    usual = [
        Example(e.target, e.parameters, grammar.ordinary(r), [None] * len(e.parameters))
        for e in examples[: count // 2]
    ]
    others = []
    for e, key in zip(examples[: count // 2], keys):
        other = r.choice([x for x, k in zip(examples, keys) if k != key])
        others.append(Example(other.target, other.parameters, e.prompt, [None] * len(other.parameters)))
    yes = [s for _, s in results]
    for title, rows in (("near their topic", near), ("ordinary", usual), ("another target's", others)):
        fires(f"  asks, against prompts {title}", yes, [s for _, s in ask(rows)])


def public_spans(ask, title, examples, r, count):
    some = [shuffled(e, r) for e in r.sample(examples, min(count, len(examples)))]
    spans(title, some, ask(some))


def bfcl_multiple(ask, folder, r, count):
    rows = [row for row in public.bfcl_rows(folder, "live_multiple") if len(row[2]) == 1]
    rows = r.sample(rows, min(count, len(rows)))
    asked, owner = [], []
    for n, (prompt, functions, answer) in enumerate(rows):
        called = next(iter(answer[0]))
        for target, parameters in functions:
            gold = (
                [public.located(answer[0][called].get(p.name, [""]), p, prompt) for p in parameters]
                if target[0] == called
                else ["?"] * len(parameters)
            )
            for part in chunks(Example(target, parameters, prompt, gold, int(target[0] == called))):
                asked.append(part)
                owner.append((n, target[0]))
    results = ask(asked)
    best, right = {}, 0
    for (n, name), (_, score) in zip(owner, results):
        if score > best.get(n, (None, -99))[1]:
            best[n] = (name, score)
    for n, (_, _, answer) in enumerate(rows):
        right += best[n][0] == next(iter(answer[0]))
    print(f"BFCL live multiple: target {right}/{len(rows)}")
    own = [i for i, e in enumerate(asked) if e.asks == 1]
    spans("  values found in the prompt", [asked[i] for i in own], [results[i] for i in own])
    none = [row for row in public.bfcl_rows(folder, "live_irrelevance") if row[1]]
    none = r.sample(none, min(count, len(none)))
    no, at = [], 0
    flat = [
        chunks(Example(f[0], f[1], prompt, [None] * len(f[1])))[0]
        for prompt, functions, _ in none
        for f in functions
    ]
    scores = [s for _, s in ask(flat)]
    for _, functions, _ in none:
        no.append(max(scores[at : at + len(functions)]))
        at += len(functions)
    fires("  asks, against BFCL's irrelevant prompts", [best[n][1] for n in best], no)


def main():
    a = argparse.ArgumentParser()
    for name in ("base", "data", "weights"):
        a.add_argument(f"--{name}", required=True)
    a.add_argument("--count", type=int, default=600)
    o = a.parse_args()
    torch.set_num_threads(1)
    model, encoder, r = load(o.base, o.weights), Encoder(o.base), random.Random(7)
    ask = lambda examples: predict(model, encoder, examples)
    held_out(ask, r, o.count)
    public_spans(ask, "SNIPS validation", public.snips(f"{o.data}/snips", r, "validate_*"), r, o.count // 2)
    bfcl_multiple(ask, o.data and f"{o.data}/bfcl", r, o.count // 2)


def load(base, weights):
    model = Extractor().start_from(base)
    kept = torch.load(weights, weights_only=True)
    model.load_state_dict(kept["model"], strict=False)
    print("weights after", kept["seen"], "examples")
    return model.eval()


if __name__ == "__main__":
    main()
