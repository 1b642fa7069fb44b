import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { serverText } from "./server-text";
import { server } from "./zh-CN/server";
import { libraries } from "./zh-CN/server/libraries";

/*
 * Reads what the server says to people out of its Go sources, by the few ways in which it
 * says it. Left out, since there is nothing to find there or no entry could be made:
 *
 * - errors.New of admin/job: the table in admin/api/problem.go has the sentences for them.
 * - What engines, compilers and interpreters say of code, but for what gopher-lua says of
 *   a syntax error; what the YAML decoder says of a bundle; what encoding/json says; what
 *   SMTP servers and chats answer: it stays English behind a Chinese beginning.
 * - "%s: %s" of admin/api/bulk.go and "%s %s: %s" of tidy, which put a field's path before
 *   a message: the page takes it off.
 * - Messages of runs whose reason the page says in words, see runs/reason.ts; what an
 *   executor says of a run; what admin/run.go says with an outcome.
 * - Errors that end as "Something went wrong in the server", such as of sealing a channel.
 */

/** The Go sources in a folder and below, of any name or of some. */
function sources(folder: string, name = /\.go$/): string[] {
  return readdirSync(`../${folder}`, { recursive: true, encoding: "utf8" })
    .filter((file) => name.test(file) && file.endsWith(".go") && !file.endsWith("_test.go"))
    .map((file) => readFileSync(`../${folder}/${file}`, "utf8"));
}

/** The parts of a list in Go from a place on, up to the bracket that closes it. */
function partsOf(source: string, from: number, separator: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const [token] of source.slice(from).matchAll(/"(?:[^"\\\n]|\\.)*"|`[^`]*`|\/\/.*|[^]/g)) {
    if (token.startsWith("//")) continue;
    if (/^[)}\]]$/.test(token) && depth-- === 0) break;
    if (/^[({[]$/.test(token)) depth++;
    if (token === separator && depth === 0) parts.push("");
    else parts[parts.length - 1] += token;
  }
  return parts.map((part) => part.trim());
}

/** The entry that an expression in Go needs: its text or format, with %s for other parts. */
function keyOf(expression: string | undefined): string | undefined {
  const parts = partsOf(expression ?? "", 0, "+").map((part) => {
    const call = /^(?:fmt\.(?:Sprintf|Errorf)|errors\.New)\(/.exec(part);
    if (call) return keyOf(partsOf(part, call[0].length, ",")[0]);
    if (part.startsWith("`")) return part.slice(1, -1);
    return part.startsWith('"') ? (JSON.parse(part) as string) : undefined;
  });
  if (parts.every((part) => part === undefined || /^(%\w)?$/.test(part))) return undefined;
  return parts.map((part) => part ?? "%s").join("");
}

/** What is given to calls, or stands in literals, at a place in their lists or by name. */
function said(files: string[], opening: RegExp, place: number | string): string[] {
  return files.flatMap((source) =>
    [...source.matchAll(opening)].flatMap((match) => {
      const parts = partsOf(source, match.index + match[0].length, ",");
      const part =
        typeof place === "number"
          ? parts[place]
          : parts.find((one) => one.startsWith(`${place}:`))?.slice(place.length + 1);
      return keyOf(part?.trim()) ?? [];
    }),
  );
}

/** Texts that a pattern captures as they stand between quotation marks. */
function captured(files: string[], pattern: RegExp): string[] {
  return files.flatMap((source) =>
    [...source.matchAll(pattern)].map(([, text]) => JSON.parse(`"${text}"`) as string),
  );
}

/** The functions of these names, each up to the brace that ends it. */
function functions(files: string[], names: RegExp): string[] {
  return files.flatMap((source) =>
    source.split(/^(?=func )/m).filter((text) => names.test(text.split("\n")[0] ?? "")),
  );
}

const admin = sources("admin");
const api = sources("admin/api");
const job = sources("admin/job");
const cron = sources("admin/cron");
const bundle = sources("admin/bundle");
const alarm = sources("admin/alarm", /^(alarm|sender|email)\./);

const asked: Record<string, string[]> = {
  "the table of answers": captured(api, /^\t\{\w+\.Err\w+, http\.\w+, "([^\n]*?)", "/gm),
  "problems": [
    ...said(api, /\bnewProblem\(/g, 1),
    ...said(api, /\bqueryProblem\(/g, 1),
    ...said(api, /\bwriteProblem\(/g, 2),
    ...captured(api, /^\t(?:http\.Status\w+|"[^"\n]+"):\s+"([^"\n]+\.)",$/gm),
    ...captured(api, /^(?:const|\t)\s*(?:internalDetail|invalidInput|humaInvalid)\s+= "([^"]+)"/gm),
    ...said(functions(api, /nameFailure/), /p\.Detail \+=/g, 0).map(
      (rest) => `Something went wrong in the server. Its log says what.${rest}`,
    ),
    ...captured(functions(api, /\) met\(/), /"((?:The|There) [^"]+)"/g),
    ...captured(api, /ErrorDetail\{\{Location: "[^"]+", Message: "([^"]+)"/g),
    // Where it stands, and what is wrong there.
    ...captured(functions(api, /^func tidy\(/), /Sprintf\("%s ([^"]+)"/g).map(
      (rest) => `The input is not accepted. ${rest}`,
    ),
  ],
  "decoding": [
    ...said(api, /\binputError\{/g, 1),
    ...said(sources("admin/api", /^time\./), /\bfmt\.Errorf\(/g, 0),
    ...captured(functions(api, /^func words\(/), /Sprintf\("([^"]+)"/g),
    "This is required. Fill it in.",
  ],
  "field errors": [
    ...said(admin, /\bFieldError\{/g, "Message"),
    ...said(job, /\bf\.add\(/g, 1),
    ...captured(job, /const message = "([^"]+)"/g),
  ],
  "schedules": [
    ...said(cron, /&Error\{/g, "Message"),
    ...said(cron, /\.fail\(/g, 1),
    ...said(sources("admin/cron", /^(for|options|crontab)\./), /\bfmt\.Errorf\(/g, 0),
    ...captured(cron, /\{name: "([^"]+)", (?:min|max)/g).flatMap((name) => [
      `${name} %q: %s`,
      `${name}: %s`,
    ]),
    "%q: %s",
  ],
  "code": [
    ...said(sources("glue", /^source\./), /\b(?:errors\.New|fmt\.Errorf)\(/g, 0),
    ...said(api, /\bCodeError\{/g, "Message"),
    ...said(functions(api, /^func codeProblem\(/), /p\.Detail = ()/g, 0),
    ...said(sources("runtime/wasm", /^load\./), /\binvalid\(/g, 0).filter((text) => text !== "%s"),
  ],
  "bundles": [
    ...said(bundle, /\bTooLargeError\{/g, 0),
    ...said(bundle, /\.wrong\(/g, 1),
    ...captured(functions(bundle, /\) wrong\(/), /Sprintf\("([^"]+)"/g),
  ],
  "passwords": functions(sources("admin/auth", /^password\./), /CheckPassword/).flatMap((text) =>
    said([text], /\b(?:errors\.New|fmt\.Errorf)\(/g, 0),
  ),
  "tokens of executors": [
    ...captured(functions(job, /\) Warning\(/), /return "([^"]+)"/g),
    ...functions(sources("admin/access", /^access\./), /\) Warnings\(/).flatMap((text) =>
      said([text], /\bappend\(/g, 1),
    ),
  ],
  "alarms": [
    ...said(api, /\bAlarmTestResult\{/g, "Message"),
    ...said(alarm, /\bAlarmNotDelivered\(/g, 2),
    ...alarm
      .flatMap((source) => functions([source], /^func (?!New|\(a \*Alarms\) (?:Seal|Reseal|resealOne))/))
      .flatMap((text) => said([text], /\b(?:errors\.New|fmt\.Errorf)\(/g, 0)),
    ...captured(alarm, /^var \w+ = errors\.New\("([^"]+)"\)/gm),
    ...captured(sources("admin/seal", /^seal\./), /^\tErr\w+ = errors\.New\("([^"]+)"\)/gm),
  ],
  "logs and runs": [
    ...said(api, /\bRunLog\{/g, "Note"),
    ...said(sources("admin/dispatch"), /\bfailure\{/g, 1),
    ...said(sources("admin/dispatch"), /\bfailed\(/g, 2),
    ...said(sources("admin/registry"), /\blostRun\(/g, 2),
    ...said(sources("admin/registry"), /\bloseAt\(/g, 4),
    ...said(sources("admin", /^run\./), /\bCancelRun\(/g, 2),
    ...captured(sources("admin", /^run\./), /message := fmt\.Sprintf\("([^"]+)"/g),
    ...captured(sources("admin/complete", /^flush\./), /Message: "([^"]+)"/g),
    ...captured(sources("admin/route", /^router\./), /ErrNoAddress = errors\.New\("([^"]+)"\)/g),
  ],
};
const verbs = (text: string) => text.match(/%(?:\d+\$)?[a-z]/g) ?? [];

describe("the catalogue of what the server says", () => {
  it.each(Object.entries(asked))("has an entry for each message: %s", (_, messages) => {
    expect(messages.length).toBeGreaterThan(0);
    expect(messages.filter((message) => !(message in server))).toEqual([]);
  });

  it("has none that nobody says any more", () => {
    const known = new Set([...Object.values(asked).flat(), ...Object.keys(libraries)]);
    expect(known.size).toBeGreaterThan(250);
    expect(Object.keys(server).filter((english) => !known.has(english))).toEqual([]);
  });

  it("is Chinese, and asks for no value that the English text has not", () => {
    const wrong = Object.entries(server).filter(([english, chinese]) => {
      const there = verbs(english);
      const used = verbs(chinese);
      const places = used.map((one, i) => Number(/\d+/.exec(one)?.[0] ?? i + 1));
      const isMixed = new Set(used.map((one) => one.includes("$"))).size > 1;
      const isForeign = /[a-z]+(?: [a-z]+){2}/i.test(chinese);
      const isTooMuch = places.some((place) => place > there.length);
      // What is quoted there keeps its quotation marks, and a number is a number.
      const isOther = used.some((one, i) => {
        const given = there[(places[i] ?? 0) - 1]?.at(-1) ?? "";
        return "dq".includes(one.at(-1) ?? "") && one.at(-1) !== given;
      });
      const isEmpty = chinese !== "%q：%m" && !/[\u4E00-\u9FFF]/.test(chinese);
      return isMixed || isForeign || isTooMuch || isOther || isEmpty;
    });
    expect(wrong).toEqual([]);
  });
});

describe("serverText", () => {
  it.each([
    ["Another group has this app name. Choose another one.", "该 AppName 已被其他执行器使用，请更换。"],
    ['Day of month "32": must be 1 to 31.', '日字段 "32"：须为 1 到 31。'],
    ['Day of week "MO": not a name of a week; use SUN to SAT or numbers.', '周字段 "MO"：不是有效的缩写，请写 SUN 到 SAT，或写数字。'],
    ['"* * 99 * *": end of range (99) above maximum (31): 99.', '"* * 99 * *"：99 超出范围：99 大于最大值 31。'],
    ["Found 3 fields; write 6 or 7: second minute hour day month weekday [year].", "共有 3 段；请写 6 或 7 段：秒 分 时 日 月 周 [年]。"],
    ['"a \\"b\\" c" is not a time zone. Use an IANA name such as Asia/Shanghai, or leave it empty for the server\'s.', '"a \\"b\\" c" 不是有效的时区。请使用 Asia/Shanghai 这样的 IANA 时区名，或留空以使用服务器时区。'],
    ["This is not accepted: the password has 3 characters; choose at least 8.", "不符合要求：密码有 3 个字符，至少需要 8 个。"],
    ["The source is empty: write some code.", "源代码为空，请编写代码。"],
    ["The code cannot be run: line 2: unexpected thing", "代码无法运行，第 2 行：unexpected thing"],
    ["Line 7: There are 2 jobs called \"app/a: b\". Name one that there is once.", '第 7 行：名为 "app/a: b" 的任务有 2 个，请指定唯一的任务。'],
    ["It was not delivered: post to 127.0.0.1:9: dial tcp 127.0.0.1:9: connect: connection refused", "未送达：发送到 127.0.0.1:9 失败：127.0.0.1:9 拒绝连接，请检查地址和端口"],
    ['The token "rack 1" of the group jobs: This token is short enough to be guessed. Replace it by a generated one.', '执行器 jobs 的令牌 "rack 1"：该令牌过短，容易被猜到。请换成系统生成的令牌。'],
    ["The input is not accepted. body.name: This is required. Fill it in.", "提交的内容有误：此项必填，请填写。"],
    ["Something went wrong in the server. Its log says what. Look for request_id=a1 there.", "服务器内部出错，请在其日志中查找 request_id=a1。"],
    ["This is more than 31 days before to. Choose a later instant, or a longer step.", "开始时间比结束时间早了不止 31 天，请选择更晚的开始时间，或更大的间隔。"],
    ['"X" is unknown; use one of ["NONE" "CRON"].', '"X" 不是有效的调度类型，可选：["NONE" "CRON"]。'],
    ["expected number >= 1", "不能小于 1"],
  ])("says %j in Chinese", (english, chinese) => {
    expect(serverText(english, "zh-CN")).toBe(chinese);
    expect(serverText(english, "en")).toBe(english);
  });

  it.each(["", "A sentence of a later release.", "已经是中文。", "30 % of it (a|b)*"])("leaves %j as it is", (text) => {
    expect(serverText(text, "zh-CN")).toBe(text);
  });
});
