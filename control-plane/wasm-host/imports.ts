// The host functions of proxy-wasm, each as Envoy 1.40 implements it. One table; the numbers are in abi.ts.
import { LOG_LEVELS, Result } from "./wasm-abi.ts";
import { bytesFromLatin1, packPairs } from "./guest-memory.ts";
import type { VirtualMachine } from "./virtual-machine.ts";

type HostFunction = (...values: number[]) => number;
type WideFunction = (id: number, value: bigint) => number;

/** Returns the import object. `used` contains the names that the module imports. */
export function createImports(machine: VirtualMachine, used: string[]): WebAssembly.Imports {
  const env: Record<string, HostFunction | WideFunction> = {
    ...general(machine),
    ...headers(machine),
    ...bodies(machine),
    ...control(machine),
    ...metrics(machine),
  };
  const wasi = environment(machine);
  for (const name of used) {
    if (name in env || name in wasi) continue;
    const missing = (): number => {
      machine.faults.push(`the host does not model ${name}`);
      return name.startsWith("proxy_") ? Result.unimplemented : 52;
    };
    env[name] = missing;
    wasi[name] = missing;
  }
  const { onCall } = machine.options;
  return { env: guarded(env, onCall), wasi_snapshot_preview1: guarded(wasi, onCall) };
}

/** Returns a status for a pointer outside the guest's memory, instead of throwing. */
function guarded<T extends HostFunction | WideFunction>(
  table: Record<string, T>,
  onCall: ((name: string) => void) | undefined,
): Record<string, T> {
  const wrap = (name: string, body: T): T =>
    ((...values: never[]) => {
      onCall?.(name);
      try {
        return (body as (...values: never[]) => number)(...values);
      } catch (error) {
        if (error instanceof RangeError) return Result.invalidMemoryAccess;
        throw error;
      }
    }) as unknown as T;
  return Object.fromEntries(Object.entries(table).map(([name, body]) => [name, wrap(name, body)]));
}

function general(machine: VirtualMachine): Record<string, HostFunction> {
  return {
    proxy_log(level = 0, pointer = 0, size = 0) {
      machine.log(level, machine.memory.text(pointer, size));
      return Result.ok;
    },
    proxy_get_log_level(to = 0) {
      machine.memory.setWord(to, LOG_LEVELS.indexOf(machine.options.logLevel ?? "trace"));
      return Result.ok;
    },
    proxy_get_property(path = 0, pathSize = 0, pointerTo = 0, sizeTo = 0) {
      const parts = machine.memory.text(path, pathSize).split("\0");
      const value = property(machine, parts);
      if (value === undefined) return Result.notFound;
      machine.memory.give(value, pointerTo, sizeTo);
      return Result.ok;
    },
    proxy_set_property(path = 0, pathSize = 0, value = 0, valueSize = 0) {
      const stream = machine.stream;
      if (stream === undefined) return Result.notFound;
      stream.exchange.filterState.set(
        machine.memory.text(path, pathSize),
        machine.memory.latin1(value, valueSize),
      );
      return Result.ok;
    },
    proxy_get_current_time_nanoseconds(to = 0) {
      const microseconds = Math.floor((machine.options.now?.() ?? Date.now()) * 1000);
      machine.memory.setBigWord(to, BigInt(microseconds) * 1000n);
      return Result.ok;
    },
    proxy_get_shared_data(key = 0, keySize = 0, pointerTo = 0, sizeTo = 0, versionTo = 0) {
      const found = machine.sharedData.get(machine.memory.latin1(key, keySize));
      if (found === undefined) return Result.notFound;
      machine.memory.give(found.bytes, pointerTo, sizeTo);
      machine.memory.setWord(versionTo, found.version);
      return Result.ok;
    },
    proxy_set_shared_data(key = 0, keySize = 0, value = 0, valueSize = 0, version = 0) {
      const bytes = machine.memory.bytes(value, valueSize);
      const isSet = machine.sharedData.set(machine.memory.latin1(key, keySize), bytes, version);
      return isSet ? Result.ok : Result.casMismatch;
    },
    proxy_set_tick_period_milliseconds: () => Result.ok,
    proxy_get_status(codeTo = 0, pointerTo = 0, sizeTo = 0) {
      machine.memory.setWord(codeTo, machine.callResponse === undefined ? 11 : 0);
      machine.memory.give(new Uint8Array(0), pointerTo, sizeTo);
      return Result.ok;
    },
  };
}

function property(machine: VirtualMachine, parts: string[]): Uint8Array | undefined {
  const context = machine.context;
  if (context === undefined) return undefined;
  const root = "side" in context ? context.root : context;
  if (parts[0] === "plugin_root_id") return bytesFromLatin1(root.rootId);
  if (parts[0] === "plugin_name") return bytesFromLatin1(root.name);
  if (parts[0] === "plugin_vm_id") return bytesFromLatin1("gateway");
  return "side" in context ? context.property(parts) : undefined;
}

function headers(machine: VirtualMachine): Record<string, HostFunction> {
  const { memory } = lazily(machine);
  return {
    proxy_get_header_map_value(type = 0, key = 0, keySize = 0, pointerTo = 0, sizeTo = 0) {
      const map = machine.stream?.readableMap(type) ?? callMap(machine, type);
      if (map === undefined) return Result.badArgument;
      const value = map.get(memory().latin1(key, keySize));
      if (value === undefined) return Result.notFound;
      memory().give(bytesFromLatin1(value), pointerTo, sizeTo);
      return Result.ok;
    },
    proxy_get_header_map_pairs(type = 0, pointerTo = 0, sizeTo = 0) {
      const map = machine.stream?.readableMap(type) ?? callMap(machine, type);
      memory().give(packPairs(map?.pairs() ?? []), pointerTo, sizeTo);
      return Result.ok;
    },
    proxy_get_header_map_size(type = 0, to = 0) {
      const map = machine.stream?.readableMap(type);
      if (map === undefined) return Result.badArgument;
      memory().setWord(to, map.byteSize);
      return Result.ok;
    },
    proxy_add_header_map_value(type = 0, key = 0, keySize = 0, value = 0, valueSize = 0) {
      const map = machine.stream?.writableMap(type);
      if (map === undefined) return Result.badArgument;
      map.add(memory().latin1(key, keySize), memory().latin1(value, valueSize));
      return Result.ok;
    },
    proxy_replace_header_map_value(type = 0, key = 0, keySize = 0, value = 0, valueSize = 0) {
      const map = machine.stream?.writableMap(type);
      if (map === undefined) return Result.badArgument;
      map.replace(memory().latin1(key, keySize), memory().latin1(value, valueSize));
      return Result.ok;
    },
    proxy_remove_header_map_value(type = 0, key = 0, keySize = 0) {
      const map = machine.stream?.writableMap(type);
      if (map === undefined) return Result.badArgument;
      map.remove(memory().latin1(key, keySize));
      return Result.ok;
    },
    proxy_set_header_map_pairs(type = 0, pointer = 0, size = 0) {
      const map = machine.stream?.writableMap(type);
      if (map === undefined) return Result.badArgument;
      map.replaceAll(memory().readPairs(pointer, size));
      return Result.ok;
    },
  };
}

function callMap(machine: VirtualMachine, type: number) {
  if (type !== 6 || machine.callResponse === undefined) return undefined;
  const pairs = machine.callResponse.headers;
  return {
    get: (name: string) => pairs.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1],
    pairs: () => pairs,
  };
}

function bodies(machine: VirtualMachine): Record<string, HostFunction> {
  const { memory } = lazily(machine);
  return {
    proxy_get_buffer_bytes(type = 0, start = 0, length = 0, pointerTo = 0, sizeTo = 0) {
      const bytes = readableBytes(machine, type);
      if (bytes === undefined) return Result.notFound;
      const from = start >>> 0;
      if (from > bytes.length) return Result.badArgument;
      const part = bytes.subarray(from, Math.min(bytes.length, from + (length >>> 0)));
      // For an empty value Envoy writes nothing: the guest's own pointer and size stay unchanged.
      if (part.length > 0) memory().give(part, pointerTo, sizeTo);
      return Result.ok;
    },
    proxy_get_buffer_status(type = 0, sizeTo = 0, flagsTo = 0) {
      const bytes = readableBytes(machine, type);
      if (bytes === undefined) return Result.notFound;
      memory().setWord(sizeTo, bytes.length);
      memory().setWord(flagsTo, 0);
      return Result.ok;
    },
    proxy_set_buffer_bytes(type = 0, start = 0, length = 0, pointer = 0, size = 0) {
      const buffer = machine.stream?.buffer(type);
      if (buffer === undefined) {
        const isReadable = readableBytes(machine, type) !== undefined;
        return isReadable ? Result.badArgument : Result.notFound;
      }
      return buffer.set(start >>> 0, length >>> 0, memory().bytes(pointer, size));
    },
  };
}

function readableBytes(machine: VirtualMachine, type: number): Uint8Array | undefined {
  if (type === 6) return Buffer.from(machine.options.vmConfiguration);
  if (type === 7 && machine.configuring !== undefined)
    return Buffer.from(machine.configuring.configuration);
  if (type === 4) return machine.callResponse?.body;
  // An unavailable body reads as an empty one, and cannot be written.
  return machine.stream?.buffer(type)?.view() ?? (type < 2 ? new Uint8Array(0) : undefined);
}

function control(machine: VirtualMachine): Record<string, HostFunction> {
  const { memory } = lazily(machine);
  return {
    proxy_send_local_response(
      status = 0,
      details = 0,
      detailsSize = 0,
      body = 0,
      bodySize = 0,
      pairs = 0,
      pairsSize = 0,
    ) {
      const stream = machine.stream;
      const reply = {
        status,
        details: memory().text(details, detailsSize).replace(/\s/g, "_"),
        body: memory().bytes(body, bodySize),
        headers: memory().readPairs(pairs, pairsSize),
      };
      machine.stopsNextIteration = true;
      if (stream !== undefined)
        machine.afterCall(() => {
          stream.exchange.localReply(stream, reply);
        });
      return Result.ok;
    },
    proxy_http_call(
      cluster = 0,
      clusterSize = 0,
      pairs = 0,
      pairsSize = 0,
      body = 0,
      bodySize = 0,
      _trailers = 0,
      _trailersSize = 0,
      timeoutMs = 0,
      tokenTo = 0,
    ) {
      const context = machine.context;
      if (context === undefined || timeoutMs < 0) return Result.badArgument;
      const requestHeaders = memory().readPairs(pairs, pairsSize);
      for (const needed of [":path", ":method", ":authority"])
        if (!requestHeaders.some(([name]) => name === needed)) return Result.badArgument;
      const token = machine.nextToken();
      const root = "side" in context ? context.root : context;
      const call = {
        token,
        cluster: memory().text(cluster, clusterSize),
        headers: requestHeaders,
        body: memory().bytes(body, bodySize),
        timeoutMs,
      };
      if ("side" in context && !context.exchange.addCall(root, call)) return Result.badArgument;
      root.calls.set(token, call);
      memory().setWord(tokenTo, token);
      return Result.ok;
    },
    proxy_set_effective_context(id = 0) {
      // 0 is the machine itself: back to the current context.
      const isKnown =
        id === 0 || machine.streams.has(id) || machine.roots.some((root) => root.id === id);
      if (!isKnown) return Result.badArgument;
      machine.effectiveContext = id;
      return Result.ok;
    },
    proxy_continue_stream(type = 0) {
      const stream = machine.stream;
      if (stream === undefined) return Result.ok;
      if (type > 1) return Result.badArgument;
      machine.afterCall(() => {
        stream.resume(type);
      });
      stream.forgetRequest();
      return Result.ok;
    },
    proxy_close_stream(type = 0) {
      const stream = machine.stream;
      machine.stopsNextIteration = true;
      if (stream !== undefined && type <= 1)
        machine.afterCall(() => {
          stream.exchange.resetByFilter();
        });
      return Result.ok;
    },
    proxy_done: () => Result.ok,
  };
}

function metrics(machine: VirtualMachine): Record<string, HostFunction | WideFunction> {
  const { memory } = lazily(machine);
  const byId = (id: number) =>
    [...machine.sharedData.metrics.values()].find((metric) => metric.id === id);
  return {
    proxy_define_metric(kind = 0, name = 0, nameSize = 0, idTo = 0) {
      if (kind > 2) return Result.badArgument;
      const key = memory().text(name, nameSize);
      const metric = machine.sharedData.metrics.get(key) ?? {
        id: machine.sharedData.metrics.size + 1,
        kind,
        value: 0n,
      };
      machine.sharedData.metrics.set(key, metric);
      memory().setWord(idTo, metric.id);
      return Result.ok;
    },
    proxy_increment_metric(id: number, by: bigint) {
      const metric = byId(id);
      if (metric === undefined) return Result.notFound;
      metric.value += by;
      return Result.ok;
    },
    proxy_record_metric(id: number, value: bigint) {
      const metric = byId(id);
      if (metric === undefined) return Result.notFound;
      metric.value = value;
      return Result.ok;
    },
    proxy_get_metric(id = 0, to = 0) {
      const metric = byId(id);
      if (metric === undefined) return Result.notFound;
      memory().setBigWord(to, metric.value);
      return Result.ok;
    },
  };
}

function systemRandom(size: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(size));
}

/** Returns the WASI functions: the environment and randomness; a filter needs no more of WASI. */
function environment(machine: VirtualMachine): Record<string, HostFunction | WideFunction> {
  const lines = Object.entries(machine.options.environment).map(([name, value]) =>
    Buffer.from(`${name}=${value}\0`),
  );
  const { memory } = lazily(machine);
  return {
    random_get(to = 0, size = 0) {
      memory().write(to, machine.options.random?.(size) ?? systemRandom(size));
      return 0;
    },
    environ_sizes_get(countTo = 0, sizeTo = 0) {
      memory().setWord(countTo, lines.length);
      memory().setWord(
        sizeTo,
        lines.reduce((sum, line) => sum + line.length, 0),
      );
      return 0;
    },
    environ_get(pointersTo = 0, textTo = 0) {
      let at = textTo;
      lines.forEach((line, index) => {
        memory().setWord(pointersTo + index * 4, at);
        memory().write(at, line);
        at += line.length;
      });
      return 0;
    },
  };
}

/** Returns access to the memory, which exists only after instantiation, whereas the functions are needed before it. */
function lazily(machine: VirtualMachine) {
  return { memory: () => machine.memory };
}
