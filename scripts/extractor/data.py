"""The mixture that the extractor is trained on: made-up targets and the public sets, with prompts that do not ask for the target."""

import random
from dataclasses import replace

import composed
import grammar
import public
from model import MAX_PARAMETERS, Parameter, spaced

#: Of the prompts, the share that each source gives.
SHARES = dict(made=0.52, composed=0.22, snips=0.06, nlu=0.10, bfcl=0.10)
#: Of the examples of a source, the share that does not ask: of a neighbour's prompt, near its topic, ordinary, of any other target.
SIBLING, NEAR, ORDINARY, OTHER = 0.08, 0.11, 0.10, 0.10
REWORDED = [
    ("origin", ["from", "source", "departure", "start"]),
    ("destination", ["to", "target", "arrival", "end"]),
    ("number of", ["how many", "count of"]),
    ("name", ["title"]),
    ("amount", ["sum", "quantity"]),
    ("location", ["place", "where"]),
    ("date", ["day"]),
]


class Mixture:
    def __init__(self, folder, seed):
        self.random = random.Random(seed)
        r = self.random
        #: BFCL's "live multiple" is what is measured: its functions are left out of what is trained.
        measured = {
            target[0]
            for _, functions, _ in public.bfcl_rows(f"{folder}/bfcl", "live_multiple")
            for target, _ in functions
        }
        self.sources = dict(
            snips=public.snips(f"{folder}/snips", r),
            nlu=public.nlu(f"{folder}/nlu", r),
            bfcl=[
                *public.bfcl(f"{folder}/bfcl", "simple_python"),
                *public.bfcl(f"{folder}/bfcl", "multiple"),
                *(e for e in public.bfcl(f"{folder}/bfcl", "live_simple") if e.target[0] not in measured),
            ],
        )
        self.unrelated = public.bfcl(f"{folder}/bfcl", "irrelevance")
        self.chatter = [
            e.prompt
            for e in self.sources["nlu"]
            if e.target[0].startswith(("general", "qa_definition", "qa_factoid", "qa_maths"))
        ]
        self.sources["nlu"] = [e for e in self.sources["nlu"] if e.parameters]
        self.siblings = {}
        for e in self.sources["nlu"]:
            self.siblings.setdefault(e.target[0].split("_")[0], []).append(e)
        self.domains = {}
        for key in grammar.TRAINED:
            self.domains.setdefault(grammar.TARGETS[key]["domain"], []).append(key)

    def draw(self):
        r = self.random
        source = r.choices(list(SHARES), SHARES.values())[0]
        if source == "composed":
            e = composed.made(r)
        elif source == "made":
            e = grammar.made(r)
        else:
            e = replace(r.choice(self.sources[source]))
        if source == "bfcl" and r.random() < 0.1:
            e = replace(r.choice(self.unrelated))
        if e.asks == 1:
            e = self.refused(e, source)
        if source not in ("made", "composed"):
            e = self.reworded(e)
        return noisy(shuffled(e, r), r)

    def refused(self, e, source):
        """The example, or in some cases one with a prompt that does not ask for its target."""
        r, draw = self.random, self.random.random()
        if draw < SIBLING:
            if source == "composed":
                return e
            if source == "made":
                own = grammar.TARGETS[e.key]["domain"]
                keys = [key for key in self.domains[own] if key != e.key]
                if not keys or {e.key} & {"buy_from_base"}:
                    return e
                other = grammar.made(r, [r.choice(keys)], 0)
                related = {"exchange_money", "buy_from_base"}
                asks = -1 if {e.key, other.key} <= related else 0
            elif source == "nlu":
                other = r.choice(self.siblings[e.target[0].split("_")[0]])
                asks = 0 if other.target[0] != e.target[0] else -1
            else:
                return e
            return self.instead(e, other.prompt, asks) if asks == 0 else e
        if draw < SIBLING + NEAR and source == "made":
            return self.instead(e, grammar.near(e.key, r), 0)
        if draw < SIBLING + NEAR + ORDINARY:
            if any(
                word in " ".join(e.target).lower()
                for word in (
                    "translat",
                    "search",
                    "recipe",
                    "docs",
                    "wiki",
                    "joke",
                    "math",
                    "defin",
                    "calculat",
                    "question",
                )
            ):
                return e
            return self.instead(e, r.choice(self.chatter) if r.random() < 0.25 else grammar.ordinary(r), 0)
        if draw < SIBLING + NEAR + ORDINARY + OTHER:
            if source == "made" and r.random() < 0.7:
                other = grammar.made(r, None, 0)
                same = grammar.TARGETS[other.key]["domain"] == grammar.TARGETS[e.key]["domain"]
                return e if same else self.instead(e, other.prompt, 0)
            prompt = r.choice(self.sources["nlu"])
            return e if overlap(prompt.target, e.target) else self.instead(e, prompt.prompt, 0)
        return e

    @staticmethod
    def instead(e, prompt, asks):
        return replace(e, prompt=prompt, spans=["?"] * len(e.parameters), asks=asks, asked=())

    def reworded(self, e):
        """Names and descriptions as somebody else would have configured them."""
        r = self.random
        name, text = e.target
        e.target = r.choice([(name, text), (name, text), ("", text), (name, "")]) if text else (name, "")
        e.target = (e.target[0] or spaced(name).split(" ")[-1], e.target[1])
        e.parameters = [self.parameter(p) for p in e.parameters]
        return e

    def parameter(self, p):
        r, name, text = self.random, p.name, p.description
        if r.random() < 0.25:
            for word, others in REWORDED:
                if word in f"{name} {text}".lower():
                    other = r.choice(others)
                    name, text = name.replace(word, other), text.replace(word, other)
        text = r.choice(
            [
                text,
                text,
                text,
                text[:1].upper() + text[1:],
                text[:1].upper() + text[1:] + ".",
                "the " + text if len(text) < 40 else text,
                "",
            ]
        )
        return Parameter(name, text, p.type, p.enum, p.format)


GROUPS = [
    {"weather", "forecast", "temperature"},
    {
        "calendar",
        "event",
        "meeting",
        "appointment",
        "alarm",
        "remind",
        "reminder",
        "schedule",
        "timer",
        "to-do",
        "task",
        "date",
        "time",
    },
    {"music", "song", "play", "audiobook", "podcast", "radio", "media"},
    {"email", "mail", "message", "contact", "social"},
    {"light", "lights", "device", "lamp", "heating", "home", "vacuum", "coffee", "volume", "sound"},
    {"train", "taxi", "ticket", "travel", "flight", "directions", "traffic", "transport"},
    {"food", "restaurant", "recipe", "table", "order", "cook"},
    {"currency", "money", "exchange", "convert"},
    {"news", "search", "find", "look", "movie", "film", "book", "cinema", "places", "events"},
    {"list", "task", "playlist", "item"},
    {"stock", "share", "shares", "price"},
]


def overlap(one, other):
    """Whether two targets might be asked for by the same prompt, judged coarsely by their words."""
    words = [set(spaced(f"{name} {text}").replace(",", " ").split()) for name, text in (one, other)]
    return any(group & words[0] and group & words[1] for group in GROUPS)


def shuffled(e, r):
    """Parameters in any order, now and then fewer of those that are not stated, and no more than one pass takes."""
    order = [i for i, p in enumerate(e.parameters) if p.type not in ("boolean", "bool")]
    stated = [i for i in order if e.spans[i] not in (None, "?") or e.parameters[i].name in e.asked]
    rest = [i for i in order if i not in stated]
    r.shuffle(rest)
    r.shuffle(stated)
    if r.random() < 0.3:
        rest = rest[: r.randint(0, 3)]
    kept = (stated + rest)[:MAX_PARAMETERS]
    r.shuffle(kept) if r.random() < 0.6 else kept.sort()
    return replace(e, parameters=[e.parameters[i] for i in kept], spans=[e.spans[i] for i in kept])


def noisy(e, r):
    """The prompt with its final mark away, or with a slip of the keyboard outside of its values."""
    if r.random() < 0.3:
        e.prompt = e.prompt.rstrip(" .?!")
    if r.random() < 0.07 and len(e.prompt) > 12:
        taken = [s for s in e.spans if isinstance(s, tuple)]
        at = r.randrange(1, len(e.prompt) - 1)
        if (
            e.prompt[at].isalpha()
            and e.prompt[at - 1].isalpha()
            and not any(s - 1 <= at <= t for s, t in taken)
        ):
            text = (
                e.prompt[: at - 1] + e.prompt[at] + e.prompt[at - 1] + e.prompt[at + 1 :]
                if r.random() < 0.5
                else e.prompt[:at] + e.prompt[at + 1 :]
            )
            shift = len(text) - len(e.prompt)
            e.spans = [
                (s + shift, t + shift)
                if isinstance(span, tuple) and (s := span[0]) > at and (t := span[1])
                else span
                for span in e.spans
            ]
            e.prompt = text
    return e
