// Reads and writes the numbers of an entry in a table of bytes, at an offset from its address. Little-endian.

export function longAt(entry: usize, offset: usize): i64 {
  return load<i64>(entry + offset);
}

export function setLongAt(entry: usize, offset: usize, value: i64): void {
  store<i64>(entry + offset, value);
}

export function wordAt(entry: usize, offset: usize): u32 {
  return load<u32>(entry + offset);
}

export function setWordAt(entry: usize, offset: usize, value: u32): void {
  store<u32>(entry + offset, value);
}
