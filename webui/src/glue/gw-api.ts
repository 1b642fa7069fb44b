import type { Language } from "../i18n/language";

/** A function or module of gw, which job code in Lua, JavaScript and TypeScript calls. */
export interface HostFunction {
  /** Without "gw." in front. */
  name: string;
  lua: string;
  js: string;
  text: Record<Language, string>;
}

/** What the editor offers and explains; runtime/hostapi defines it. */
export const hostFunctions: HostFunction[] = [
  {
    name: "log",
    lua: "gw.log(format, …)",
    js: "gw.log(...values): void",
    text: {
      en: "Writes a line to the run's log. Lua formats like string.format.",
      "zh-CN": "向执行日志写一行。Lua 按 string.format 格式化。",
    },
  },
  {
    name: "debug",
    lua: "gw.debug(format, …)",
    js: "gw.debug(...values): void",
    text: { en: "Like log, marked [DEBUG].", "zh-CN": "同 log，带 [DEBUG] 标记。" },
  },
  {
    name: "info",
    lua: "gw.info(format, …)",
    js: "gw.info(...values): void",
    text: { en: "Like log, marked [INFO].", "zh-CN": "同 log，带 [INFO] 标记。" },
  },
  {
    name: "warn",
    lua: "gw.warn(format, …)",
    js: "gw.warn(...values): void",
    text: { en: "Like log, marked [WARN].", "zh-CN": "同 log，带 [WARN] 标记。" },
  },
  {
    name: "error",
    lua: "gw.error(format, …)",
    js: "gw.error(...values): void",
    text: {
      en: "Like log, marked [ERROR]. It does not end the run.",
      "zh-CN": "同 log，带 [ERROR] 标记，不会结束执行。",
    },
  },
  {
    name: "param",
    lua: "gw.param() -> string",
    js: "gw.param(): string",
    text: { en: "The parameter of this run.", "zh-CN": "本次执行的任务参数。" },
  },
  {
    name: "shard",
    lua: "gw.shard() -> index, total",
    js: "gw.shard(): [index: number, total: number]",
    text: {
      en: "Which part of a broadcast this run is, from 0 on, and how many there are.",
      "zh-CN": "分片广播中本次执行的序号（从 0 起）与总数。",
    },
  },
  {
    name: "progress",
    lua: "gw.progress(percent, note)",
    js: "gw.progress(percent: number, note?: string): void",
    text: {
      en: "How far the run is, from 0 to 100, with an optional note.",
      "zh-CN": "执行进度 0 到 100，可附说明。",
    },
  },
  {
    name: "result",
    lua: "gw.result(text)",
    js: "gw.result(text: string): void",
    text: {
      en: "What the run page shows as the result; child jobs may get it as their parameter.",
      "zh-CN": "在执行页面显示的结果，也可作为子任务的参数。",
    },
  },
  {
    name: "cancelled",
    lua: "gw.cancelled() -> boolean",
    js: "gw.cancelled(): boolean",
    text: {
      en: "Whether the run shall end: it was killed or its time is over. Check it in long loops.",
      "zh-CN": "执行是否应当结束（被终止或超时）。请在长循环中检查。",
    },
  },
  {
    name: "now",
    lua: "gw.now() -> number",
    js: "gw.now(): number",
    text: { en: "Milliseconds since 1970.", "zh-CN": "自 1970 年起的毫秒数。" },
  },
  {
    name: "sleep",
    lua: "gw.sleep(ms)",
    js: "await gw.sleep(ms: number)",
    text: { en: "Waits; a kill ends the wait.", "zh-CN": "等待若干毫秒，终止时立即返回。" },
  },
  {
    name: "uuid",
    lua: "gw.uuid() -> string",
    js: "gw.uuid(): string",
    text: { en: "A random UUID, version 4.", "zh-CN": "随机 UUID（第 4 版）。" },
  },
  {
    name: "hash",
    lua: 'gw.hash("sha256", text) -> string',
    js: 'gw.hash("md5" | "sha1" | "sha256" | "sha512", text: string): string',
    text: { en: "A digest in hexadecimal.", "zh-CN": "十六进制摘要。" },
  },
  {
    name: "base64.encode",
    lua: "gw.base64.encode(text) -> string",
    js: "gw.base64.encode(text: string): string",
    text: { en: "Text or bytes as base64.", "zh-CN": "编码为 base64。" },
  },
  {
    name: "base64.decode",
    lua: "gw.base64.decode(text) -> string",
    js: "gw.base64.decode(text: string): string",
    text: { en: "The text of base64.", "zh-CN": "由 base64 解码。" },
  },
  {
    name: "json.encode",
    lua: "gw.json.encode(value) -> string",
    js: "gw.json.encode(value): string",
    text: { en: "A value as JSON.", "zh-CN": "将值编码为 JSON。" },
  },
  {
    name: "json.decode",
    lua: "gw.json.decode(text) -> value",
    js: "gw.json.decode(text: string): any",
    text: { en: "The value of a JSON text.", "zh-CN": "解析 JSON 文本。" },
  },
  {
    name: "http.get",
    lua: "gw.http.get(url, {headers = {}}) -> {status, headers, body}",
    js: "await gw.http.get(url: string, options?): { status, headers, body }",
    text: {
      en: "Fetches from a host that the version's manifest names.",
      "zh-CN": "请求清单中已授权的主机。",
    },
  },
  {
    name: "http.post",
    lua: "gw.http.post(url, body, {headers = {}}) -> {status, headers, body}",
    js: "await gw.http.post(url: string, body: string, options?): { status, headers, body }",
    text: {
      en: "Sends a body to a host that the version's manifest names.",
      "zh-CN": "向清单中已授权的主机发送内容。",
    },
  },
  {
    name: "http.request",
    lua: "gw.http.request{method=, url=, headers=, body=, timeout_ms=} -> {status, headers, body}",
    js: "await gw.http.request({ method, url, headers, body, timeout_ms }): { status, headers, body }",
    text: {
      en: 'Any request. encoding = "base64" is for bodies that are not text.',
      "zh-CN": '任意请求；非文本内容使用 encoding = "base64"。',
    },
  },
  {
    name: "kv.get",
    lua: "gw.kv.get(key) -> string or nil",
    js: "await gw.kv.get(key: string): string | null",
    text: { en: "Reads from the job's own small store.", "zh-CN": "读取任务自有的小型存储。" },
  },
  {
    name: "kv.set",
    lua: "gw.kv.set(key, text)",
    js: "await gw.kv.set(key: string, text: string)",
    text: {
      en: "Keeps up to 64 KiB under a key; the next runs find it.",
      "zh-CN": "按键保存至多 64 KiB，后续执行可读取。",
    },
  },
  {
    name: "kv.delete",
    lua: "gw.kv.delete(key) -> boolean",
    js: "await gw.kv.delete(key: string): boolean",
    text: { en: "Whether the key was there.", "zh-CN": "删除键，返回其是否存在。" },
  },
  {
    name: "kv.list",
    lua: "gw.kv.list(beginning) -> keys",
    js: "await gw.kv.list(beginning?: string): string[]",
    text: { en: "The keys, sorted.", "zh-CN": "按序列出键。" },
  },
  {
    name: "secret",
    lua: "gw.secret(name) -> string",
    js: "await gw.secret(name: string): string",
    text: {
      en: "A secret of the group that the version's manifest names; masked in the log.",
      "zh-CN": "读取清单中已授权的密钥，日志中会被遮盖。",
    },
  },
];

/** The function of that name. */
export function hostFunction(name: string): HostFunction | undefined {
  return hostFunctions.find((candidate) => candidate.name === name);
}
