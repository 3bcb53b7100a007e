"""Runs the scenarios of one file (functions named test_…) for each of MODELS and prints one JSON line for each."""

import importlib.util
import json
import os
import pathlib
import sys
import traceback


def main(file: str) -> None:
    path = pathlib.Path(__file__).parent / file
    for model in os.environ.get("MODELS", "").split(","):
        os.environ["MODEL"] = model
        run(path, model)


def run(path: pathlib.Path, model: str) -> None:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, scenario in list(vars(module).items()):
        if not name.startswith("test_"):
            continue
        try:
            scenario()
            problem = ""
        except Exception:  # every failure is a result
            problem = traceback.format_exc()
        print(json.dumps({"model": model, "name": name.removeprefix("test_"), "problem": problem}), flush=True)


main(sys.argv[1])
