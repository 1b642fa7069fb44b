import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { call, createJob, publish, trigger, waitForEnd } from "./api";
import { loggedIn, useBrowser } from "./browser";
import { editor } from "./editor";

useBrowser();

type Page = Awaited<ReturnType<typeof loggedIn>>;

const paths = [
  "/",
  "/jobs",
  "/jobs/new",
  "/runs",
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
  for (const path of [...paths, `/jobs/${job.id}/glue`, `/runs/${runID}`]) {
    await page.goto(path);
    await settle(page);
    expect({ path, findings: await findings(page) }).toEqual({ path, findings: [] });
  }
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

it.each(hostile)("shows %s as text wherever it was stored", async (text) => {
  const page = await loggedIn("/jobs");
  const job = await createJob(
    page,
    {
      name: text,
      description: text,
      author: text.slice(0, 60),
      param: text,
      tags: [text.slice(0, 30)],
      glue_type: "GLUE_LUA",
    },
    `gw.log([[${text}]])\ngw.result([[${text}]])`,
  );
  await publish(page, job.id, `gw.log([[${text} again]]) gw.result([[${text}]])`, 1);
  const runID = await trigger(page, job.id);
  await waitForEnd(page, runID);
  for (const path of [
    "/",
    "/jobs",
    `/jobs/${job.id}/edit`,
    `/jobs/${job.id}/glue`,
    "/runs",
    `/runs/${runID}`,
    "/audit",
  ]) {
    await page.goto(path);
    await settle(page);
    expect(await page.evaluate(() => "hurt" in globalThis)).toBe(false);
  }
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
  for (const path of ["/executors", "/jobs/new", "/tokens", "/alarms?tab=channels", "/exchange", "/audit"]) {
    await page.goto(path);
    await settle(page);
    expect(await page.evaluate(() => "hurt" in globalThis)).toBe(false);
  }
  await page.goto("/executors");
  const card = page.getByRole("region", { name: text.slice(0, 64) }).filter({ hasText: app });
  await card.getByRole("button", { name: "Secrets" }).click();
  await page.getByRole("tab", { name: "Variables" }).click();
  await page.getByRole("dialog").getByText(text, { exact: true }).waitFor();
  expect(await page.evaluate(() => "hurt" in globalThis)).toBe(false);
  await call(page, "DELETE", `/alarm-channels/${channel.id}`);
  await call(page, "DELETE", `/tokens/${token.id}`);
  await call(page, "DELETE", `/groups/${group.id}`);
});

/** Waits until nothing is loading any more. */
async function settle(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await expect.poll(() => page.locator(".mantine-Skeleton-root").count()).toBe(0);
  // Parts that come a moment after the first content are there, too.
  await page.evaluate(() => new Promise<void>((resolve) => requestIdleCallback(() => resolve())));
}
