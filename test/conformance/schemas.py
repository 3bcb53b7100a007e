"""Checks the values on standard input, a line of JSON each, against the schemas that llm-comply carries; prints its problems.

A null is not judged: the loader does not know OpenAPI's `nullable` for a member with an `enum` or a `$ref`.
"""

import json
import pathlib
import sys

import llm_comply
from llm_comply.schema import SSE_EVENT_TO_SCHEMA, SpecLoader

SPECS = pathlib.Path(llm_comply.__file__).parent / "specs"
loaders = {}
for line in sys.stdin:
    item = json.loads(line)
    file = item["spec"]
    if file not in loaders:
        loaders[file] = SpecLoader(str(SPECS / f"{file}.json"))
    loader = loaders[file]
    name = item["schema"]
    if name == "event":
        name = SSE_EVENT_TO_SCHEMA.get(item["value"].get("type"))
        problems = ["no schema for the event " + str(item["value"].get("type"))] if name is None else loader.validate(item["value"], name)
    else:
        problems = loader.validate(item["value"], name)
    print(json.dumps({"id": item["id"], "problems": [text[:200] for text in problems if "None is not" not in text]}))
