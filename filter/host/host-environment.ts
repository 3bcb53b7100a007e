// The environment variables that Envoy passes to the filter (`host_env_keys`): the providers' keys.
import { freeBlock, takeBlock } from "../memory/blocks";
import * as abi from "./abi";

const COUNT_CELL = memory.data(8);
const SIZE_CELL = memory.data(8);

/** Returns all of them; called once, when the VM starts. An unset variable is not in the map. */
export function readEnvironment(): Map<string, string> {
  const variables = new Map<string, string>();
  if (abi.environ_sizes_get(COUNT_CELL, SIZE_CELL) != 0) return variables;
  const count = load<u32>(COUNT_CELL);
  const size = load<u32>(SIZE_CELL);
  const pointers = takeBlock(<usize>count * 4 + 4);
  const bytes = takeBlock(<usize>size + 1);
  if (abi.environ_get(pointers, bytes) == 0) {
    for (let i: u32 = 0; i < count; i++)
      addVariable(variables, load<u32>(pointers + i * 4), bytes + size);
  }
  freeBlock(pointers);
  freeBlock(bytes);
  return variables;
}

function addVariable(variables: Map<string, string>, start: usize, limit: usize): void {
  let end = start;
  let equals: usize = 0;
  for (; end < limit && load<u8>(end) != 0; end++) {
    if (equals == 0 && load<u8>(end) == 0x3d) equals = end;
  }
  if (equals == 0) return;
  variables.set(
    String.UTF8.decodeUnsafe(start, equals - start),
    String.UTF8.decodeUnsafe(equals + 1, end - equals - 1),
  );
}
