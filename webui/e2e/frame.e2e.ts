import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { call, createJob, publish, trigger, waitForEnd } from "./api";
import { loggedIn, newPage, server, useBrowser } from "./browser";
import { editor, replaceSource } from "./editor";

useBrowser();

type Page = Awaited<ReturnType<typeof loggedIn>>;

const paths = [
  "/",
  "/jobs",
  "/jobs/new",
  "/runs",
  "/reviews",
  "/executors",
  "/users",
  "/tokens",
  "/audit",
  "/alarms",
  "/exchange",
  "/settings",
];
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

it("shows numbers, what fires next, and leads from a bar to its runs", async () => {
  const page = await loggedIn("/");
  await page.getByText("Executors online").waitFor();
  await page.getByRole("img", { name: /fires in the next hour/ }).waitFor();
  await page.getByText("1 h", { exact: true }).click();
  await expect.poll(() => page.url()).toContain("range=1h");
  await page.locator(".chart-bar:not(:disabled)").first().click();
  await expect.poll(() => page.url()).toContain("/runs?from=");
});

it("looks closer at bars that were dragged over, and keeps that in the address", async () => {
  const page = await loggedIn("/?range=1h");
  const chart = page.locator(".chart");
  await page.locator(".chart-bar:not(:disabled)").first().waitFor();
  const box = await chart.boundingBox();
  if (!box) throw new Error("the chart has no place");
  await page.mouse.move(box.x + box.width * 0.5, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + 20, { steps: 8 });
  await page.mouse.up();
  await expect.poll(() => page.url()).toMatch(/\?from=.*&to=/);
  const chosen = page.url();
  await expect.poll(() => page.locator(".chart-bar").count()).toBeLessThan(40);
  await page.reload();
  await page.locator(".chart-bar:not(:disabled)").first().waitFor();
  expect(page.url()).toBe(chosen);

  // The same with the keyboard.
  await page.locator(".chart-bar:not(:disabled)").last().focus();
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator(".chart-bar").count()).toBe(3);
  await page.getByTitle("Leave the chosen range").click();
  await expect.poll(() => new URL(page.url()).search).toBe("");
});

it("goes to a job with the command palette", async () => {
  const page = await loggedIn("/");
  await page.getByText("Executors online").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Command palette" }).fill("hello-lua");
  await page.getByRole("option", { name: /hello-lua/ }).waitFor();
  await page.keyboard.press("Enter");
  await editor(page).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Command palette" }).fill("audit");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Audit log" }).waitFor();

  const job = await createJob(page, { name: `by number ${Date.now()}`, glue_type: "GLUE_LUA" });
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Command palette" }).fill(String(job.id));
  await page.getByRole("option", { name: `【${job.id}】${job.name}` }).waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toContain(`/jobs/${job.id}/glue`);
});

it("says that a page does not exist", async () => {
  const page = await loggedIn("/nowhere");
  await page.getByText("There is no such page").waitFor();
});

it.each(["light", "dark"] as const)("has no serious finding of axe in %s", { timeout: 240_000 }, async (colorScheme) => {
  const page = await loggedIn("/", { colorScheme });
  const job = await createJob(
    page,
    { name: `axe ${Date.now()}`, glue_type: "GLUE_LUA" },
    "gw.log('x')",
  );
  const runID = await trigger(page, job.id);
  await waitForEnd(page, runID);
  const broken = await createJob(
    page,
    { name: `axe fails ${Date.now()}`, glue_type: "GLUE_LUA" },
    "error('on purpose')",
  );
  const failedID = await trigger(page, broken.id);
  await waitForEnd(page, failedID);
  const more = [`/jobs/${job.id}/glue`, `/runs/${runID}`, `/runs/${failedID}`];
  for (const path of [...paths, ...more]) {
    await page.goto(path);
    await settle(page);
    expect({ path, findings: await findings(page) }).toEqual({ path, findings: [] });
  }
});

it.each(["light", "dark"] as const)("has no serious finding of axe on the login page in %s", async (colorScheme) => {
  const page = await newPage({ colorScheme });
  await page.goto("/");
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  expect(await findings(page)).toEqual([]);
});

it.each(["light", "dark"] as const)("has no serious finding of axe in dialogs and menus in %s", { timeout: 480_000 }, async (colorScheme) => {
  const page = await loggedIn("/", { colorScheme });
  const name = `axe ${colorScheme} ${Date.now()}`;
  const group = await call<{ id: number }>(page, "POST", "/groups", {
    app_name: `axe-${colorScheme}-${Date.now()}`,
    title: name,
    address_type: 0,
    address_list: [],
  });
  const job = await createJob(
    page,
    {
      name,
      glue_type: "GLUE_LUA",
      group_id: group.id,
      schedule_type: "CRON",
      schedule_conf: "0 0/30 * * * ?",
    },
    "gw.log('one')",
  );
  await publish(page, job.id, "gw.log('two')", 1);
  const jobs = `/jobs?q=${encodeURIComponent(name)}`;
  const code = `/jobs/${job.id}/glue`;
  const button = (words: string) => page.getByRole("button", { name: words }).first().click();
  const inGroup = (words: string) =>
    page.getByRole("region", { name }).getByRole("button", { name: words, exact: true }).click();
  const rowMenu = () => button(`More for ${name}`);
  const ofRow = async (words: string) => {
    await rowMenu();
    await page.getByRole("menuitem", { name: words }).click();
  };

  const openers: [what: string, path: string, open: () => Promise<void>][] = [
    ["new group", "/executors", () => button("New group")],
    ["edit group", "/executors", () => inGroup("Edit")],
    ["secrets", "/executors", () => inGroup("Secrets")],
    ["access tokens", "/executors", () => inGroup("Access tokens")],
    ["user", "/users", () => button("New user")],
    ["token", "/tokens", () => button("New token")],
    ["rule", "/alarms", () => button("New rule")],
    ["channel", "/alarms?tab=channels", () => button("New channel")],
    ["cron builder", "/jobs/new", () => button("Cron builder")],
    ["job menu", jobs, rowMenu],
    ["run once", jobs, () => button(`Run ${name} once`)],
    ["next fires", jobs, () => ofRow("Next fires")],
    [
      "calendar",
      jobs,
      async () => {
        await ofRow("Next fires");
        await page.getByRole("dialog").getByText("Calendar", { exact: true }).click();
      },
    ],
    ["registry nodes", jobs, () => ofRow("Registered nodes")],
    ["delete job", jobs, () => ofRow("Delete")],
    [
      "publish",
      code,
      async () => {
        await replaceSource(page, "gw.log('three')");
        await page.keyboard.press("Control+s");
      },
    ],
    ["compare versions", `${code}?tab=versions&version=2`, () => page.locator(".cm-merge-a").waitFor()],
    ["templates", code, () => button("Templates")],
    ["command palette", "/", () => page.keyboard.press("Control+k")],
    ["languages", "/", () => button("Language")],
  ];
  for (const [what, path, open] of openers) {
    await page.goto(path);
    await settle(page);
    await open();
    await page.locator("[role=dialog]:visible, [role=menu]:visible").first().waitFor();
    await page.waitForTimeout(fading);
    await expect.poll(() => page.locator(".mantine-Skeleton-root").count()).toBe(0);
    expect({ what, findings: await findings(page) }).toEqual({ what, findings: [] });
  }
});

const fading = 500; // ms until dialogs and menus have their colours

it("leads past the menu with the first Tab", async () => {
  const page = await loggedIn("/jobs");
  await page.reload();
  await settle(page);
  await page.keyboard.press("Tab");
  const link = page.getByRole("link", { name: "To the content" });
  expect(await link.evaluate((node) => node === document.activeElement)).toBe(true);
  await page.keyboard.press("Enter");
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("MAIN");
});

/** What axe finds serious on the page. */
async function findings(page: Page): Promise<string[]> {
  // Not as a script element: the Content-Security-Policy would refuse it.
  const { readFileSync } = await import("node:fs");
  await page.evaluate(readFileSync(axe, "utf8"));
  return page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as { axe: Axe };
    const { violations } = await checker.run();
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
  });
}

interface Axe {
  run: () => Promise<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>;
}

it.each(["en-US", "zh-CN"])("shows every page in %s without a bare key", async (locale) => {
  const page = await loggedIn("/", { locale });
  for (const path of paths) {
    await page.goto(path);
    await settle(page);
    const text = await page.locator("main").textContent();
    expect(text).not.toMatch(/\b(nav|jobs|job|glue|run|users|tokens|audit)\.[a-z]+[A-Z]?\w*\b(?! ·)/);
    const isChinese = /[\u4E00-\u9FFF]/.test((await page.locator("h1").textContent()) ?? "");
    expect({ path, isChinese }).toEqual({ path, isChinese: locale === "zh-CN" });
  }
});

const hostile = [
  "<img src=x onerror=window.hurt=1>",
  "\"><script>window.hurt=1</script>",
  "javascript:window.hurt=1",
  "{{constructor.constructor('window.hurt=1')()}}",
  "${window.hurt=1}",
];

/** Does what the API may refuse for its text: then nothing is stored that could be shown. */
async function asFarAsTaken<T>(action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof Error && /: 4(00|04|22) /.test(error.message)) return undefined;
    throw error;
  }
}

/** Visits the pages one after the other, and finds that none of them was hurt. */
async function visit(page: Page, places: string[]): Promise<void> {
  for (const path of places) {
    await page.goto(path);
    await settle(page);
    expect({ path, isHurt: await page.evaluate(() => "hurt" in globalThis) }).toEqual({
      path,
      isHurt: false,
    });
  }
}

it.each(hostile)("shows %s as text wherever it was stored", async (text) => {
  const page = await loggedIn("/jobs");
  // What a mail address may be made of; the text itself where it may.
  const mailbox = text.replaceAll(/[^\w!#$%&'*+/=?^`{|}~.-]/g, "");
  const job = await createJob(
    page,
    {
      name: text,
      description: text,
      author: text.slice(0, 60),
      param: text,
      tags: [text.slice(0, 30)],
      handler: text,
      alarm_email: `${mailbox}@example.com`,
      glue_type: "GLUE_LUA",
    },
    `gw.log([[${text}]])\ngw.result([[${text}]])`,
  );
  await publish(page, job.id, `gw.log([[${text} again]]) gw.result([[${text}]])`, 1);
  const code = { source: "gw.log('x')", remark: text, base_version: 2 };
  const versions = `/jobs/${job.id}/versions`;
  await asFarAsTaken(() =>
    call(page, "POST", versions, { ...code, manifest: { hosts: [text], secrets: [text] } }),
  );
  const last = await call<{ items: { number: number }[] }>(page, "GET", versions);
  const before = last.items[0]?.number ?? 0;
  await call(page, "POST", versions, { ...code, base_version: before });
  const runID = await trigger(page, job.id);
  await waitForEnd(page, runID);
  const runWithParam = await trigger(page, job.id, text);
  await waitForEnd(page, runWithParam);
  const asked = encodeURIComponent(text);
  await visit(page, [
    "/",
    "/jobs",
    `/jobs/${job.id}/edit`,
    `/jobs/new?copy=${job.id}`,
    `/jobs/${job.id}/glue`,
    `/jobs/${job.id}/glue?tab=versions&version=${before + 1}`,
    "/runs",
    `/runs?job_id=${job.id}`,
    `/runs/${runID}`,
    `/runs/${runWithParam}`,
    "/audit",
    // And what stands in the address.
    `/jobs?q=${asked}`,
    `/jobs?handler=${asked}&author=${asked}&tag=${asked}`,
    `/runs?q=${asked}`,
    `/runs?state=${asked}&from=${asked}`,
    `/executors?q=${asked}`,
    `/users?q=${asked}`,
    `/audit?q=${asked}&actor=${asked}`,
  ]);
  await call(page, "DELETE", `/jobs/${job.id}`);
});

it.each(hostile)("shows %s as text in the names of groups, channels, tokens and values", async (text) => {
  const page = await loggedIn("/executors");
  const app = `hostile-${Date.now()}`;
  const group = await call<{ id: number }>(page, "POST", "/groups", {
    app_name: app,
    title: text.slice(0, 64),
    address_type: 0,
    address_list: [],
  });
  await call(page, "PUT", `/groups/${group.id}/variables/HOSTILE`, { value: text, version: 0 });
  const token = await call<{ id: number }>(page, "POST", "/tokens", { name: text, role: "viewer" });
  const channel = await call<{ id: number }>(page, "POST", "/alarm-channels", {
    name: `${text} ${app}`,
    kind: "webhook",
    language: "en",
    config: { url: "https://example.com/hook" },
  });
  const rule = await call<{ id: number }>(page, "POST", "/alarm-rules", {
    name: `${text} ${app}`,
    group_id: group.id,
    on: ["failure"],
    channel_ids: [channel.id],
  });
  await call(page, "POST", `/groups/${group.id}/tokens`, { name: text });
  const secret = `/groups/${group.id}/secrets/${encodeURIComponent(text)}`;
  await asFarAsTaken(() => call(page, "PUT", secret, { value: text, version: 0 }));
  await visit(page, [
    "/executors",
    "/jobs/new",
    "/tokens",
    "/alarms?tab=channels",
    "/alarms?tab=rules",
    "/exchange",
    "/audit",
    `/jobs?group_id=${group.id}`,
  ]);
  await page.goto("/executors");
  const card = page.getByRole("region", { name: text.slice(0, 64) }).filter({ hasText: app });
  await card.getByRole("button", { name: "Secrets" }).click();
  await page.getByRole("tab", { name: "Variables" }).click();
  await page.getByRole("dialog").getByText(text, { exact: true }).waitFor();
  expect(await page.evaluate(() => "hurt" in globalThis)).toBe(false);
  await page.keyboard.press("Escape");
  await card.getByRole("button", { name: "Access tokens" }).click();
  await page.getByRole("dialog").getByText(text, { exact: true }).waitFor();
  expect(await page.evaluate(() => "hurt" in globalThis)).toBe(false);
  await call(page, "DELETE", `/alarm-rules/${rule.id}`);
  await call(page, "DELETE", `/alarm-channels/${channel.id}`);
  await call(page, "DELETE", `/tokens/${token.id}`);
  await call(page, "DELETE", `/groups/${group.id}`);
});

it.each(hostile)("shows %s as text in user names and notes of reviews", async (text) => {
  const page = await loggedIn("/users");
  const app = `notes-${Date.now()}`;
  const username = `${text} ${app}`;
  const password = "a long password";
  const group = await call<{ id: number }>(page, "POST", "/groups", {
    app_name: app,
    title: app,
    address_type: 0,
    address_list: [],
    require_review: true,
  });
  const user = await call<{ id: number }>(page, "POST", "/users", {
    username,
    password,
    role: "user",
    grants: [{ group_id: group.id, role: "publisher" }],
  });
  const job = await createJob(
    page,
    { name: app, glue_type: "GLUE_LUA", group_id: group.id },
    "gw.log('x')",
  );
  const other = await loggedIn("/reviews", { username, password });
  await other.getByText(app).first().waitFor();
  await call(other, "POST", `/jobs/${job.id}/versions/1/reject`, { note: text });
  await visit(other, [`/jobs/${job.id}/glue?tab=versions&version=1`, "/settings"]);
  await visit(page, [
    `/jobs/${job.id}/glue?tab=versions&version=1`,
    "/reviews",
    `/users?q=${app}`,
    `/audit?q=${app}`,
  ]);
  // Its page would go on asking, and be refused.
  await other.context().close();
  await call(page, "DELETE", `/users/${user.id}`);
  await call(page, "DELETE", `/jobs/${job.id}`);
  await call(page, "DELETE", `/groups/${group.id}`);
});

it.skipIf(!server.executorToken).each(hostile)("shows %s as text of what an executor says", async (text) => {
  const page = await loggedIn("/executors");
  const app = `says-${Date.now()}`;
  const group = await call<{ id: number }>(page, "POST", "/groups", {
    app_name: app,
    title: app,
    address_type: 0,
    address_list: [],
  });
  const node = { registryGroup: "EXECUTOR", registryKey: app, registryValue: "http://127.0.0.1:9/" };
  const tell = async (path: string, data: object) => {
    const headers = { "XXL-JOB-ACCESS-TOKEN": server.executorToken ?? "" };
    const answer = await page.context().request.post(path, { headers, data });
    expect(await answer.json()).toMatchObject({ code: 200 });
  };
  await tell("/api/registry", {
    ...node,
    gluewheel: {
      protocol: 1,
      instance: app,
      boot: app,
      version: text,
      engines: [text],
      handlers: [text],
      notes: [text],
      held: [],
    },
  });
  await visit(page, ["/", "/executors", `/executors?q=${app}`, `/jobs/new?group_id=${group.id}`]);
  await page.goto(`/executors?q=${app}`);
  const card = page.getByRole("region", { name: app });
  await card.getByRole("cell", { name: text, exact: true }).first().hover();
  expect(await page.evaluate(() => "hurt" in globalThis)).toBe(false);
  await page.goto(`/jobs/new?group_id=${group.id}`);
  await page.getByRole("combobox", { name: "Run mode" }).click();
  await page.getByRole("option", { name: "BEAN" }).click();
  await page.getByRole("combobox", { name: "JobHandler" }).click();
  await page.getByRole("option", { name: text, exact: true }).waitFor();
  expect(await page.evaluate(() => "hurt" in globalThis)).toBe(false);
  await tell("/api/registryRemove", node);
  await call(page, "DELETE", `/groups/${group.id}`);
});

/** Waits until nothing is loading any more. */
async function settle(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await expect.poll(() => page.locator(".mantine-Skeleton-root").count()).toBe(0);
  // Parts that come a moment after the first content are there, too.
  await page.evaluate(() => new Promise<void>((resolve) => requestIdleCallback(() => resolve())));
}
