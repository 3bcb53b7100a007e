// A filter that traps: the request in hand gets an answer that a client understands, and the listener lives on.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Gateway } from "../gateway/gateway.ts";
import { chat, startTwoDialects } from "../gateway/two-dialects.ts";

const COMPILER = join(import.meta.dirname, "../../node_modules/assemblyscript/bin/asc.js");
const TRAPPING_FILTER = `
export function proxy_abi_version_0_2_1(): void {}
export function proxy_on_memory_allocate(size: usize): usize { return heap.alloc(size); }
export function proxy_on_context_create(id: u32, root: u32): void {}
export function proxy_on_vm_start(root: u32, size: u32): u32 { return 1; }
export function proxy_on_configure(root: u32, size: u32): u32 { return 1; }
export function proxy_on_request_headers(id: u32, count: u32, end: u32): i32 { return unreachable(); }
export function proxy_on_done(id: u32): u32 { return 1; }
export function proxy_on_log(id: u32): void {}
export function proxy_on_delete(id: u32): void {}
`;

let directory: string;
let gateway: Gateway;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "gateway-trap-"));
  const source = join(directory, "trap.ts");
  const filter = join(directory, "trap.wasm");
  writeFileSync(source, TRAPPING_FILTER);
  const options = [
    "--outFile",
    filter,
    "--runtime",
    "minimal",
    "--use",
    "abort=",
    "--config",
    "none",
  ];
  execFileSync(process.execPath, [COMPILER, source, ...options]);
  gateway = await startTwoDialects(1, {
    adaptBootstrap(bootstrap) {
      const text = JSON.stringify(bootstrap).replaceAll(
        /"[^"]*\/filter\.wasm"/g,
        JSON.stringify(filter),
      );
      Object.assign(bootstrap, JSON.parse(text));
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
});

it.each(["one", "two", "three"])("request %s is answered in JSON, with its id", async (id) => {
  const response = await chat(gateway, {}, { headers: { "x-request-id": id } });
  expect(response.status).toBe(503);
  expect(response.headers.get("x-request-id")).toBe(id);
  expect(await response.json()).toMatchObject({ error: { type: "overloaded_error" } });
});
