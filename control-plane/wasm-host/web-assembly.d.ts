// The part of the WebAssembly API that the host uses. TypeScript declares it only in its "dom" library, which does not
// fit a Node program.
declare namespace WebAssembly {
  type ImportValue = (...values: never[]) => number;
  type Imports = Record<string, Record<string, ImportValue>>;
  interface ImportDescription {
    module: string;
    name: string;
    kind: "function" | "table" | "memory" | "global";
  }
  interface Module {
    readonly [Symbol.toStringTag]: "WebAssembly.Module";
  }
  const Module: {
    new (bytes: Uint8Array<ArrayBuffer>): Module;
    imports(module: Module): ImportDescription[];
  };
  class Instance {
    constructor(module: Module, imports?: Imports);
    readonly exports: Record<string, unknown>;
  }
  class Memory {
    constructor(description: { initial: number });
    readonly buffer: ArrayBuffer;
  }
  class RuntimeError extends Error {}
  function compile(bytes: Uint8Array<ArrayBuffer>): Promise<Module>;
  function instantiate(module: Module, imports?: Imports): Promise<Instance>;
}
