// WebAssembly section ids and codes that the module below needs.
const i32 = 0x7f;
const func = 0x60;
const exportFunc = 0x00;
const exportMemory = 0x02;
const header = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]; // "\0asm", version 1

/**
 * Assembles a WASI preview 1 command that writes one line to its standard output:
 *
 *   (import "wasi_snapshot_preview1" "fd_write" (func (param i32 i32 i32 i32) (result i32)))
 *   (memory 1)
 *   (data (i32.const 0) <address 16, length of the line> … (i32.const 16) <the line>)
 *   (func (export "_start") (drop (call 0 (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))
 */
export function printingModule(line: string): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(`${line}\n`);
  const iovec = [16, 0, 0, 0, text.length, 0, 0, 0]; // little-endian address and length
  const body = [0, 0x41, 1, 0x41, 0, 0x41, 1, 0x41, 8, 0x10, 0, 0x1a, 0x0b];
  return Uint8Array.from([
    ...header,
    ...section(1, [2, func, 4, i32, i32, i32, i32, 1, i32, func, 0, 0]),
    ...section(2, [1, ...name("wasi_snapshot_preview1"), ...name("fd_write"), 0, 0]),
    ...section(3, [1, 1]),
    ...section(5, [1, 0, 1]),
    ...section(7, [2, ...name("memory"), exportMemory, 0, ...name("_start"), exportFunc, 1]),
    ...section(10, [1, ...sized(body)]),
    ...section(11, [2, ...data(0, iovec), ...data(16, [...text])]),
  ]);
}

function section(id: number, content: number[]): number[] {
  return [id, ...sized(content)];
}

function data(address: number, content: number[]): number[] {
  return [0, 0x41, address, 0x0b, ...sized(content)];
}

function name(text: string): number[] {
  return sized([...new TextEncoder().encode(text)]);
}

/** Content with its length before it, in unsigned LEB128. */
function sized(content: number[]): number[] {
  const length = [];
  let rest = content.length;
  do {
    length.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>= 7;
  } while (rest > 0);
  return [...length, ...content];
}
