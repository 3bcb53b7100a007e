"""Made-up values of every kind, in four languages, as people write them. A maker takes a `Random` and a language and returns text,
or (before, value, after) where only a part of the text is the value."""

from pathlib import Path

import yaml

TABLES = yaml.load(Path(__file__).with_name("words.yaml").read_text(), yaml.BaseLoader)


def listed(table):
    """`a; b` as a list, also inside of a table by language."""
    if isinstance(table, dict):
        return {key: listed(own) for key, own in table.items()}
    return table.split("; ") if isinstance(table, str) else table


#: Code -> (symbol, names by language).
CURRENCIES = {code: (own.pop("symbol"), listed(own)) for code, own in TABLES.pop("currencies").items()}
#: Tables by language.
CITIES_BY, TONGUES_BY, MONTHS, DAYS, RELATIVE, SMALL, FEW, TIMES = (
    listed(TABLES.pop(name))
    for name in ("cities_by", "tongues_by", "months", "days", "relative", "small", "few", "times")
)
LISTS = {name: listed(table) for name, table in TABLES.items()}
LETTERS = "abcdefghkmnprstvwxz"


def word(r):
    return "".join(r.choice(LETTERS) for _ in range(r.randint(2, 5)))


def text_of(table, r, lang):
    return r.choice(table.get(lang, table["en"]))


def currency(r, lang="en"):
    code = r.choice(list(CURRENCIES)[:12] if r.random() < 0.5 else list(CURRENCIES))
    return currency_said(r, lang, code), code


def currency_said(r, lang, code):
    kind = r.random()
    if kind < 0.42:
        return r.choice([code, code, code.lower()])
    return text_of(CURRENCIES[code][1], r, lang)


def amount(r, lang="en"):
    n = r.random()
    if n < 0.3:
        return str(r.randint(1, 100))
    if n < 0.55:
        return str(r.choice([r.randint(100, 999), r.randint(1, 99) * 50, r.randint(1000, 20000)]))
    if n < 0.7:
        return f"{r.randint(1, 999)}{r.choice('.,' if lang != 'en' else '.')}{r.choice([5, 25, 50, 75, 99, r.randint(10, 99)])}"
    if n < 0.8:
        return f"{r.randint(1, 90)}{',' if lang == 'en' else '.'}{r.randint(0, 999):03}{r.choice(['', '', '.50' if lang == 'en' else ',50'])}"
    if n < 0.87:
        return f"{r.choice([r.randint(1, 90), f'{r.randint(1, 9)}.{r.randint(1, 9)}'])}{r.choice(['k', 'k', 'K', 'm', ' million', ' thousand'])}"
    if lang != "en":
        return text_of(SMALL, r, lang)
    return r.choice([text_of(SMALL, r, "en"), r.choice(LISTS["large"]), "a", "one"])


def count(r, lang="en"):
    return (
        str(r.randint(1, 12))
        if r.random() < 0.5
        else str(r.randint(2, 400))
        if r.random() < 0.5
        else text_of(SMALL, r, lang)
    )


def duration(r, lang="en", units="minute,minute,hour,hour,day,day,week,month,night,year"):
    unit = r.choice(units.split(","))
    names = TIMES[unit].get(lang, TIMES[unit]["en"])
    k = r.random()
    if k < 0.12:
        single = names[1] if len(names) > 1 and len(names[1]) > 3 else names[0].rstrip("s")
        one = dict(
            en=[f"{'an' if unit == 'hour' else 'a'}", "one", "half an" if unit == "hour" else "a"],
            de=["eine" if unit in ("hour", "minute", "week", "night") else "einen"],
            fr=["une" if unit in ("hour", "minute", "week", "night") else "un"],
            es=["una" if unit in ("hour", "week", "night") else "un"],
        )
        return f"{r.choice(one.get(lang, one['en']))} {single}"
    if k < 0.17:
        return f"{r.choice(FEW.get(lang, FEW['en']))} {names[0]}"
    n = (
        text_of(SMALL, r, lang)
        if r.random() < 0.3
        else str(r.choice([r.randint(1, 14), r.randint(1, 12) * 5, r.randint(1, 120)]))
    )
    if lang == "en" and r.random() < 0.08:
        return f"{r.randint(1, 5)}h{r.choice(['', ' 30m', '30', ' 15min'])}"
    if lang == "en" and r.random() < 0.08:
        return (
            f"{r.choice([n, 'one', '1.5', '2.5'])} and a half {names[0]}"
            if r.random() < 0.3
            else f"{r.randint(1, 3)}.5 {names[0]}"
        )
    if lang == "en" and r.random() < 0.1:
        return f"{n}-{r.choice([w for w in names if not w.endswith('s')] or names)}"
    return f"{n} {names[0] if r.random() < 0.85 else r.choice(names)}"


def days(r, lang="en"):
    return duration(r, lang, "day,day,day,week")


def nights(r, lang="en"):
    return duration(r, lang, "night,night,day,week")


def minutes(r, lang="en"):
    return duration(r, lang, "minute,minute,minute,hour,hour")


def hours(r, lang="en"):
    return duration(r, lang, "hour,hour,day,minute")


def months(r, lang="en"):
    return duration(r, lang, "month,month,year")


def date(r, lang="en"):
    y, m, d = (
        r.choice([2025, 2026, 2026, 2027, 2027, 2028, r.randint(1970, 2035)]),
        r.randint(1, 12),
        r.randint(1, 28),
    )
    month, day, relative = text_of(MONTHS, r, lang), text_of(DAYS, r, lang), text_of(RELATIVE, r, lang)
    common = [
        f"{y}-{m:02}-{d:02}",
        f"{y}-{m:02}-{d:02}",
        relative,
        day,
        f"{d}.{m}.{y}" if lang != "en" else f"{m}/{d}/{y}",
    ]
    if lang == "de":
        return r.choice(
            [
                *common,
                f"{d}. {month}",
                f"{d}. {month} {y}",
                f"nächsten {day}",
                f"{d}.{m}.",
                f"kommenden {day}",
            ]
        )
    if lang == "fr":
        return r.choice([*common, f"{d} {month}", f"{d} {month} {y}", f"{day} prochain", f"{d}/{m}/{y}"])
    if lang == "es":
        return r.choice(
            [*common, f"{d} de {month}", f"{d} de {month} de {y}", f"próximo {day}", f"{d}/{m}/{y}"]
        )
    th = "th" if d in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(d % 10, "th")
    return r.choice(
        [
            *common,
            f"{month} {d}",
            f"{month} {d}{th}",
            f"{month} {d}, {y}",
            f"{month} {d}{th}, {y}",
            f"{month} {d} {y}",
            f"{d} {month} {y}",
            f"{d} {month}",
            f"the {d}{th}",
            f"{d}{th} of {month}",
            f"the {d}{th} of {month}",
            f"{d}/{m}/{y}",
            f"{m:02}/{d:02}/{y}",
            f"{d}.{m}.{y}",
            f"next {day}",
            f"this {day}",
            f"{day} {d} {month}",
            f"{day.lower()}",
            f"{day}, {month} {d}",
            f"{m}/{d}",
            f"{y}/{m:02}/{d:02}",
            f"{day} next week",
            f"{month.lower()} {d}",
            f"coming {day}",
        ]
    )


def clock(r, lang="en"):
    h, m = r.randint(0, 23), r.choice([0, 15, 30, 45, r.randint(0, 59)])
    both = [f"{h}:{m:02}", f"{h:02}:{m:02}"]
    if lang == "de":
        return r.choice([*both, f"{h} Uhr", f"{h}:{m:02} Uhr", f"{h}.{m:02} Uhr", "halb neun", "mittags"])
    if lang == "fr":
        return r.choice([*both, f"{h}h", f"{h}h{m:02}", f"{h} heures", "midi"])
    if lang == "es":
        return r.choice([*both, f"las {h % 12 + 1}", f"las {h}:{m:02}", "mediodía"])
    x, half = h % 12 + 1, r.choice(["am", "pm", " am", " pm", " AM", "PM", " a.m.", " p.m."])
    return r.choice(
        [
            *both,
            *both,
            f"{x}{half}",
            f"{x}{half}",
            f"{x}:{m:02}{half}",
            f"{x}:{m:02}{half}",
            "noon",
            "midnight",
            f"{x} o'clock",
            f"half past {text_of(SMALL, r, 'en')}",
            f"quarter to {text_of(SMALL, r, 'en')}",
            str(x),
            f"{h:02}{m:02}",
            f"{x} in the {r.choice(['morning', 'evening', 'afternoon'])}",
        ]
    )


def ident(r, lang="en"):
    n, w = r.randint, lambda: word(r)
    return r.choice(
        [
            lambda: f"{w().upper()}-{n(1, 99999)}",
            lambda: f"{w()}-{w()}-{n(1, 99)}",
            lambda: f"{w()}{n(1, 999)}",
            lambda: str(n(100, 9999999)),
            lambda: f"#{n(100, 99999)}",
            lambda: f"{w()}_{n(1, 40)}",
            lambda: f"{n(10, 99)}/{w().upper()}/{n(1, 999)}",
            lambda: f"{n(2019, 2027)}-{n(1000, 99999)}",
            lambda: f"{r.choice(LETTERS).upper()}{n(1, 9)}.{n(10, 999)}.{n(1, 9)}",
            lambda: f"{w()}:{n(1, 999)}",
            lambda: f"{w()}::{n(1, 9)}",
            lambda: "".join(r.choice("0123456789abcdef") for _ in range(r.choice([6, 8, 12]))),
            lambda: f"{w().upper()}{n(10, 99)}-{w().upper()}",
            lambda: f"{r.choice(LETTERS).upper()}-{n(100, 99999)}",
            lambda: f"{w()}-{n(1, 9)}.{n(0, 99)}",
            lambda: f"{n(100, 999)}-{n(1000000, 9999999)}-{n(1000000, 9999999)}",
            lambda: f"{w().upper()}_{n(1, 99)}_{w().upper()}",
            lambda: f"{r.choice('ABCDEFG')}{n(1, 99)}",
        ]
    )()


def host(r, lang="en"):
    n, w = r.randint, lambda: word(r)
    return r.choice(
        [
            lambda: f"{n(1, 255)}.{n(0, 255)}.{n(0, 255)}.{n(1, 255)}",
            lambda: f"{n(1, 255)}.{n(0, 255)}.{n(0, 255)}.{n(1, 255)}",
            lambda: f"{w()}.{w()}.{r.choice(LISTS['domains'])}",
            lambda: f"{w()}-{w()}-{n(1, 20):02}",
            lambda: f"{w()}-{n(1, 20)}.{w()}.{r.choice(LISTS['domains'])}",
            lambda: f"{r.choice(['fe80', '2001:db8', 'fd00'])}::{n(1, 9999):x}",
            lambda: ":".join(f"{n(0, 255):02x}" for _ in range(6)),
            lambda: f"{w()}{n(1, 99)}",
            lambda: r.choice(LISTS["services"]),
            lambda: f"{w()}.{r.choice(LISTS['domains'])}",
            lambda: f"{n(10, 192)}.{n(0, 255)}.{n(0, 255)}.{n(1, 255)}:{n(80, 9999)}",
            lambda: ident(r),
        ]
    )()


def title(r, lang="en"):
    some = lambda k: [r.choice(LISTS["words"]) for _ in range(k)]
    text = r.choice(
        [
            lambda: " ".join(some(r.randint(1, 3))).capitalize(),
            lambda: " ".join(some(r.randint(1, 3))),
            lambda: " ".join(w.capitalize() for w in some(2)),
            lambda: f"{some(1)[0].capitalize()} with {r.choice([*LISTS['teams'], *LISTS['first']])}",
            lambda: f"Q{r.randint(1, 4)} {some(1)[0]}",
            lambda: f"{r.choice(LISTS['first'])}'s {some(1)[0]}",
            lambda: f"{some(1)[0].capitalize()} {r.randint(1, 9)}.{r.randint(0, 9)}",
            lambda: f"{some(1)[0].capitalize()} & {some(1)[0]}",
            lambda: f"{some(1)[0]} for {r.choice([*LISTS['teams'], *LISTS['first']])}",
            lambda: f"{some(1)[0].capitalize()}: {' '.join(some(2))}",
        ]
    )()
    return text


def quoted(maker):
    def make(r, lang="en"):
        text = maker(r, lang)
        if r.random() < 0.22:
            before, after = r.choice(['""', "''", "“”", "''", '""', "«»"])
            return before, text, after
        return text

    return make


def message(r, lang="en"):
    return r.choice(LISTS["messages"]).strip().format(n=r.randint(1, 40), t=clock(r), d=date(r))


def person(r, lang="en"):
    return r.choice(
        [
            lambda: r.choice(LISTS["first"]),
            lambda: f"{r.choice(LISTS['first'])} {r.choice(LISTS['last'])}",
            lambda: f"{r.choice(['Dr. ', 'Mr ', 'Mrs. ', 'Ms. ', 'Prof. '])}{r.choice(LISTS['last'])}",
            lambda: f"{r.choice(LISTS['first'])[0]}. {r.choice(LISTS['last'])}",
            lambda: r.choice(LISTS["first"]).lower(),
        ]
    )()


def who(r, lang="en"):
    return r.choice(
        [
            lambda: person(r),
            lambda: person(r),
            lambda: r.choice(LISTS["teams"]),
            lambda: r.choice(LISTS["relations"]),
            lambda: email(r),
        ]
    )()


def email(r, lang="en"):
    return f"{r.choice(LISTS['first']).lower()}{r.choice(['.', '_', ''])}{r.choice([r.choice(LISTS['last']).lower(), str(r.randint(1, 99))])}@{word(r)}.{r.choice(LISTS['domains'])}".replace(
        " ", ""
    ).replace("'", "")


def phone(r, lang="en"):
    return r.choice(
        [
            f"+{r.randint(1, 99)} {r.randint(100, 999)} {r.randint(1000000, 9999999)}",
            f"{r.randint(200, 999)}-{r.randint(100, 999)}-{r.randint(1000, 9999)}",
            f"0{r.randint(100, 999)}/{r.randint(10000, 9999999)}",
        ]
    )


def url(r, lang="en"):
    return f"{r.choice(['https://', 'http://', 'www.', ''])}{word(r)}.{r.choice(LISTS['domains'])}{r.choice(['', '/', f'/{word(r)}', f'/{word(r)}/{word(r)}.html', f'?id={r.randint(1, 99)}'])}"


def path(r, lang="en"):
    return r.choice(
        [
            f"/{word(r)}/{word(r)}.{r.choice(['txt', 'csv', 'log'])}",
            f"{word(r)}.{r.choice(['pdf', 'docx', 'py'])}",
            f"~/{word(r)}",
            f"C:\\{word(r)}\\{word(r)}",
            f"/{word(r)}/{word(r)}/{word(r)}",
            f"s3://{word(r)}/{word(r)}",
        ]
    )


def version(r, lang="en"):
    return r.choice(
        [
            f"v{r.randint(0, 9)}.{r.randint(0, 20)}.{r.randint(0, 9)}",
            f"{r.randint(1, 9)}.{r.randint(0, 20)}",
            f"{r.randint(0, 9)}.{r.randint(0, 20)}.{r.randint(0, 9)}-rc{r.randint(1, 4)}",
        ]
    )


def city(r, lang="en"):
    name = r.choice(CITIES_BY[lang]) if lang in CITIES_BY and r.random() < 0.6 else r.choice(LISTS["cities"])
    return (
        name
        if r.random() < 0.93 or lang != "en"
        else f"{name}, {r.choice(['MO', 'TX', 'Germany', 'UK', 'Canada', 'CA'])}"
    )


def place(r, lang="en"):
    return r.choice(
        [
            lambda: r.choice(LISTS["places"]),
            lambda: f"{r.randint(1, 400)} {r.choice(LISTS['streets'])}",
            lambda: r.choice(LISTS["streets"]),
            lambda: city(r, lang),
            lambda: f"{r.randint(1, 400)} {r.choice(LISTS['streets'])}, {r.choice(LISTS['cities'])}",
        ]
    )()


def region(r, lang="en"):
    return r.choice(LISTS["regions"])


def tongue(r, lang="en"):
    return r.choice(TONGUES_BY.get(lang, LISTS["tongues"]))


def percent(r, lang="en"):
    return f"{r.randint(1, 100)}{r.choice(['%', ' percent', '%'])}"


def room(r, lang="en"):
    return r.choice(
        [
            lambda: f"the {r.choice(LISTS['rooms'])}",
            lambda: r.choice(LISTS["rooms"]),
            lambda: f"room {r.randint(1, 400)}",
            lambda: r.choice(["Everest", "Aurora", "Blue Room", "Tesla", "Mozart", "B.204"]),
        ]
    )()


def year(r, lang="en"):
    return str(r.randint(1950, 2027))


def decimal(r, lang="en"):
    return r.choice(
        [
            str(r.randint(1, 300)),
            f"{r.randint(0, 99)}.{r.randint(0, 99):02}",
            f"{r.randint(1, 40)}.{r.randint(1, 9)}",
            str(-r.randint(1, 40)),
            amount(r, lang),
        ]
    )


def port(r, lang="en"):
    return str(r.choice([80, 443, 22, 8080, 5432, r.randint(1, 65535)]))


def level(r, lang="en"):
    return r.choice([str(r.randint(1, 10)), str(r.randint(1, 100)), text_of(SMALL, r, lang)])


def postcode(r, lang="en"):
    return r.choice(
        [
            f"{r.randint(10000, 99999)}",
            f"{r.choice('ABELNS')}{r.choice('ABELNS')}{r.randint(1, 9)} {r.randint(1, 9)}{r.choice('ABDEF')}{r.choice('ABDEF')}",
            f"{r.randint(1000, 9999)}",
        ]
    )


def of(options):
    return lambda r, lang="en": r.choice(options)


MAKERS = dict(
    amount=amount,
    count=count,
    duration=duration,
    days=days,
    nights=nights,
    minutes=minutes,
    hours=hours,
    months=months,
    date=date,
    time=clock,
    id=ident,
    host=host,
    title=quoted(title),
    text=quoted(message),
    words=quoted(of(LISTS["topics"])),
    person=person,
    who=who,
    email=email,
    phone=phone,
    url=url,
    path=path,
    version=version,
    city=city,
    place=place,
    region=region,
    language=tongue,
    unit=of(LISTS["units"]),
    percent=percent,
    room=room,
    year=year,
    decimal=decimal,
    port=port,
    level=level,
    postcode=postcode,
    work=quoted(of(LISTS["titles"])),
    artist=of(LISTS["artists"]),
    genre=of(LISTS["genres"]),
    product=of(LISTS["products"]),
    food=of(LISTS["foods"]),
    cuisine=of(LISTS["cuisines"]),
    company=of(LISTS["companies"]),
    commodity=of(LISTS["commodities"]),
    colour=of(LISTS["colours"]),
    device=of(LISTS["devices"]),
    topic=of(LISTS["topics"]),
    service=of(LISTS["services"]),
    team=of(LISTS["teams"]),
    area=of(LISTS["rooms"]),
)
