"""Targets that are composed: a verb, a noun, and parameters with the clauses that state them. See composed.yaml."""

import re
from pathlib import Path

import yaml

import values
from grammar import (
    FOR_EXAMPLE,
    LEADS,
    NEAR,
    TAILS,
    TYPE,
    Text,
    cased,
    chosen,
    example_of,
    polished,
)
from model import Example, Parameter

PARTS = yaml.load(Path(__file__).with_name("composed.yaml").read_text(), yaml.BaseLoader)
VERBS, PARAMETERS, PAIRS = PARTS["verbs"], PARTS["parameters"], PARTS["pairs"]
NOUNS = PARTS["nouns"].split(";")
#: Sentences beside the request, whose values are nobody's.
BESIDE = [
    "I'm in a hurry.",
    "My boss asked me.",
    "It's for a friend.",
    "I've been a customer since {year}.",
    "I have {count} kids.",
    "Sorry to bother you again.",
    "We talked about this {date}.",
    "I tried it {count} times already.",
    "This is {person} speaking.",
    "It's raining here in {city}.",
    "I hope you are well.",
    "Not sure if this is the right place.",
    "The last one took {duration}.",
    "As discussed.",
    "You were a great help {date}.",
    "I work in {team}.",
]


def plural(noun):
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


class Composer:
    """One target, and prompts for it."""

    def __init__(self, r, verb=None, noun=None):
        self.r, self.verb, self.noun = r, verb or r.choice(list(VERBS)), noun or r.choice(NOUNS)
        own = VERBS[self.verb]
        word = r.choice(own["names"])
        self.name = cased(
            r.choice([f"{word}_{self.noun}", f"{self.noun}_{word}", f"{word}_{plural(self.noun)}"]).replace(
                " ", "_"
            ),
            r,
        )
        self.text = self.with_noun(r.choice(own["texts"]))
        if r.random() < 0.5:
            self.text = self.text[:1].upper() + self.text[1:] + r.choice(["", "."])
        self.slots = []  # (parameter, kind, clauses)
        self.pair = None
        share = 0.75 if "pair" in own else 0.3
        if r.random() < share:
            self.add_pair(PAIRS[own.get("pair") or r.choice(["range", "range", "place", "move_in_time"])])
        for own in r.sample(
            PARAMETERS, r.choice([0, 1, 1, 2, 2, 3, 4]) if self.pair else r.choice([1, 1, 2, 2, 3, 3, 4, 5])
        ):
            if self.pair and own["kind"] == self.slots[0][1]:
                continue
            self.add(own)

    def with_noun(self, text):
        text = text.replace("{n}", self.noun).replace("{s}", plural(self.noun))
        return re.sub(r"\ba (?=[aeiou](?!ni))", "an ", text)

    def add(self, own):
        r, kind = self.r, own["kind"]
        if any(
            kind == other and kind not in ("date", "count", "person", "amount") for _, other, _ in self.slots
        ):
            return
        name = self.with_noun(r.choice(own["names"])).replace(" ", "_")
        if any(p.name == name for p, _, _ in self.slots):
            return
        self.slots.append(
            (self.parameter(name, self.with_noun(r.choice(own["texts"])), kind), kind, own["clauses"])
        )

    def add_pair(self, pair):
        r, kind = self.r, self.r.choice(pair["kinds"])
        which = r.randrange(100)
        for role in pair["roles"]:
            name = role["names"][which % len(role["names"])]
            if r.random() < 0.4:
                name = f"{name}_{kind}" if r.random() < 0.7 else f"{kind}_{name}"
            text = role["texts"][which % len(role["texts"])] if r.random() < 0.5 else r.choice(role["texts"])
            if r.random() < 0.4:
                text = f"{kind} {text}" if r.random() < 0.5 else f"{text}, {kind}"
            self.slots.append((self.parameter(name, text, kind), kind, ()))
        self.pair = pair

    def parameter(self, name, text, kind):
        r = self.r
        if isinstance(kind, list):
            return Parameter(
                cased(name, r), polished(text, r), "str", tuple(kind) if r.random() < 0.7 else ()
            )
        format = {"date": "YYYY-MM-DD", "time": "HH:MM"}.get(kind, "")
        if r.random() < 0.18:
            text += r.choice(FOR_EXAMPLE).format(x=example_of(kind, r), y=example_of(kind, r))
        return Parameter(
            cased(name, r),
            polished(text, r),
            TYPE.get(kind, "str") if r.random() < 0.85 else "str",
            (),
            format if r.random() < 0.4 else "",
        )

    def prompt(self):
        """A Text with the values of some slots, by their places in `slots`."""
        r, text = self.r, Text()
        if r.random() < 0.06:
            self.beside(text).add(" ")
        phrase = self.with_noun(chosen(r.choice(VERBS[self.verb]["say"]), r))
        lead = r.choice(LEADS["en"])
        if lead.endswith((" you ", " to ", "can you ", "let's ", "me ")) and not re.match(
            r"(create|add|make|set|register|open|start|delete|remove|drop|get|take|show|give|look|find|display|fetch|list|search|change|update|edit|modify|correct|cancel|terminate|revoke|call|withdraw|renew|extend|prolong|approve|accept|confirm|sign|reject|decline|refuse|turn|deny|assign|hand|allocate|pass|send|forward|share|deliver|mail|run|launch|trigger|activate|kick|fire|stop|pause|halt|suspend|deactivate|freeze|shut|book|reserve|order|request|schedule|arrange|record|log|enter|note|report|track|check|verify|inspect|test|examine|move|transfer|relocate|shift|bring|rename|replace|swap|exchange|switch|compare|contrast|diff|export|download|print|save|convert|rate|review|score|grade|buy|purchase)\b",
            phrase,
        ):
            lead = ""
        text.add(lead).add(phrase)
        made = {}
        start = 0
        if self.pair:
            start = 2
            if r.random() < 0.85:
                self.state(text, r.choice(self.pair["clauses"]), dict(a=0, b=1), made)
        rest = list(range(start, len(self.slots)))
        if r.random() < 0.6:
            r.shuffle(rest)
            rest.sort(key=lambda k: self.slots[k][1] not in ("id", "title", "version"))
        for k in rest:
            if r.random() < 0.62:
                self.state(text, r.choice(self.slots[k][2]), dict(v=k), made)
        if text.text[-1:] not in "?!.":
            text.add(r.choice(TAILS["en"]))
        if r.random() < 0.06:
            self.beside(text.add(" " if text.text[-1:] in "?!." else ". "))
        return text

    def beside(self, text):
        r = self.r
        return text.add(re.sub(r"\{(\w+)\}", lambda m: str(values.MAKERS[m[1]](r, "en")), r.choice(BESIDE)))

    def state(self, text, clause, places, made):
        clause = (" " if clause[0] == " " else "") + chosen(clause, self.r)
        for piece in re.split(r"(\{\w\})", clause):
            if piece[:1] == "{" and piece[1] in places:
                k = places[piece[1]]
                text.value(k, self.value(self.slots[k][1], made))
            else:
                text.add(piece)

    def value(self, kind, made):
        while True:
            if isinstance(kind, list):
                value = self.r.choice(kind)
            elif kind == "currency":
                value = values.currency(self.r)[0]
            else:
                value = values.MAKERS[kind](self.r, "en")
            if value not in made.values():
                made[len(made)] = value
                return value

    def example(self, text, asks, spans=None):
        parameters = [p for p, _, _ in self.slots]
        return Example(
            (self.name, self.text),
            parameters,
            text if isinstance(text, str) else text.text,
            spans or [text.spans.get(k) for k in range(len(parameters))],
            asks,
        )


def made(r, refused=0.3):
    """An example; of `refused`, one of another verb or noun, which does not ask for the target."""
    composer = Composer(r)
    if r.random() >= refused:
        return composer.example(composer.prompt(), 1)
    unknown = ["?"] * len(composer.slots)
    if r.random() < 0.3:
        question = r.choice(NEAR).replace("{w}", composer.noun).replace("{v}", r.choice(NOUNS))
        return composer.example(chosen(question, r), 0, unknown)
    if r.random() < 0.5:
        related = {
            frozenset(pair)
            for pair in (
                ("get", "list"),
                ("get", "check"),
                ("create", "book"),
                ("buy", "book"),
                ("buy", "create"),
                ("report", "create"),
                ("delete", "cancel"),
                ("move", "assign"),
                ("update", "rename"),
                ("list", "check"),
                ("start", "create"),
                ("stop", "cancel"),
                ("send", "assign"),
                ("assign", "move"),
                ("renew", "update"),
                ("book", "get"),
                ("approve", "check"),
                ("reject", "cancel"),
                ("send", "export"),
                ("start", "send"),
                ("get", "export"),
                ("get", "buy"),
                ("send", "move"),
                ("list", "export"),
                ("book", "list"),
                ("move", "rename"),
                ("get", "compare"),
            )
        }
        verb = r.choice(
            [v for v in VERBS if v != composer.verb and frozenset((v, composer.verb)) not in related]
        )
        other = Composer(r, verb, composer.noun)
    else:
        other = Composer(
            r,
            r.choice([composer.verb, None]),
            r.choice([n for n in NOUNS if not set(n.split()) & set(composer.noun.split())]),
        )
    return composer.example(other.prompt().text, 0, unknown)
