// The maximum memory of a VM, as Envoy sets it.
import { setFlagsFromString } from "node:v8";

/** Pages of 64 KiB: 1 GiB (proxy-wasm-cpp-host, include/proxy-wasm/limits.h). */
const MAX_PAGES = 16_384;

/** Limits the memory of every VM of this process; the filter's heap traps when it cannot get another page. */
export function limitMemory(): void {
  setFlagsFromString(`--wasm-max-mem-pages=${String(MAX_PAGES)}`);
}
