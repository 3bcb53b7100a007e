// A filter that tells everything it sees, and does what the header x-scenario says: run in the host and in Envoy, it shows
// whether the two agree. AssemblyScript; compiled by probe.ts.
import {
  httpCall,
  setEffectiveContext,
  continueStream,
  proxy_log,
  getHeader,
  addHeader,
  setHeader,
  removeHeader,
  getPairs,
  getBytes,
  setBytes,
  getProperty,
  setProperty,
  sendLocal,
} from "./probe-abi.entry";

const P = memory.data(8);
const N = memory.data(8);
const scenarios = new Map<u32, string>();
const seen = new Map<u32, u32>();
const calls = new Map<u32, u32>();

export function abort(_m: string | null, _f: string | null, _l: u32, _c: u32): void {
  unreachable();
}
export function proxy_abi_version_0_2_1(): void {}
export function proxy_on_memory_allocate(size: usize): usize {
  return heap.alloc(size);
}
export function proxy_on_vm_start(_id: u32, _n: u32): u32 {
  return 1;
}
export function proxy_on_configure(_id: u32, _n: u32): u32 {
  return 1;
}
export function proxy_on_context_create(_id: u32, _root: u32): void {}

function utf8(text: string): ArrayBuffer {
  return String.UTF8.encode(text);
}
function taken(): string {
  const pointer = load<u32>(P);
  return pointer == 0 ? "" : String.UTF8.decodeUnsafe(pointer, load<u32>(N));
}
function clear(): void {
  store<u32>(P, 0);
  store<u32>(N, 0);
}
function say(text: string): void {
  const b = utf8("probe " + property("plugin_root_id").split("'").join("") + " " + text);
  proxy_log(2, changetype<usize>(b), b.byteLength);
}

function get(type: u32, key: string): string {
  const k = utf8(key);
  clear();
  const code = getHeader(type, changetype<usize>(k), k.byteLength, P, N);
  return code == 0 ? "'" + taken() + "'" : "error " + code.toString();
}
function set(type: u32, key: string, value: string): string {
  const k = utf8(key),
    v = utf8(value);
  return setHeader(
    type,
    changetype<usize>(k),
    k.byteLength,
    changetype<usize>(v),
    v.byteLength,
  ).toString();
}
function add(type: u32, key: string, value: string): string {
  const k = utf8(key),
    v = utf8(value);
  return addHeader(
    type,
    changetype<usize>(k),
    k.byteLength,
    changetype<usize>(v),
    v.byteLength,
  ).toString();
}
function remove(type: u32, key: string): string {
  const k = utf8(key);
  return removeHeader(type, changetype<usize>(k), k.byteLength).toString();
}
function bytes(type: u32, start: u32, length: u32): string {
  clear();
  const code = getBytes(type, start, length, P, N);
  return code == 0 ? "'" + taken() + "'" : "error " + code.toString();
}
function edit(type: u32, start: u32, length: u32, text: string): string {
  const b = utf8(text);
  return setBytes(type, start, length, changetype<usize>(b), b.byteLength).toString();
}
function property(path: string): string {
  const k = utf8(path.split(".").join("\0"));
  clear();
  const code = getProperty(changetype<usize>(k), k.byteLength, P, N);
  if (code != 0) return "error " + code.toString();
  if (path != "response.code") return "'" + taken() + "'";
  return load<u32>(N).toString() + ":" + load<u64>(load<u32>(P)).toString();
}
/** Whether the provider's last byte is here. */
function received(): bool {
  const k = utf8("response\0backend_latency");
  return getProperty(changetype<usize>(k), k.byteLength, P, N) == 0;
}
/** Names in their order, from the binary layout. */
function names(type: u32): string {
  clear();
  getPairs(type, P, N);
  const at = <usize>load<u32>(P);
  if (at == 0) return "none";
  const count = load<u32>(at);
  let text = at + 4 + count * 8,
    out = "";
  for (let i: u32 = 0; i < count; i++) {
    const n = load<u32>(at + 4 + i * 8),
      m = load<u32>(at + 8 + i * 8);
    const name = String.UTF8.decodeUnsafe(text, n);
    if (name.startsWith(":") || name.startsWith("x-probe")) out += (out == "" ? "" : ", ") + name;
    text += n + m + 2;
  }
  return out;
}
function answer(code: u32, body: string): string {
  const b = utf8(body),
    d = utf8("by the probe");
  const h = new ArrayBuffer(4 + 8 + 8 + 2);
  const at = changetype<usize>(h);
  store<u32>(at, 1);
  store<u32>(at, 7, 4);
  store<u32>(at, 1, 8);
  const k = utf8("x-probe"),
    v = utf8("1");
  memory.copy(at + 12, changetype<usize>(k), 7);
  memory.copy(at + 20, changetype<usize>(v), 1);
  return sendLocal(
    code,
    changetype<usize>(d),
    d.byteLength,
    changetype<usize>(b),
    b.byteLength,
    at,
    22,
    -1,
  ).toString();
}
function scenario(id: u32): string {
  return scenarios.has(id) ? scenarios.get(id) : "";
}
function times(id: u32): u32 {
  const n = seen.has(id) ? seen.get(id) : 0;
  seen.set(id, n + 1);
  return n;
}
function properties(when: string): void {
  const all = [
    "request.id",
    "request.path",
    "request.method",
    "request.host",
    "response.code",
    "response.code_details",
    "plugin_root_id",
    "probe_state",
    "nonsense.at_all",
  ];
  for (let i = 0; i < all.length; i++) say(when + " " + all[i] + " " + property(all[i]));
}

/** Header pairs of plain texts: name, value, name, value … */
function packed(texts: string[]): ArrayBuffer {
  let size = 4 + texts.length * 4;
  for (let i = 0; i < texts.length; i++) size += texts[i].length + 1;
  const out = new ArrayBuffer(size);
  const at = changetype<usize>(out);
  store<u32>(at, texts.length / 2);
  let text = at + 4 + texts.length * 4;
  for (let i = 0; i < texts.length; i++) {
    const b = utf8(texts[i]);
    store<u32>(at + 4 + i * 4, b.byteLength);
    memory.copy(text, changetype<usize>(b), b.byteLength);
    text += b.byteLength + 1;
  }
  return out;
}
function call(id: u32, cluster: string, texts: string[]): void {
  const c = utf8(cluster),
    h = packed(texts),
    b = utf8("asked");
  const code = httpCall(
    changetype<usize>(c),
    c.byteLength,
    changetype<usize>(h),
    h.byteLength,
    changetype<usize>(b),
    b.byteLength,
    0,
    0,
    1000,
    P,
  );
  if (code == 0) calls.set(load<u32>(P), id);
  say("call " + code.toString());
}

export function proxy_on_http_call_response(
  _root: u32,
  token: u32,
  headers: u32,
  size: u32,
  _t: u32,
): void {
  const id = calls.has(token) ? calls.get(token) : 0;
  say("called " + (headers > 0 ? "with headers " : "without headers ") + size.toString());
  say(get(6, ":status") + get(6, "x-probe") + bytes(4, 0, 0x7fffffff) + bytes(4, 2, 2));
  say("request " + get(0, ":path") + " " + setEffectiveContext(99999).toString());
  say(setEffectiveContext(id).toString() + " " + get(0, ":path") + bytes(0, 0, 0x7fffffff));
  if (scenario(id) == "call, then answer") {
    say(answer(418, "teapot"));
    return;
  }
  say(set(0, "x-probe-called", "1") + edit(0, 0, 1, "<called>") + get(0, "content-length"));
  say(continueStream(0).toString() + " " + get(0, ":path"));
}

export function proxy_on_request_headers(id: u32, _count: u32, end: u32): i32 {
  clear();
  const s = get(0, "x-scenario").split("'").join("");
  scenarios.set(id, s);
  say("request headers " + end.toString());
  const next = utf8(get(0, "x-next").split("'").join(""));
  const where = utf8("gateway_next_cluster");
  if (next.byteLength > 7)
    setProperty(
      changetype<usize>(where),
      where.byteLength,
      changetype<usize>(next),
      next.byteLength,
    );
  set(0, "x-gateway-cluster", get(0, "x-cluster").split("'").join(""));
  if (s == "trap") unreachable();
  if (s == "hang") return 1;
  if (s == "local in request headers") {
    say(answer(418, "teapot"));
    return 0;
  }
  if (s == "headers") {
    say(add(0, "X-Probe-A", "1") + add(0, "x-probe-a", "2") + " " + get(0, "x-probe-A"));
    say(set(0, "x-probe-a", "3") + " " + get(0, "x-probe-a"));
    say(add(0, "content-type", "b/c") + " " + get(0, "Content-Type"));
    say(get(0, "host") + get(0, ":authority") + get(0, "x-missing"));
    say(set(0, "host", "by.host") + get(0, ":authority"));
    say(add(0, ":x-probe-pseudo", "1") + remove(0, ":x-probe-pseudo") + remove(0, "x-missing"));
    say(names(0));
    set(0, "x-probe-empty", "");
    say(get(0, "x-probe-empty") + " " + get(2, "x-probe"));
  }
  if (s == "properties") {
    const k = utf8("probe_state"),
      v = utf8("kept");
    say(
      setProperty(
        changetype<usize>(k),
        k.byteLength,
        changetype<usize>(v),
        v.byteLength,
      ).toString(),
    );
    properties("request headers");
    return 1;
  }
  return s.startsWith("buffer") ||
    s.startsWith("hold") ||
    s.startsWith("call") ||
    s == "local in request body"
    ? 1
    : 0;
}

export function proxy_on_request_body(id: u32, size: u32, end: u32): i32 {
  const s = scenario(id);
  say("request body " + size.toString() + " " + end.toString() + " " + bytes(0, 0, 0x7fffffff));
  if (s.startsWith("call")) {
    if (end == 0) return 1;
    const cluster = s == "call to nowhere" ? "nowhere" : get(0, "x-callee").split("'").join("");
    call(id, cluster, [":method", "POST", ":path", "/called"]);
    call(id, cluster, [":method", "POST", ":path", "/called", ":authority", "callee"]);
    return s == "call to nowhere" ? 0 : 1;
  }
  if (s == "hang") return 1;
  if (s == "stale content-length") {
    edit(0, 0, 1, "longer");
    return 0;
  }
  if (s == "local in request body") {
    say(answer(418, "teapot"));
    return 1;
  }
  if (s == "properties") {
    properties("request body");
    return 0;
  }
  if (s == "hold then watermark") return end == 0 ? 2 : 0;
  if (s == "hold without buffer") return end == 0 ? 3 : 0;
  if (s == "late changes") say(get(0, "x-scenario") + set(0, "x-probe-late", "1"));
  if (!s.startsWith("buffer")) return 0;
  if (end == 0) return 1;
  say(bytes(0, 2, 3) + bytes(0, size, 5) + bytes(0, 4, 0));
  say(edit(0, 3, 1, "no") + edit(0, size + 9, 0, "<end>") + edit(0, 0, 2, "<start>"));
  say(bytes(0, 0, 0x7fffffff));
  remove(0, "content-length");
  return 0;
}

export function proxy_on_response_headers(id: u32, _count: u32, end: u32): i32 {
  const s = scenario(id);
  say(
    "response headers " +
      end.toString() +
      " " +
      get(2, ":status") +
      " " +
      get(2, "x-probe") +
      " " +
      get(2, "content-type"),
  );
  say(get(0, ":path"));
  if (s == "late changes") say(set(0, "x-probe-late", "2") + set(2, "x-probe-reply", "1"));
  if (s == "properties") properties("response headers");
  if (s == "local in response headers") {
    say(answer(418, "teapot"));
    return 0;
  }
  if (s.startsWith("buffer") || s == "change the status") {
    remove(2, "content-length");
    return 1;
  }
  return 0;
}

export function proxy_on_response_body(id: u32, size: u32, end: u32): i32 {
  const s = scenario(id);
  clear();
  if (s.endsWith("end known")) say("received " + received().toString());
  say("response body " + size.toString() + " " + end.toString() + " " + bytes(1, 0, 0x7fffffff));
  if (s == "late changes") say(set(2, "x-probe-late", "3"));
  if (s == "properties") properties("response body");
  if (s == "change the status" && times(id) == 0)
    say(set(2, ":status", "529") + set(2, "x-gateway-retry", "1"));
  if (s == "stream" && size > 0) say(edit(1, 0, size, "[" + bytes(1, 0, size) + "]"));
  if (!s.startsWith("buffer")) return 0;
  if (end == 0 && !(s.endsWith("end known") && received())) return 1;
  say(edit(1, 0, 0x7fffffff, "all new"));
  return 0;
}

export function proxy_on_response_trailers(id: u32, _count: u32): i32 {
  const s = scenario(id);
  say("response trailers " + get(3, "x-probe-trailer") + get(2, ":status"));
  say(bytes(1, 0, 0x7fffffff) + set(3, "x-probe-trailer", "2") + get(3, "x-probe-trailer"));
  if (s.startsWith("buffer")) say(edit(1, 0, 0x7fffffff, "all new, with trailers"));
  return 0;
}

export function proxy_on_log(_id: u32): void {
  say("log " + get(0, "x-scenario") + " " + get(2, ":status") + " " + property("response.code"));
}
export function proxy_on_done(_id: u32): u32 {
  say("done");
  return 1;
}
export function proxy_on_delete(id: u32): void {
  if (scenarios.has(id)) {
    say("delete");
    scenarios.delete(id);
    seen.delete(id);
  }
}
