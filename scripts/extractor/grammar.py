"""Made-up targets and prompts: targets.yaml, with values of values.py filled in.

A phrasing has `(this|that)` for a choice, `[now and then]` for a part that is left out half of the time, `{slot}` for a value and
`{amount currency}` for a sum of money as people write it. A slot's names and descriptions are drawn by one index, so that pairs such as
from/to and source/target stay together.
"""

import re
from pathlib import Path

import yaml

import values
from model import Example, Parameter

FOLDER = Path(__file__).parent
#: Targets of the held-out part: never trained on, only measured.
TARGETS = yaml.load((FOLDER / "targets.yaml").read_text(), yaml.BaseLoader)
for _target in TARGETS.values():
    for _part in ("say", "de", "fr", "es", "near"):
        _target[_part] = _target.get(_part, "").split("\n")[:-1] if _part in _target else []
HELD_OUT = [name for name, t in TARGETS.items() if t.get("held_out")]
TRAINED = [name for name in TARGETS if name not in HELD_OUT]
#: The commoner a target is and the harder its roles are, the more of its prompts.
WEIGHTS = [int(TARGETS[name].get("weight", 1)) for name in TRAINED]
LANGUAGES = ("en", "de", "fr", "es")


class Text:
    """A prompt that grows, with the places of its values."""

    def __init__(self):
        self.text, self.spans = "", {}

    def add(self, text):
        self.text += text
        return self

    def value(self, slot, made):
        before, value, after = made if isinstance(made, tuple) else ("", made, "")
        self.add(before)
        self.spans[slot] = (len(self.text), len(self.text) + len(value))
        self.add(value).add(after)


def chosen(text, r):
    """A phrasing with its choices made and its optional parts kept or left out, the innermost first."""
    while m := re.search(r"\(([^()\[\]]*)\)|\[([^()\[\]]*)\]", text):
        if m[1] is not None:
            part = r.choice(m[1].split("|"))
        else:
            part = m[2] if r.random() < 0.5 else ""
        text = text[: m.start()] + part + text[m.end() :]
    return re.sub(r"  +", " ", text).strip()


class Filler:
    """The values of one prompt: two slots of one kind never have the same."""

    def __init__(self, slots, r, lang):
        self.slots, self.r, self.lang, self.codes, self.made = slots, r, lang, {}, {}

    def make(self, slot):
        kind = self.slots[slot]["kind"]
        if slot in self.made:
            return self.made[slot]
        if isinstance(kind, list):
            made = self.r.choice(kind)
        elif kind == "currency":
            while True:
                made, code = values.currency(self.r, self.lang)
                if code not in self.codes.values():
                    break
            self.codes[slot] = code
        else:
            while True:
                made = values.MAKERS[kind](self.r, self.lang)
                if made not in self.made.values():
                    break
        self.made[slot] = made
        return made

    def money(self, text, amount, currency):
        """A sum of money: "20 dollars", "USD 20", "$20"."""
        said = self.make(currency)
        number = re.sub(r"^(a|one)$", "1", self.make(amount)) if self.r.random() < 0.9 else self.make(amount)
        symbol = values.CURRENCIES[self.codes[currency]][0]
        form = self.r.random()
        if symbol and form < 0.22:
            first = self.lang == "en" or self.r.random() < 0.5
            for slot, made in (
                ((currency, symbol), (amount, number)) if first else ((amount, number), (currency, symbol))
            ):
                text.value(slot, made)
        elif form < 0.32 and said.upper() == self.codes[currency]:
            text.value(currency, said)
            text.add(" ").value(amount, number)
        else:
            text.value(amount, number)
            text.add(" " if form < 0.95 or said.upper() != self.codes[currency] else "")
            text.value(currency, said)


def filled(phrase, filler, text=None):
    text = text or Text()
    for piece in re.split(r"(\{[\w ]+\})", phrase):
        if piece[:1] == "{":
            slots = piece[1:-1].split(" ")
            if len(slots) == 2:
                filler.money(text, *slots)
            else:
                text.value(slots[0], filler.make(slots[0]))
        else:
            text.add(piece)
    return text


TYPE = dict(
    amount="float",
    count="int",
    days="int",
    nights="int",
    minutes="int",
    hours="int",
    months="int",
    duration="int",
    percent="float",
    year="int",
    decimal="float",
    port="int",
    level="int",
)
FOR_EXAMPLE = [
    ", for example {x}",
    " (e.g. {x})",
    ", such as {x}",
    " like {x}",
    ", e.g. {x} or {y}",
    " (example: {x})",
    "; defaults to {x}",
    ", default {x}",
]


def described(target, slots, filler, r):
    """The slots as parameters, named and described as one of many configurations would."""
    name_index, text_index, out = r.randrange(1000), r.randrange(1000), {}
    for slot, own in slots.items():
        if own.get("hidden"):
            continue
        names = own["names"]
        name = (
            names[name_index % len(names)]
            if len(names) == len(next(iter(slots.values()))["names"])
            else r.choice(names)
        )
        texts = own["texts"]
        text = texts[text_index % len(texts)] if own.get("paired") else r.choice(texts)
        for other, code in filler.codes.items():
            text = text.replace("{%s}" % other, code)
        text = re.sub(r"\{\w+\}", "USD", text)
        kind = own["kind"]
        enum, format, type = (), "", own.get("type") or TYPE.get(kind if isinstance(kind, str) else "", "str")
        if isinstance(kind, list):
            enum = tuple(kind) if r.random() < 0.7 else ()
        elif kind in ("date", "time"):
            format = ("YYYY-MM-DD" if kind == "date" else "HH:MM") if r.random() < 0.45 else ""
            if r.random() < 0.25:
                text += r.choice([" ({f})", ", {f}", " in the format {f}", " as {f}"]).format(
                    f="YYYY-MM-DD" if kind == "date" else "HH:MM"
                )
        elif r.random() < 0.22:
            samples = [example_of(kind, r) for _ in "ab"]
            text += r.choice(FOR_EXAMPLE).format(x=samples[0], y=samples[1])
        if kind == "currency" and r.random() < 0.3:
            text = (
                r.choice(
                    [
                        "three letter code of the ",
                        "ISO 4217 code of the ",
                        "code of the ",
                        "3-letter ISO code, ",
                    ]
                )
                + text
            )
        out[slot] = Parameter(
            cased(name, r), polished(text, r), type if r.random() < 0.85 else "str", enum, format
        )
    return out


def example_of(kind, r):
    if kind == "currency":
        return r.choice(list(values.CURRENCIES))
    made = values.MAKERS[kind](r, "en")
    return made[1] if isinstance(made, tuple) else made


def cased(name, r):
    if r.random() < 0.15 and "_" in name:
        first, *rest = name.split("_")
        return first + "".join(part.capitalize() for part in rest)
    return name


def polished(text, r):
    """One text as several people would have written it."""
    draw = r.random()
    if draw < 0.1:
        text = "the " + text
    elif draw < 0.35:
        text = text[:1].upper() + text[1:]
    elif draw < 0.45:
        text = text[:1].upper() + text[1:] + "."
    elif draw < 0.5:
        text = "The " + text + r.choice([".", "", " (required)", " (optional)"])
    elif draw < 0.53:
        text = ""
    return text


LEADS = dict(
    en=[
        "",
        "",
        "",
        "",
        "",
        "",
        "please ",
        "Please ",
        "hi, ",
        "hey ",
        "Can you help? ",
        "ok, ",
        "Hello! ",
        "I'd like this: ",
        "hey there, ",
        "so, ",
        "Quick one: ",
        "Good morning. ",
        "Could you please ",
        "can you ",
        "I need you to ",
        "I want you to ",
        "would you ",
        "help me ",
        "let's ",
        "i'd like to ",
        "I want to ",
        "I need to ",
        "we need to ",
        "I have to ",
    ],
    de=["", "", "", "bitte ", "Hallo, ", "Guten Morgen, ", "Kannst du bitte "],
    fr=["", "", "", "Bonjour, ", "s'il te plaît ", "Salut, "],
    es=["", "", "", "Hola, ", "por favor ", "Buenos días, "],
)
TAILS = dict(
    en=[
        "",
        "",
        "",
        "",
        "",
        "",
        "",
        " please",
        ", please",
        " pls",
        " asap",
        ", thanks",
        " now",
        "?",
        "!",
        ".",
        ".",
        " for me",
        ", can you do that?",
        " if possible",
        " thx",
        " right away",
        ", that would be great",
    ],
    de=["", "", "", " bitte", ", danke", "."],
    fr=["", "", " s'il vous plaît", ", merci", "."],
    es=["", "", " por favor", ", gracias", "."],
)
VERB_LEADS = {
    "Could you please ",
    "can you ",
    "I need you to ",
    "I want you to ",
    "would you ",
    "help me ",
    "let's ",
    "i'd like to ",
    "I want to ",
    "I need to ",
    "we need to ",
    "I have to ",
    "Kannst du bitte ",
}
LABELLED = [
    ", {n}: {v}",
    ", {n} {v}",
    ". The {n} is {v}",
    ", {n} should be {v}",
    " with {n} {v}",
    " ({n} {v})",
    "; {n}={v}",
    " with a {n} of {v}",
    ", and the {n} is {v}",
    ". {n}: {v}.",
    ", using {v} as {n}",
    ". Set the {n} to {v}",
]
#: Answers to a question and corrections, for any parameter.
ANSWERS = dict(
    en=[
        "{v}",
        "{v}",
        "{v}",
        "{v} please",
        "it's {v}",
        "{v}, please",
        "the {n} is {v}",
        "{n}: {v}",
        "{n} {v}",
        "make it {v}",
        "{v} I think",
        "let's say {v}",
        "that would be {v}",
        "Sure, {v}",
        "ok {v}",
        "I'd say {v}",
        "and {v}?",
        "what about {v}?",
        "no, {v}",
        "sorry, I meant {v}",
        "actually {v}",
        "change the {n} to {v}",
        "use {v} instead",
        "how about {v}",
        "it should be {v}",
        "{v} then",
        "rather {v}",
    ],
    de=["{v}", "{v} bitte", "es ist {v}", "und {v}?", "nein, {v}"],
    fr=["{v}", "c'est {v}", "et {v} ?", "non, {v}"],
    es=["{v}", "es {v}", "¿y {v}?", "no, {v}"],
)
PREPOSITIONS = dict(
    city=["in {v}", "and in {v}?", "for {v}"],
    date=["on {v}", "for {v}", "by {v}"],
    time=["at {v}", "from {v}"],
    duration=["for {v}"],
    minutes=["for {v}"],
    days=["for {v}"],
    hours=["for {v}"],
    person=["for {v}", "with {v}"],
    who=["to {v}", "for {v}"],
    place=["to {v}", "at {v}", "from {v}"],
    currency=["in {v}", "into {v}", "to {v}"],
    title=["called {v}", "titled {v}"],
    area=["in the {v}"],
)


def lower_first(text):
    return text[:1].lower() + text[1:] if not text[:2].isupper() and not text.startswith("I ") else text


def made(r, names=None, answer_share=0.1):
    """An example of one of the targets."""
    key = r.choice(names) if names else r.choices(TRAINED, WEIGHTS)[0]
    target = TARGETS[key]
    lang = r.choices(LANGUAGES, [0.82, 0.08, 0.05, 0.05])[0]
    if not target.get(lang) and lang != "en":
        lang = "en"
    slots = target["slots"]
    filler = Filler(slots, r, lang)
    if r.random() < answer_share:
        return answered(key, target, filler, r, lang)
    phrase = chosen(r.choice(target["say" if lang == "en" else lang]), r)
    lead = r.choice(LEADS[lang])
    imperative = (
        re.match(
            r"(what|who|how|when|where|which|is|are|do|does|did|will|has|have|can|could|i|i'm|i've|my|the|a|\{|[^a-z]|any|why|we|there)\b",
            phrase.lower(),
        )
        is None
    )
    if lead in VERB_LEADS and not imperative:
        lead = ""
    text = Text().add(lead)
    filled(lower_first(phrase) if lead and not phrase.startswith("{") else phrase, filler, text)
    parameters = described(target, slots, filler, r)
    rest = [
        slot for slot in parameters if slot not in text.spans and not isinstance(slots[slot]["kind"], list)
    ]
    if rest and lang == "en" and r.random() < 0.12:  # `…, title: Budget review, date: 2026-12-01`
        forms = r.choice(LABELLED)
        for slot in rest[: r.choice([1, 1, 2, 3])]:
            before, after = forms.split("{v}")
            text.add(before.format(n=spoken(parameters[slot].name))).value(slot, filler.make(slot))
            text.add(after)
    if text.text[-1:] not in "?!.":
        text.add(r.choice(TAILS[lang]))
    return finished(key, target, parameters, text, filler.codes, r, asks=1)


def spoken(name):
    from model import spaced

    return spaced(name)


def answered(key, target, filler, r, lang):
    """The answer to a question of the gateway, or a correction: one to three values with little around them."""
    slots = {slot: own for slot, own in target["slots"].items() if not own.get("hidden")}
    picked = r.sample(list(slots), min(len(slots), r.choice([1, 1, 1, 2, 2, 3])))
    text, forms = Text(), ANSWERS[lang]
    for i, slot in enumerate(picked):
        if i:
            text.add(
                r.choice([", ", " and ", ", ", " ", "; ", " on ", " at "] if lang == "en" else [", ", " "])
            )
        kind = slots[slot]["kind"]
        form = (
            r.choice(PREPOSITIONS[kind])
            if isinstance(kind, str) and kind in PREPOSITIONS and lang == "en" and r.random() < 0.25
            else r.choice(forms[:3] if i else forms)
        )
        before, after = form.split("{v}")
        text.add(before.format(n=slots[slot]["names"][0].replace("_", " "))).value(slot, filler.make(slot))
        text.add(after if i == len(picked) - 1 else after.rstrip("?."))
    parameters = described(target, target["slots"], filler, r)
    asked = tuple(parameters[slot].name for slot in picked) if r.random() < 0.75 else ()
    if asked and r.random() < 0.2:
        asked += tuple(p.name for p in parameters.values() if p.name not in asked)[:1]
    ambiguous = not asked and len(slots) > 1 and "{n}" not in form
    example = finished(key, target, parameters, text, filler.codes, r, asks=-1, asked=asked)
    if ambiguous:  # two parameters of one kind: without the question nobody could tell
        kinds = [str(own["kind"]) for own in slots.values()]
        example.spans = [
            "?" if kinds.count(str(slots[s]["kind"])) > 1 else span
            for s, span in zip(parameters, example.spans)
        ]
    return example


def finished(key, target, parameters, text, codes, r, asks, asked=()):
    name, about = r.choice(target["names"]), r.choice(target["texts"])
    about = re.sub(r"\{\w+\}", next(iter(codes.values()), "USD"), about)
    if r.random() < 0.5:
        about = about[:1].upper() + about[1:] + r.choice(["", "", "."])
    example = Example(
        (cased(name, r), about if r.random() < 0.95 else ""),
        list(parameters.values()),
        text.text,
        [text.spans.get(slot) for slot in parameters],
        asks,
        asked,
    )
    example.key, example.kinds = (
        key,
        {p.name: kind_of(target["slots"][slot]) for slot, p in parameters.items()},
    )
    return example


def kind_of(slot):
    return slot["kind"] if isinstance(slot["kind"], str) else "choice"


def near(key, r):
    """A question about what a target is about, which does not ask for it."""
    target = TARGETS[key]
    if r.random() < 0.5 and target.get("near"):
        return chosen(r.choice(target["near"]), r)
    said = [slot["kind"] for slot in target["slots"].values() if slot["kind"] in NAMED]
    if said and key not in INFORMING and r.random() < 0.35:
        made = (
            values.currency(r)[0] if (kind := r.choice(said)) == "currency" else values.MAKERS[kind](r, "en")
        )
        return chosen(r.choice(NEAR_VALUE), r).replace("{x}", made[1] if isinstance(made, tuple) else made)
    nouns = target["nouns"]
    return chosen(r.choice(NEAR).replace("{w}", r.choice(nouns)).replace("{v}", r.choice(nouns)), r)


QUESTIONS = yaml.load((FOLDER / "questions.yaml").read_text(), yaml.BaseLoader)
NEAR, NEAR_VALUE, ORDINARY = (QUESTIONS[part].split("\n")[:-1] for part in ("near", "near_value", "ordinary"))
#: Targets that answer questions about their values.
INFORMING = (
    "movie_info",
    "employee_lookup",
    "find_recipe",
    "search_products",
    "news_search",
    "search_docs",
    "stock_price",
    "get_balance",
)
#: Kinds whose values a question can be about.
NAMED = (
    "currency",
    "city",
    "company",
    "product",
    "food",
    "artist",
    "work",
    "language",
    "unit",
    "region",
    "person",
    "topic",
    "words",
    "genre",
    "cuisine",
    "commodity",
    "year",
)
WORDS = {name: text.split("; ") for name, text in QUESTIONS["words"].items()}


def ordinary(r):
    """What people ask a language model."""
    return chosen(re.sub(r"\{(\w+)\}", lambda m: r.choice(WORDS[m[1]]), chosen(r.choice(ORDINARY), r)), r)
