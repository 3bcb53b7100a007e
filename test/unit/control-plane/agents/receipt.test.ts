// What undoes a change of an agent's file.
import { expect, it } from "vitest";
import { editText } from "../../../../control-plane/agents/edit-file.ts";
import { newReceipt, type Receipt, undo } from "../../../../control-plane/agents/receipt.ts";

const URL_PATH = ["env", "ANTHROPIC_BASE_URL"];
const MODEL_PATH = ["env", "ANTHROPIC_MODEL"];

function change(before: string | null, url: string, model: string, earlier?: Receipt) {
  const own = [
    { path: URL_PATH, value: url },
    { path: MODEL_PATH, value: model },
  ];
  const text = editText("json", before ?? "", own);
  const receipt = newReceipt({ file: "/f", format: "json", before, own, text }, earlier);
  // As it is stored.
  return { text, receipt: JSON.parse(JSON.stringify(receipt)) as Receipt };
}

it("a file that nobody has changed gets its bytes back", () => {
  const before = '{"env":   {"ANTHROPIC_BASE_URL": "http://mine"}}';
  const { text, receipt } = change(before, "http://gateway", "m");
  expect(text).not.toBe(before);
  expect(undo(receipt, text)).toEqual({ text: before, kept: [] });
});

it("a file that was not there is removed", () => {
  const { text, receipt } = change(null, "http://gateway", "m");
  expect(undo(receipt, text)).toEqual({ text: null, kept: [] });
});

it("a file that the user has changed since keeps that, and gets back the old values of ours", () => {
  const { text, receipt } = change(
    '{"env": {"ANTHROPIC_BASE_URL": "http://mine"}}',
    "http://gateway",
    "m",
  );
  const changed = editText("json", text, [
    { path: MODEL_PATH, value: "chosen by the user" },
    { path: ["theme"], value: "dark" },
  ]);
  const undone = undo(receipt, changed);
  expect(JSON.parse(undone.text ?? "")).toEqual({
    env: { ANTHROPIC_BASE_URL: "http://mine", ANTHROPIC_MODEL: "chosen by the user" },
    theme: "dark",
  });
  expect(undone.kept).toEqual(["env.ANTHROPIC_MODEL"]);
});

it("two changes are undone together", () => {
  const before = '{"theme": "dark"}';
  const first = change(before, "http://one", "m");
  const second = change(first.text, "http://two", "m", first.receipt);
  expect(undo(second.receipt, second.text)).toEqual({ text: before, kept: [] });
});

it("a change of a file that the user has changed since the first one is undone to that", () => {
  const first = change('{"theme": "dark"}', "http://one", "m");
  const changed = editText("json", first.text, [{ path: ["theme"], value: "light" }]);
  const second = change(changed, "http://two", "m", first.receipt);
  expect(undo(second.receipt, second.text)).toEqual({ text: changed, kept: [] });
});
