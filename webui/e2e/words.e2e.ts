import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import type { components } from "../src/api/schema";
import { call, createJob, trigger, waitForEnd } from "./api";
import { expectConsoleErrors, loggedIn, useBrowser } from "./browser";
import { dropFile } from "./drop";

useBrowser();

// On the Chinese page everything that the server refuses is said in Chinese. What people
// and other programs wrote is shown as it is: the flows keep away from that.

const chinese = { locale: "zh-CN" };
const marked = "请修改下方标出的各项。";

/** Waits until it is said in an alert or at a field, and wants no English beside it. */
async function isSaid(page: Page, words: RegExp | string): Promise<void> {
  const said = page.locator('[role=alert], [class*="InputWrapper-error"]');
  await said.filter({ hasText: words }).first().waitFor();
  const texts = await said.allTextContents();
  expect(texts.filter((text) => /[a-z]+(?:,? [a-z]+){2}/i.test(text))).toEqual([]);
}

/** The box above a form that says that all is said at its fields. */
function isMarked(page: Page): Promise<void> {
  return page.getByRole("alert").filter({ hasText: marked }).waitFor();
}

/** A group of its own, so that no other flow is in the way. */
function createGroup(page: Page, name: string) {
  return call<components["schemas"]["Group"]>(page, "POST", "/groups", {
    app_name: name,
    title: name,
    address_type: 0,
    address_list: [],
  });
}

it("refuses a cron expression in Chinese, at its field and in the preview", async () => {
  const page = await loggedIn("/jobs/new", chinese);
  await page.getByRole("textbox", { name: "任务名称" }).fill("day 32");
  await page.getByRole("textbox", { name: "Cron" }).fill("0 0 0 32 * ?");
  await isSaid(page, '日字段 "32"：须为 1 到 31。');
  await page.getByRole("button", { name: "保存", exact: true }).click();
  await page.locator("[aria-invalid=true]").first().waitFor();
  await isMarked(page);
  await isSaid(page, '日字段 "32"：须为 1 到 31。');
  expectConsoleErrors(/422/);
});

it("refuses executor groups in Chinese", async () => {
  const page = await loggedIn("/executors", chinese);
  const name = `words-${Date.now()}`;
  const group = await createGroup(page, name);
  await page.reload();
  await page.getByRole("button", { name: "新增执行器" }).first().click();
  const dialog = page.getByRole("dialog");
  const appName = dialog.getByRole("textbox", { name: "AppName" });
  await appName.fill(name);
  await dialog.getByRole("textbox", { name: "名称" }).fill(name);
  await dialog.getByRole("button", { name: "保存" }).click();
  await isSaid(page, "该 AppName 已被其他执行器使用，请更换。");
  await isMarked(page);
  expect(await appName.getAttribute("aria-invalid")).toBe("true");
  expectConsoleErrors(/409/);

  await appName.fill(`${name}-2`);
  await dialog.getByRole("radio", { name: "手动录入" }).check();
  await dialog.getByRole("textbox", { name: "机器地址" }).fill("nowhere");
  await dialog.getByRole("button", { name: "保存" }).click();
  await isSaid(page, '"nowhere" 不是有效的机器地址');
  expectConsoleErrors(/422/);
  await dialog.getByRole("button", { name: "取消" }).click();
  await dialog.waitFor({ state: "detached" });

  const job = await createJob(page, { name, glue_type: "GLUE_LUA", group_id: group.id });
  await page.getByRole("region", { name }).getByRole("button", { name: "删除" }).click();
  await dialog.getByRole("button", { name: "删除" }).click();
  await isSaid(page, "该执行器下仍有任务，请先移走或删除它们。");
  expectConsoleErrors(/409/);
  await call(page, "DELETE", `/jobs/${job.id}`);
  await call(page, "DELETE", `/groups/${group.id}`);
});

it("says in Chinese what is wrong with tokens and secrets", async () => {
  const page = await loggedIn("/executors", chinese);
  const name = `words-${Date.now()}`;
  const group = await createGroup(page, name);
  await page.reload();
  const card = page.getByRole("region", { name });
  const dialog = page.getByRole("dialog");
  await card.getByRole("button", { name: "接入令牌" }).click();
  const token = dialog.locator("input[type=password]");
  await dialog.getByRole("textbox", { name: "名称" }).fill("rack");
  await token.fill("abc");
  await dialog.getByRole("button", { name: "创建" }).click();
  await isSaid(page, /现有 3 个字符|至少 \d+ 个字符/);
  expectConsoleErrors(/422/);
  await token.fill("default_token");
  await dialog.getByRole("button", { name: "创建" }).click();
  await isSaid(page, "该令牌是众所周知的默认值");
  // The list of tokens says it, too.
  await expect.poll(() => dialog.getByText("该令牌是众所周知的默认值").count()).toBe(2);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });

  await card.getByRole("button", { name: "密钥" }).click();
  await dialog.getByRole("textbox", { name: "名称" }).fill("WORDS");
  await dialog.locator("input[type=password]").fill("abc");
  await dialog.getByRole("button", { name: "保存" }).click();
  await isSaid(page, "过短的值无法在日志中隐藏");
  await isMarked(page);
  expectConsoleErrors(/422/);
  await call(page, "DELETE", `/groups/${group.id}`);
});

it("refuses passwords in Chinese", async () => {
  const page = await loggedIn("/users", chinese);
  await page.getByRole("button", { name: "新增用户" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "账号" }).fill(`words ${Date.now()}`);
  await dialog.locator("input[type=password]").fill("short");
  await dialog.getByRole("button", { name: "保存" }).click();
  await isSaid(page, "密码有 5 个字符，至少需要 8 个");
  await isMarked(page);
  expectConsoleErrors(/422/);

  await page.goto("/settings");
  const passwords = page.getByRole("region", { name: "密码" }).locator("input[type=password]");
  await passwords.nth(0).fill("not the password");
  await passwords.nth(1).fill("a long one of mine");
  await passwords.nth(2).fill("a long one of mine");
  await page.getByRole("button", { name: "修改密码" }).click();
  await isSaid(page, "密码不正确，请输入您登录时使用的密码。");
  expectConsoleErrors(/422/);
});

it("says in Chinese why jobs are not started, one by one and together", async () => {
  const page = await loggedIn("/jobs", chinese);
  const name = `words${Date.now()}`;
  const job = await createJob(page, { name, glue_type: "GLUE_LUA" });
  await page.goto(`/jobs?q=${name}`);
  await page.getByRole("row", { name: new RegExp(name) }).waitFor();
  await page.getByRole("checkbox", { name: "选择本页全部" }).check();
  const bar = page.getByRole("toolbar", { name: "所选任务" });
  await bar.getByRole("button", { name: "启动" }).click();
  // The field, schedule_type, is not named in the API's words.
  await isSaid(page, `${name}：调度类型为“无”的任务不能启动，请先选择其他调度类型。`);

  const runID = await trigger(page, job.id);
  await waitForEnd(page, runID);
  await page.goto(`/runs/${runID}`);
  await page.getByText("任务代码尚未发布，请先发布一个版本。").waitFor();
  await page.getByText("该次调度未发送到执行器。").waitFor();
  expect(await page.locator("main").textContent()).not.toMatch(/No version|was not sent/);
  await call(page, "DELETE", `/jobs/${job.id}`);
});

it("says in Chinese what is wrong with alarm channels, and how a test went", async () => {
  const page = await loggedIn("/alarms?tab=channels", chinese);
  const name = `words ${Date.now()}`;
  await page.getByRole("button", { name: "新增渠道" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "名称" }).fill(name);
  await dialog.getByRole("textbox", { name: "推送地址" }).fill("nowhere");
  await dialog.getByRole("button", { name: "保存" }).click();
  await isSaid(page, "地址格式不正确");
  await isMarked(page);
  expectConsoleErrors(/422/);
  // Nobody listens there.
  await dialog.getByRole("textbox", { name: "推送地址" }).fill("http://127.0.0.1:9/hook");
  await dialog.getByRole("button", { name: "保存" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText(name, { exact: true }).waitFor();
  // Other flows leave channels as well: the newest stands last.
  await page.getByRole("button", { name: "发送测试" }).last().click();
  await isSaid(page, "未送达：发送到 127.0.0.1:9 失败：127.0.0.1:9 拒绝连接");
  const channels = await call<{ items: { id: number; name: string }[] }>(page, "GET", "/alarm-channels");
  const channel = channels.items.find((item) => item.name === name);
  await call(page, "DELETE", `/alarm-channels/${channel?.id}`);
});

it("says in Chinese where a bundle is wrong", async () => {
  const page = await loggedIn("/exchange", chinese);
  await page.locator(".drop-zone").waitFor();
  await dropFile(page, "old.yaml", new TextEncoder().encode("gluewheel: 2\ngroups: []\n"));
  await isSaid(page, "现在是 2，请先写 gluewheel: 1。");
  expectConsoleErrors(/422/);
});
