// Values in the configuration files of agents: the rest of a file stays as the user has written it.
import { describe, expect, it } from "vitest";
import { editText, readEntries } from "../../../../control-plane/agents/edit-file.ts";

const CODEX = {
  path: ["model_providers", "gateway"],
  value: { name: "gateway", base_url: "http://127.0.0.1:12000/v1" },
};

describe("JSON", () => {
  it("a JSON file keeps its comments and order when a value is set", () => {
    const text = '{\n  // my theme\n  "theme": "dark",\n  "env": { "A": "1" }\n}\n';
    const edited = editText("json", text, [{ path: ["env", "B"], value: "2" }]);
    expect(edited).toContain("// my theme");
    expect(edited.indexOf("theme")).toBeLessThan(edited.indexOf('"B": "2"'));
    expect(
      readEntries("json", edited, [
        ["env", "A"],
        ["env", "B"],
      ]),
    ).toEqual([
      { path: ["env", "A"], value: "1" },
      { path: ["env", "B"], value: "2" },
    ]);
  });

  it("a JSON file is created with the values, and a value of undefined is removed", () => {
    const edited = editText("json", "", [{ path: ["env", "B"], value: "2" }]);
    expect(JSON.parse(edited)).toEqual({ env: { B: "2" } });
    const removed = editText("json", edited, [{ path: ["env", "B"], value: undefined }]);
    expect(JSON.parse(removed)).toEqual({ env: {} });
    expect(editText("json", "{}", [{ path: ["env", "B"], value: undefined }])).toBe("{}");
  });

  it("a JSON file that is not valid is not changed", () => {
    const entry = { path: ["a"], value: "b" };
    expect(() => editText("json", '{\n"a": \n}', [entry])).toThrow(/not valid JSON.*line 3/);
    expect(() => editText("json", "[1]", [entry])).toThrow("it has no members");
    expect(() => editText("json", '{"a": "text"}', [{ path: ["a", "b"], value: 1 }])).toThrow();
  });
});

describe("TOML", () => {
  it("a TOML file keeps its comments, its other tables and their values", () => {
    const text = '# mine\nmodel = "gpt-5" # old\n\n[features]\nmodel_provider = "inside"\n';
    const edited = editText("toml", text, [
      { path: ["model_provider"], value: "gateway" },
      { path: ["model"], value: 'a "b"' },
      CODEX,
    ]);
    expect(edited).toBe(
      'model_provider = "gateway"\n# mine\nmodel = "a \\"b\\""\n\n[features]\nmodel_provider = "inside"\n\n[model_providers.gateway]\nname = "gateway"\nbase_url = "http://127.0.0.1:12000/v1"\n',
    );
  });

  it("the table of a TOML file is replaced, or removed", () => {
    const text = '[model_providers.gateway]\nname = "old"\nport = 1\n\n[features]\na = true\n';
    const edited = editText("toml", text, [CODEX]);
    expect(edited).not.toContain("old");
    expect(edited).toContain("[features]\na = true");
    const removed = editText("toml", edited, [{ path: CODEX.path, value: undefined }]);
    expect(removed.trim()).toBe("[features]\na = true");
  });

  it("a TOML file is rejected if a text edit would change something else", () => {
    const inline = 'model_providers = { gateway = { name = "old" } }\n';
    expect(() => editText("toml", inline, [CODEX])).toThrow();
    const several = 'text = """\nmodel_provider = "inside"\n"""\n';
    expect(() =>
      editText("toml", several, [{ path: ["model_provider"], value: "gateway" }]),
    ).toThrow("cannot be changed here");
  });
});

it("a YAML file keeps its comments", () => {
  const edited = editText("yaml", "# mine\nmodel: old # why\n", [
    { path: ["model"], value: "new" },
    { path: ["show-model-warnings"], value: false },
  ]);
  expect(edited).toBe("# mine\nmodel: new # why\nshow-model-warnings: false\n");
});
