// A job in AssemblyScript: a reactor that exports gw_run and speaks to its host
// through the import module "gluewheel". `make samples` compiles it with
//
//   asc fibonacci.ts -O --runtime stub --use abort= -o fibonacci.wasm

@external("gluewheel", "log")
declare function log(level: i32, address: usize, length: i32): void;

@external("gluewheel", "result")
declare function result(address: usize, length: i32): void;

@external("gluewheel", "param")
declare function param(address: usize, capacity: i32): i32;

const buffer = memory.data(64);

// parameter reads the job's parameter as a number, 30 where there is none.
function parameter(): i32 {
  const length = min(param(buffer, 64), 64);
  const text = String.UTF8.decodeUnsafe(buffer, length);
  return length > 0 ? I32.parseInt(text) : 30;
}

export function gw_run(): i32 {
  const n = parameter();
  if (n < 0 || n > 90) return 1; // beyond 90 a 64-bit number is too small
  let a: i64 = 0, b: i64 = 1;
  for (let i = 0; i < n; i++) {
    const next = a + b;
    a = b;
    b = next;
  }
  const line = String.UTF8.encode("fibonacci(" + n.toString() + ") = " + a.toString());
  log(0, changetype<usize>(line), line.byteLength);
  result(changetype<usize>(line), line.byteLength);
  return 0;
}
