// What a job in AssemblyScript may ask of gluewheel. The names are those that Lua and
// JavaScript jobs find under gw. A job exports gw_run and answers 0 for success:
//
//   import * as gw from "./gw";
//   export function gw_run(): i32 { gw.log("hello"); return 0; }
//
//   asc job.ts -O --runtime stub --use abort= -o job.wasm
//
// http, kv and secret answer only what the version's manifest grants: an Answer has
// either a text or an error.

@external("gluewheel", "log") declare function hostLog(level: i32, address: usize, length: i32): void;
@external("gluewheel", "param") declare function hostParam(address: usize, capacity: i32): i32;
@external("gluewheel", "shard_index") declare function hostShardIndex(): i32;
@external("gluewheel", "shard_total") declare function hostShardTotal(): i32;
@external("gluewheel", "progress") declare function hostProgress(percent: f64, address: usize, length: i32): void;
@external("gluewheel", "result") declare function hostResult(address: usize, length: i32): void;
@external("gluewheel", "cancelled") declare function hostCancelled(): i32;
@external("gluewheel", "now") declare function hostNow(): i64;
@external("gluewheel", "sleep") declare function hostSleep(ms: i64): i32;
@external("gluewheel", "call")
declare function hostCall(name: usize, nameLength: i32, args: usize, argsLength: i32): i32;
@external("gluewheel", "answer") declare function hostAnswer(address: usize, capacity: i32): i32;

function logAt(level: i32, line: string): void {
  const text = String.UTF8.encode(line);
  hostLog(level, changetype<usize>(text), text.byteLength);
}

/** Writes a line to the run's log. */
export function log(line: string): void { logAt(0, line); }
export function debug(line: string): void { logAt(1, line); }
export function info(line: string): void { logAt(2, line); }
export function warn(line: string): void { logAt(3, line); }
export function error(line: string): void { logAt(4, line); }

/** The job's parameter, or that of this run. */
export function param(): string {
  const text = new ArrayBuffer(hostParam(0, 0));
  hostParam(changetype<usize>(text), text.byteLength);
  return String.UTF8.decode(text);
}

/** Which part of the work is this run's: index from 0, of total. */
export class Shard {
  constructor(public index: i32, public total: i32) {}
}

export function shard(): Shard { return new Shard(hostShardIndex(), hostShardTotal()); }

/** Tells how far the run is, from 0 to 100, with a note. */
export function progress(percent: f64, note: string = ""): void {
  const text = String.UTF8.encode(note);
  hostProgress(percent, changetype<usize>(text), text.byteLength);
}

/** Sets the text that the run answers if it succeeds; the last one counts. */
export function result(text: string): void {
  const encoded = String.UTF8.encode(text);
  hostResult(changetype<usize>(encoded), encoded.byteLength);
}

/** Whether the run shall end: it has half a second then. */
export function cancelled(): bool { return hostCancelled() != 0; }

/** The host's clock, in ms since 1970. */
export function now(): i64 { return hostNow(); }

/** Waits; false if the run was stopped meanwhile. */
export function sleep(ms: i64): bool { return hostSleep(ms) == 0; }

/** What a call gave. */
export class Answer {
  /** The text; null where there is none, such as a key that the store does not have. */
  text: string | null = null;
  /** Why it was refused; null if it was not. */
  error: string | null = null;
}

/** Makes a random UUID, version 4. */
export function uuid(): Answer { return callText("uuid", []); }

/** The digest in hexadecimal: md5, sha1, sha256 or sha512. */
export function hash(algorithm: string, text: string): Answer { return callText("hash", [algorithm, text]); }

/** A secret that the version's manifest names. */
export function secret(name: string): Answer { return callText("secret", [name]); }

export namespace base64 {
  export function encode(text: string): Answer { return callText("base64.encode", [text]); }
  export function decode(text: string): Answer { return callText("base64.decode", [text]); }
}

/** The job's own small store: the manifest must have kv: true. */
export namespace kv {
  export function get(key: string): Answer { return callText("kv.get", [key]); }
  export function set(key: string, value: string): Answer { return callText("kv.set", [key, value]); }
  // delete is a word of the language's own.
  export function remove(key: string): Answer { return callText("kv.delete", [key]); }
}

/** HTTP requests, made by the host to servers that the manifest names. The answers are
 *  JSON: {"results":[{"status":…,"headers":{…},"body":"…"}]} or {"error":"…"}. */
export namespace http {
  export function get(url: string): string { return call("http.get", "[" + quote(url) + "]"); }
  export function post(url: string, body: string): string {
    return call("http.post", "[" + quote(url) + "," + quote(body) + "]");
  }
}

/** Reaches any function of gw by its name. Arguments are a JSON array; the answer is
 *  {"results":[…]} or {"error":"…"}. */
export function call(name: string, args: string): string {
  const encodedName = String.UTF8.encode(name);
  const encodedArgs = String.UTF8.encode(args);
  const answer = new ArrayBuffer(hostCall(
    changetype<usize>(encodedName), encodedName.byteLength, changetype<usize>(encodedArgs), encodedArgs.byteLength,
  ));
  hostAnswer(changetype<usize>(answer), answer.byteLength);
  return String.UTF8.decode(answer);
}

const results = '{"results":[';
const refusal = '{"error":';

/** Calls a function that takes texts and gives one. */
function callText(name: string, args: string[]): Answer {
  const quoted = new Array<string>(args.length);
  for (let i = 0; i < args.length; i++) quoted[i] = quote(args[i]);
  const answer = call(name, "[" + quoted.join(",") + "]");
  const out = new Answer();
  if (answer.startsWith(refusal)) out.error = unquote(answer, refusal.length);
  else if (answer.startsWith(results + '"')) out.text = unquote(answer, results.length);
  return out;
}

/** A text as JSON. */
export function quote(text: string): string {
  let out = '"';
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c == 0x22 || c == 0x5c) out += "\\" + text.charAt(i);
    else if (c < 0x20) out += "\\u" + c.toString(16).padStart(4, "0");
    else out += text.charAt(i);
  }
  return out + '"';
}

/** The text of the JSON string that begins at an index. */
export function unquote(json: string, at: i32): string {
  let out = "";
  for (let i = at + 1; i < json.length && json.charCodeAt(i) != 0x22; i++) {
    if (json.charCodeAt(i) != 0x5c) {
      out += json.charAt(i);
      continue;
    }
    const c = json.charAt(++i);
    if (c == "u") {
      out += String.fromCharCode(<i32>parseInt(json.substr(i + 1, 4), 16));
      i += 4;
    } else if (c == "n") out += "\n";
    else if (c == "t") out += "\t";
    else if (c == "r") out += "\r";
    else if (c == "b") out += "\b";
    else if (c == "f") out += "\f";
    else out += c;
  }
  return out;
}
