import type { Language } from "../i18n/language";

type ValueType = "i32" | "i64" | "f64";

/** A function of the import module "gluewheel", which WebAssembly modules call. */
export interface ModuleFunction {
  name: string;
  /** Name and type; addresses are i32 as well. */
  params: readonly (readonly [name: string, type: ValueType])[];
  result: ValueType | undefined;
  text: Record<Language, string>;
}

/** What a module can import; runtime/wasm/host.go defines it. */
export const moduleFunctions: ModuleFunction[] = [
  {
    name: "log",
    params: [["level", "i32"], ["address", "i32"], ["length", "i32"]],
    result: undefined,
    text: {
      en: "Writes a line to the run's log. Levels: 0 plain, 1 debug, 2 info, 3 warn, 4 error.",
      "zh-CN": "向执行日志写一行。级别：0 普通，1 调试，2 信息，3 警告，4 错误。",
    },
  },
  {
    name: "param",
    params: [["address", "i32"], ["capacity", "i32"]],
    result: "i32",
    text: {
      en: "Writes at most capacity bytes of the run's parameter to the address, and gives its whole length.",
      "zh-CN": "将任务参数写入该地址（至多 capacity 字节），返回其完整长度。",
    },
  },
  {
    name: "shard_index",
    params: [],
    result: "i32",
    text: {
      en: "Which part of a broadcast this run is, from 0 on.",
      "zh-CN": "分片广播中本次执行的序号，从 0 起。",
    },
  },
  {
    name: "shard_total",
    params: [],
    result: "i32",
    text: { en: "How many parts the broadcast has.", "zh-CN": "分片广播的分片总数。" },
  },
  {
    name: "progress",
    params: [["percent", "f64"], ["address", "i32"], ["length", "i32"]],
    result: undefined,
    text: {
      en: "How far the run is, from 0 to 100, with a note.",
      "zh-CN": "执行进度 0 到 100，并附说明。",
    },
  },
  {
    name: "result",
    params: [["address", "i32"], ["length", "i32"]],
    result: undefined,
    text: {
      en: "What the run page shows as the result; child jobs may get it as their parameter.",
      "zh-CN": "在执行页面显示的结果，也可作为子任务的参数。",
    },
  },
  {
    name: "cancelled",
    params: [],
    result: "i32",
    text: {
      en: "1 once the run shall end: it was killed or its time is over. Check it in long loops.",
      "zh-CN": "执行应当结束（被终止或超时）时为 1。请在长循环中检查。",
    },
  },
  {
    name: "now",
    params: [],
    result: "i64",
    text: { en: "Milliseconds since 1970.", "zh-CN": "自 1970 年起的毫秒数。" },
  },
  {
    name: "sleep",
    params: [["ms", "i64"]],
    result: "i32",
    text: {
      en: "Waits; gives 1 if the run was stopped meanwhile.",
      "zh-CN": "等待若干毫秒；期间执行被停止则返回 1。",
    },
  },
  {
    name: "call",
    params: [["name", "i32"], ["nameLength", "i32"], ["args", "i32"], ["argsLength", "i32"]],
    result: "i32",
    text: {
      en: 'Calls every other function of gw by its name, such as kv.get, with a JSON array. Gives the length of the answer: {"results":[…]} or {"error":"…"}.',
      "zh-CN":
        '按名称调用 gw 的其他函数（如 kv.get），参数为 JSON 数组；返回应答长度，应答为 {"results":[…]} 或 {"error":"…"}。',
    },
  },
  {
    name: "answer",
    params: [["address", "i32"], ["capacity", "i32"]],
    result: "i32",
    text: {
      en: "Reads the answer of the last call, at most capacity bytes, and gives its whole length.",
      "zh-CN": "读取上一次 call 的应答（至多 capacity 字节），返回其完整长度。",
    },
  },
];

/** The function of that name. */
export function moduleFunction(name: string): ModuleFunction | undefined {
  return moduleFunctions.find((candidate) => candidate.name === name);
}

const addresses = ["address", "name", "args"];

/** How AssemblyScript declares it, below its @external. */
export function assemblyScriptDeclaration({ name, params, result }: ModuleFunction): string {
  const list = params.map(([p, type]) => `${p}: ${addresses.includes(p) ? "usize" : type}`);
  return `declare function ${name}(${list.join(", ")}): ${result ?? "void"};`;
}

/** The whole import in AssemblyScript. */
export function assemblyScriptImport(f: ModuleFunction): string {
  return `@external("gluewheel", "${f.name}")\n${assemblyScriptDeclaration(f)}`;
}

/** The whole import in WebAssembly text. */
export function watImport({ name, params, result }: ModuleFunction): string {
  const types = params.length > 0 ? ` (param ${params.map(([, type]) => type).join(" ")})` : "";
  const gives = result ? ` (result ${result})` : "";
  return `(import "gluewheel" "${name}" (func $${name}${types}${gives}))`;
}

/** The import with the names of its parameters, to be read. */
export function watSignature({ name, params, result }: ModuleFunction): string {
  const list = params.map(([p, type]) => ` (param $${p} ${type})`).join("");
  return `(func $${name}${list}${result ? ` (result ${result})` : ""})`;
}
