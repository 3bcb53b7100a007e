"""Examples of the public sets: SNIPS (CC0), NLU-Evaluation-Data (CC BY 4.0) and BFCL (Apache-2.0). See README.md for where they come from."""

import glob
import json
import re
from pathlib import Path

import yaml

from model import Example, Parameter

OWN = yaml.load(Path(__file__).with_name("public.yaml").read_text(), yaml.BaseLoader)


def snips(folder, r, name="train_*_full"):
    rows = []
    for path in sorted(glob.glob(f"{folder}/**/{name}.json", recursive=True)):
        ((intent, entries),) = json.loads(Path(path).read_bytes().decode("utf8", "replace")).items()
        for entry in entries:
            prompt, spans = "", {}
            for piece in entry["data"]:
                if slot := piece.get("entity"):
                    spans[slot] = "?" if slot in spans else (len(prompt), len(prompt) + len(piece["text"]))
                prompt += piece["text"]
            rows.append(described("snips", intent, prompt, spans, r))
    return rows


def nlu(folder, r):
    rows = []
    for path in sorted(glob.glob(f"{folder}/**/trainset/*.csv", recursive=True)):
        intent = Path(path).stem
        for line in Path(path).read_text(errors="replace").split("\n")[1:]:
            fields = line.split(";")
            if len(fields) < 4:
                continue
            prompt, found = unmarked(fields[3].strip('" '))
            if intent in OWN["nlu"]:
                rows.append(described("nlu", intent, prompt, roles(intent, prompt, found), r))
            else:
                rows.append(Example((intent, ""), [], prompt, [], 1))
    return rows


def unmarked(text):
    """`play [song : x]` -> the plain text, and [(slot, start, end)]."""
    prompt, found = "", []
    for piece in re.split(r"(\[\w+ : [^\]]*\])", text):
        if piece[:1] == "[" and (m := re.fullmatch(r"\[(\w+) : ([^\]]*)\]", piece)):
            found.append((m[1], len(prompt), len(prompt) + len(m[2].rstrip())))
            piece = m[2]
        prompt += piece
    return prompt, found


def roles(intent, prompt, found):
    """Two places or currencies by what stands before them; unknown where that does not tell."""
    spans = {}
    for slot, pair in OWN["nlu"][intent].get("roles", {}).items():
        own = [(start, end) for name, start, end in found if name == slot]
        found = [f for f in found if f[0] != slot]
        first, second = pair
        before = [
            re.search(r"\b(from|to|in|into|for|of|at)\s+(?:the |a |an |one )?$", prompt[:start])
            for start, _ in own
        ]
        if intent == "qa_currency" and len(own) == 2:
            swapped = re.match(r".*\bhow (many|much)\s+$", prompt[: own[0][0]]) and re.search(
                r"\b(for|in|per|is|are|of|does|do|to)\b", prompt[own[0][1] : own[1][0]]
            )
            spans |= dict(zip((second, first) if swapped else (first, second), own))
        elif (
            own
            and all(b and b[1] in ("from", "to") for b in before)
            and len({b[1] for b in before}) == len(own)
        ):
            spans |= {first if b[1] == "from" else second: span for b, span in zip(before, own)}
        elif own:
            spans |= {first: "?", second: "?"}
    for slot, start, end in found:
        spans[slot] = "?" if slot in spans else (start, end)
    return spans


def described(source, intent, prompt, spans, r):
    own = OWN[source][intent]
    parameters = [Parameter(slot, r.choice(texts)) for slot, texts in own["slots"].items()]
    return Example(
        (intent, r.choice(own["text"])), parameters, prompt, [spans.get(p.name) for p in parameters], 1
    )


# ---------------------------------------------------------------- BFCL
NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()


def bfcl_rows(folder, name):
    base = f"{folder}/berkeley-function-call-leaderboard/bfcl_eval/data"
    answers = {}
    if Path(f"{base}/possible_answer/BFCL_v4_{name}.json").exists():
        answers = {
            row["id"]: row["ground_truth"]
            for row in map(json.loads, open(f"{base}/possible_answer/BFCL_v4_{name}.json"))
        }
    for row in map(json.loads, open(f"{base}/BFCL_v4_{name}.json")):
        turns = [t["content"] for t in row["question"][0] if t["role"] == "user"]
        if len(row["question"]) == 1 and turns:
            yield turns[-1], [function(f) for f in row["function"]], answers.get(row["id"], [])


def function(f):
    parameters = [
        Parameter(name, p.get("description", ""), p["type"], tuple(p.get("enum", ())))
        for name, p in f["parameters"]["properties"].items()
    ]
    return (f["name"], f["description"]), [p for p in parameters if p.type not in ("dict", "any", "tuple")]


def bfcl(folder, name):
    """Of each prompt: an example of the called function, and of the others, which it does not ask for."""
    rows = []
    for prompt, functions, answer in bfcl_rows(folder, name):
        called = [next(iter(a)) for a in answer]
        for target, parameters in functions:
            if target[0] in called and len(called) == 1:
                values = answer[0][target[0]]
                rows.append(
                    Example(
                        target,
                        parameters,
                        prompt,
                        [located(values.get(p.name, [""]), p, prompt) for p in parameters],
                        1,
                    )
                )
            elif target[0] not in called:
                rows.append(Example(target, parameters, prompt, ["?"] * len(parameters), 0))
    return rows


def located(accepted, parameter, prompt):
    """The span of a value: one of its accepted forms where it stands once; None where it need not be stated, "?" where it is not found."""
    if parameter.type in ("boolean", "array", "bool"):
        return "?"
    forms = [
        form
        for v in accepted
        if v not in ("", None) and not isinstance(v, (bool, list, dict))
        for form in written(v)
    ]
    for form in forms:
        places = [m.span() for m in re.finditer(rf"(?<![\w.]){re.escape(form)}(?!\w|\.\d)", prompt, re.I)]
        if len(places) == 1:
            return places[0]
        if places:
            return "?"
    return None if "" in accepted or not forms else "?"


def written(value):
    if isinstance(value, (int, float)):
        plain = f"{value:g}" if isinstance(value, float) else str(value)
        forms = [plain, f"{value:,}"] if abs(value) >= 1000 else [plain]
        return forms + ([NUMBER_WORDS[value]] if isinstance(value, int) and 0 <= value <= 12 else [])
    return [str(value)]
