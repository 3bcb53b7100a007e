// CRC-32 (IEEE 802.3), one byte at a time by a table.

const POLYNOMIAL: u32 = 0xedb88320;
/** The CRC of each byte. */
const TABLE = memory.data(1024);

for (let byte: u32 = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (POLYNOMIAL & (0 - (crc & 1)));
  store<u32>(TABLE + ((<usize>byte) << 2), crc);
}

/** Returns the CRC of the bytes. `before`: the CRC of the bytes that precede them. */
export function crc32(pointer: usize, length: u32, before: u32 = 0): u32 {
  let crc = ~before;
  for (const end = pointer + length; pointer < end; pointer++) {
    crc = (crc >>> 8) ^ load<u32>(TABLE + ((<usize>((crc ^ load<u8>(pointer)) & 0xff)) << 2));
  }
  return ~crc;
}
