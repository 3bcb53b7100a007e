// The end of a VM's memory, as Envoy sets it.
import { setFlagsFromString } from "node:v8";

/** Pages of 64 KiB: 1 GiB (proxy-wasm-cpp-host, include/proxy-wasm/limits.h). */
const MAX_PAGES = 16_384;

/** No VM of this process gets more memory; the filter's heap traps when it is refused a page. */
export function limitMemory(): void {
  setFlagsFromString(`--wasm-max-mem-pages=${String(MAX_PAGES)}`);
}
