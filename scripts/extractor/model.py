"""The extractor: one pass over a target, its parameters and a prompt gives a span for each parameter and whether the prompt asks for the target.

    [CLS] name: description [MASK] parameter [MASK] parameter ... [SEP] prompt [SEP]

The mean over the tokens of a parameter is its query; start and end are scaled dot products with the prompt's tokens, where [CLS] stands
for "not stated". A parameter that the gateway has just asked for is marked by ASKED instead of [MASK].
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import nn

LAYERS, HEADS, WIDTH, WIDE, PROJECTION = 6, 12, 384, 1536, 192
HEAD_WIDTH = WIDTH // HEADS
CLS, SEP, PARAMETER, ASKED = 101, 102, 103, 2
#: Longest texts, in tokens. MAX_TOKENS is that of training; use may be longer.
MAX_TARGET, MAX_PARAMETER, MAX_TOKENS, MAX_PARAMETERS = 40, 32, 192, 8
#: Positions of a span: 0 is [CLS], "not stated"; UNKNOWN has no part in the loss.
NOT_STATED, UNKNOWN = 0, -1
TYPES = {
    "int": "number",
    "integer": "number",
    "float": "number",
    "number": "number",
    "bool": "yes or no",
    "boolean": "yes or no",
    "list": "list",
    "array": "list",
}


@dataclass
class Parameter:
    name: str
    description: str
    type: str = "str"
    enum: tuple = ()
    format: str = ""


@dataclass
class Example:
    target: tuple  # name, description
    parameters: list
    prompt: str
    spans: list  # of each parameter: (start, end) in characters, None where not stated, "?" where unknown
    asks: int = -1  # whether the prompt asks for the target: 1, 0, or -1 for unknown
    asked: tuple = ()  # names of parameters that the gateway has just asked for


def spaced(name):
    """A configured name as words: `startDate` and `start_date` are both "start date"."""
    words = []
    for piece in name.replace("_", " ").replace("-", " ").replace(".", " ").split():
        start = 0
        for i in range(1, len(piece)):
            if piece[i].isupper() and piece[i - 1].islower():
                words.append(piece[start:i])
                start = i
        words.append(piece[start:])
    return " ".join(words).lower()


def target_text(target):
    name, description = target
    return f"{spaced(name)}: {description}" if description else spaced(name)


def parameter_text(parameter):
    text = spaced(parameter.name) + (f": {parameter.description}" if parameter.description else "")
    kind = TYPES.get(parameter.type.lower())
    if parameter.enum:
        kind = ", ".join(str(value) for value in parameter.enum[:8])
    elif parameter.format:
        kind = "time" if "HH" in parameter.format else "date" if "YY" in parameter.format else None
    return f"{text} ({kind})" if kind else text


class Encoder:
    """Turns examples into token ids. The texts of targets and parameters repeat, so their ids are kept."""

    def __init__(self, folder):
        self.tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.known = {}

    def ids(self, text):
        if text not in self.known:
            if len(self.known) > 200_000:
                self.known.clear()
            self.known[text] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return self.known[text]

    def __call__(self, example, limit=MAX_TOKENS):
        ids, queries = [CLS, *self.ids(target_text(example.target))[:MAX_TARGET]], []
        for parameter in example.parameters:
            own = self.ids(parameter_text(parameter))[:MAX_PARAMETER]
            queries.append((len(ids), len(ids) + 1 + len(own)))
            ids += [ASKED if parameter.name in example.asked else PARAMETER, *own]
        ids.append(SEP)
        said = self.tokenizer.encode(example.prompt, add_special_tokens=False)
        first, room = len(ids), max(0, limit - len(ids) - 1)
        offsets = said.offsets[:room]
        ids += [*said.ids[:room], SEP]
        spans = [self.span(span, offsets, first) for span in example.spans]
        return Row(ids, queries, first, offsets, spans, example.asks)

    @staticmethod
    def span(span, offsets, first):
        if span is None:
            return NOT_STATED, NOT_STATED
        if span == "?":
            return UNKNOWN, UNKNOWN
        inside = [i for i, (start, end) in enumerate(offsets) if start < span[1] and end > span[0]]
        return (first + inside[0], first + inside[-1]) if inside else (UNKNOWN, UNKNOWN)


@dataclass
class Row:
    ids: list
    queries: list
    first: int
    offsets: list
    spans: list
    asks: int


def batched(rows, multiple=16):
    """Tensors of rows of about one length."""
    length = -(-max(len(row.ids) for row in rows) // multiple) * multiple
    count = max(1, max(len(row.queries) for row in rows))
    ids = torch.zeros(len(rows), length, dtype=torch.long)
    types = torch.zeros(len(rows), length, dtype=torch.long)
    pool = torch.zeros(len(rows), count, length)
    spans = torch.full((len(rows), count, 2), UNKNOWN)
    allowed = torch.zeros(len(rows), length, dtype=torch.bool)
    for i, row in enumerate(rows):
        end = len(row.ids)
        ids[i, :end] = torch.tensor(row.ids)
        types[i, row.first : end] = 1
        for k, (start, stop) in enumerate(row.queries):
            pool[i, k, start:stop] = 1 / (stop - start)
        if row.spans:
            spans[i, : len(row.spans)] = torch.tensor(row.spans)
        allowed[i, row.first : end - 1] = True
        allowed[i, 0] = True
    return dict(
        ids=ids,
        types=types,
        pool=pool,
        spans=spans,
        allowed=allowed,
        asks=torch.tensor([row.asks for row in rows]),
    )


class Linear(nn.Linear):
    """A linear layer that can behave like its int8 form: 7 bits for a weight, 8 for an input, scaled by the largest of the text."""

    rounded = False

    def forward(self, x):
        if not self.rounded:
            return super().forward(x)
        scale = self.weight.detach().abs().amax(1, keepdim=True).clamp(min=1e-9) / 63
        weight = passed(self.weight, torch.round(self.weight / scale) * scale)
        own = x.detach().float()
        low, high = own.amin((1, 2), keepdim=True).clamp(max=0), own.amax((1, 2), keepdim=True).clamp(min=0)
        step = (high - low).clamp(min=1e-9) / 255
        zero = torch.round(-low / step)
        bytes = (torch.round(own / step) + zero).clamp(0, 255)
        return F.linear(passed(x.float(), (bytes - zero) * step), weight, self.bias)


def passed(exact, rounded):
    """The rounded value, with the gradient of the exact one."""
    return exact + (rounded - exact).detach()


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.joined = Linear(WIDTH, 3 * WIDTH), Linear(WIDTH, WIDTH)
        self.wide, self.narrow = Linear(WIDTH, WIDE), Linear(WIDE, WIDTH)
        self.first_norm, self.second_norm = nn.LayerNorm(WIDTH, eps=1e-12), nn.LayerNorm(WIDTH, eps=1e-12)

    def forward(self, x, mask):
        b, n, _ = x.shape
        q, k, v = self.attention(x).view(b, n, 3, HEADS, HEAD_WIDTH).permute(2, 0, 3, 1, 4)
        # Written out: torch's fused attention takes four times as long backwards on a CPU.
        shares = torch.softmax(q @ k.transpose(-1, -2) * HEAD_WIDTH**-0.5 + mask.to(q.dtype), -1)
        mixed = shares.to(v.dtype) @ v
        x = self.first_norm(x + self.joined(mixed.transpose(1, 2).reshape(b, n, WIDTH)))
        return self.second_norm(x + self.narrow(F.gelu(self.wide(x))))


class Extractor(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(30522, WIDTH)  # frozen: the table of the embedded sentence model
        self.words.weight.requires_grad = False
        self.positions, self.kinds = nn.Embedding(512, WIDTH), nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.queries = Linear(WIDTH, 2 * PROJECTION, bias=False)  # of start and end
        self.keys = Linear(WIDTH, 2 * PROJECTION, bias=False)
        self.not_stated = nn.Parameter(torch.zeros(2))
        self.asks_hidden, self.asks = Linear(WIDTH, WIDTH), Linear(WIDTH, 1)

    def heads(self):
        return [
            *self.queries.parameters(),
            *self.keys.parameters(),
            self.not_stated,
            *self.asks_hidden.parameters(),
            *self.asks.parameters(),
        ]

    def start_from(self, folder):
        """Takes the weights of the sentence model."""
        w = load_file(f"{folder}/model.safetensors")
        take = lambda module, name: [
            getattr(module, part).data.copy_(w[f"{name}.{part}"]) for part, _ in module.named_parameters()
        ]
        e = "embeddings"
        take(self.words, f"{e}.word_embeddings"), take(self.positions, f"{e}.position_embeddings")
        take(self.kinds, f"{e}.token_type_embeddings"), take(self.norm, f"{e}.LayerNorm")
        for i, layer in enumerate(self.layers):
            p = f"encoder.layer.{i}"
            for part in ("weight", "bias"):
                three = [w[f"{p}.attention.self.{k}.{part}"] for k in ("query", "key", "value")]
                getattr(layer.attention, part).data.copy_(torch.cat(three))
            (
                take(layer.joined, f"{p}.attention.output.dense"),
                take(layer.first_norm, f"{p}.attention.output.LayerNorm"),
            )
            take(layer.wide, f"{p}.intermediate.dense"), take(layer.narrow, f"{p}.output.dense")
            take(layer.second_norm, f"{p}.output.LayerNorm")
        for module in (self.queries, self.keys, self.asks_hidden, self.asks):
            nn.init.normal_(module.weight, std=0.03)
        return self

    def forward(self, b):
        """Logits: start and end [batch, parameters, tokens], and of "asks for the target" [batch]."""
        ids = b["ids"]
        x = self.words(ids) + self.positions.weight[: ids.shape[1]] + self.kinds(b["types"])
        x = self.norm(x)
        mask = torch.zeros(ids.shape, dtype=x.dtype).masked_fill(ids == 0, -1e9)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        query = torch.bmm(b["pool"].to(x.dtype), x)
        q, k = self.queries(query), self.keys(x)
        scores = []
        for part in range(2):
            own = slice(part * PROJECTION, (part + 1) * PROJECTION)
            score = torch.bmm(q[..., own], k[..., own].transpose(1, 2)).float() / math.sqrt(PROJECTION)
            score = torch.cat([score[..., :1] + self.not_stated[part], score[..., 1:]], -1)
            scores.append(score.masked_fill(~b["allowed"][:, None, :], -1e9))
        asks = self.asks(torch.tanh(self.asks_hidden(x[:, :1])))[:, 0, 0].float()
        return scores[0], scores[1], asks


def losses(scores, b):
    start, end, asks = scores
    spans = b["spans"]
    cross = lambda s, gold: F.cross_entropy(
        s.reshape(-1, s.shape[-1]), gold.reshape(-1), ignore_index=UNKNOWN, reduction="sum"
    )
    known = (spans[..., 0] != UNKNOWN).sum().clamp(min=1)
    span = (cross(start, spans[..., 0]) + cross(end, spans[..., 1])) / known / 2
    told = b["asks"] >= 0
    ask = (
        F.binary_cross_entropy_with_logits(asks[told], b["asks"][told].float())
        if told.any()
        else asks.sum() * 0
    )
    return span, ask


def decode(row, start, end, widest=24, best=6):
    """Of each parameter: its best spans in characters, each with its log odds against "not stated"."""
    found, n = [], len(row.offsets)
    for k in range(len(row.queries)):
        if n == 0:
            found.append([])
            continue
        s, e = F.log_softmax(start[k], -1), F.log_softmax(end[k], -1)
        own_s, own_e = s[row.first : row.first + n], e[row.first : row.first + n]
        pairs = (own_s[:, None] + own_e[None, :]).masked_fill(
            ~torch.ones(n, n, dtype=torch.bool).triu().tril(widest - 1), -1e9
        )
        odds, places = pairs.flatten().topk(min(best, n))
        found.append(
            [
                ((row.offsets[p // n][0], row.offsets[p % n][1]), float(o - s[0] - e[0]))
                for o, p in zip(odds, places.tolist())
            ]
        )
    return found


def settled(found, margin=0.0):
    """One span for each parameter, or None: the surest first, and no word for two parameters."""
    out, taken = [None] * len(found), []
    for odds, k, span in sorted(
        ((odds, k, span) for k, spans in enumerate(found) for span, odds in spans if odds > margin),
        reverse=True,
    ):
        if out[k] is None and not any(span[0] < t and s < span[1] for s, t in taken):
            out[k] = span
            taken.append(span)
    return out


@torch.inference_mode()
def predict(model, encoder, examples, size=32, limit=320):
    """Of each example: what `decode` finds, and the score of "asks"."""
    rows = [encoder(example, limit) for example in examples]
    out = [None] * len(rows)
    order = sorted(range(len(rows)), key=lambda i: len(rows[i].ids))
    for at in range(0, len(order), size):
        part = order[at : at + size]
        start, end, asks = model(batched([rows[i] for i in part]))
        for k, i in enumerate(part):
            out[i] = (decode(rows[i], start[k], end[k]), float(asks[k]))
    return out
