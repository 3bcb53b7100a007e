// The bodies of a request in the content log, which may be long.
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { contentOf } from "../../../../control-plane/observability/history/request-content.ts";

let directory: string;
let log: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "content-"));
  log = join(directory, "access_content.log");
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

const write = (...values: (object | string)[]) => {
  const lines = values.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
  appendFileSync(log, lines.map((line) => `${line}\n`).join(""));
};

it("the bodies of a request are found by its id", () => {
  write({ id: "a", request: "one" }, { id: "b", request: "two", response: "ok" }, "-");
  expect(contentOf(log, "b")).toEqual({
    ...{ request: "two", isRequestCut: false },
    ...{ response: "ok", isResponseCut: false },
  });
  expect(contentOf(log, "c")).toBeUndefined();
  expect(contentOf(join(directory, "none"), "b")).toBeUndefined();
});

it("bodies that were cut are marked", () => {
  write({ id: "a", request: "on", request_bytes: 3, response: "tw", response_cut: 1 });
  expect(contentOf(log, "a")).toMatchObject({ isRequestCut: true, isResponseCut: true });
});

it("a line that quotes the id elsewhere, or was cut off, is not shown", () => {
  write('{"id":"a","request":"cut o', { id: "b", request: '"id":"a"' });
  expect(contentOf(log, "a")).toBeUndefined();
});

it("the search ends after the newest part of the log", () => {
  write({ id: "a", request: "one" }, { id: "b", request: "x".repeat(1000) }, { id: "c" });
  expect(contentOf(log, "b", 2000)?.request).toHaveLength(1000);
  expect(contentOf(log, "a", 500)).toBeUndefined();
});
