import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { call, createJob, publish, trigger, waitForEnd } from "./api";
import { loggedIn, useBrowser } from "./browser";

useBrowser();

type Page = Awaited<ReturnType<typeof loggedIn>>;

const ranJob = async (page: Page, source: string, settings = {}) => {
  const job = await createJob(
    page,
    { name: `run ${Date.now()}`, glue_type: "GLUE_LUA", ...settings },
    source,
  );
  const runID = await trigger(page, job.id);
  await waitForEnd(page, runID);
  return { job, runID };
};

it("shows what a run took, where it ran and how late it was", async () => {
  const page = await loggedIn("/runs");
  const { runID } = await ranJob(page, "gw.log('measured')\ngw.result('the result')");
  await page.goto(`/runs/${runID}`);
  await page.getByText("the result").first().waitFor();
  for (const step of ["Planned", "Claimed", "Started", "Ended"]) {
    await page.getByText(step, { exact: true }).first().waitFor();
  }
  await page.getByRole("group", { name: "What it took" }).getByText("memory").waitFor();
});

it("runs again with the same version and with the newest", async () => {
  const page = await loggedIn("/runs");
  const { job, runID } = await ranJob(page, "gw.log('version one')");
  await publish(page, job.id, "gw.log('version two')", 1);
  await page.goto(`/runs/${runID}`);
  await page.getByRole("button", { name: "Run again" }).click();
  await page.getByRole("menuitem", { name: "Same version, v1" }).click();
  await expect.poll(() => page.url()).not.toContain(String(runID));
  await page.getByRole("log").getByText("version one").waitFor();

  await page.getByRole("button", { name: "Run again" }).click();
  await page.getByRole("menuitem", { name: "Newest version" }).click();
  await page.getByRole("log").getByText("version two").waitFor();
});

it("shows retries and children as a tree", async () => {
  const page = await loggedIn("/runs");
  const child = await createJob(
    page,
    { name: `child ${Date.now()}`, glue_type: "GLUE_LUA" },
    "gw.log('child')",
  );
  const { runID } = await ranJob(page, "gw.log('parent')", { child_job_ids: [child.id] });
  await page.goto(`/runs/${runID}`);
  const tree = page.locator(".tree");
  await tree.getByText(child.name).waitFor();
  await tree.getByRole("link").first().click();
  await page.getByRole("log").getByText("child").waitFor();
});

it("shows terminal colours, and finds text in the log", async () => {
  const page = await loggedIn("/runs");
  const red = String.raw`gw.log('plain \27[31mred words\27[0m plain again')`;
  const { runID } = await ranJob(page, `${red}\nfor i = 1, 5 do gw.log('needle ' .. i) end`);
  await page.goto(`/runs/${runID}`);
  const colored = page.getByRole("log").getByText("red words", { exact: true });
  await colored.waitFor();
  expect(await colored.getAttribute("style")).toContain("red");
  const search = page.getByRole("textbox", { name: "Search the log" });
  await search.fill("needle");
  await page.getByText("0 of 5").waitFor();
  await search.press("Enter");
  await page.getByText("1 of 5").waitFor();
});

it("downloads the whole log", async () => {
  const page = await loggedIn("/runs");
  const { runID } = await ranJob(page, "for i = 1, 300 do gw.log('line ' .. i) end");
  await page.goto(`/runs/${runID}`);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download the whole log" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe(`run-${runID}.log`);
  expect(readFileSync(await file.path(), "utf8")).toContain("line 300");
});

it("opens a long log at its end", async () => {
  const page = await loggedIn("/runs");
  const line = "x".repeat(100);
  const { runID } = await ranJob(
    page,
    `for i = 1, 9000 do gw.log('${line} ' .. i) end\ngw.log('the very last line')`,
  );
  await page.goto(`/runs/${runID}`);
  await page.getByRole("log").getByText("the very last line").waitFor();
});

it("pauses the list while one reads", async () => {
  const page = await loggedIn("/runs");
  await page.getByRole("table").waitFor();
  await page.getByRole("row").nth(2).hover();
  await page.getByText("paused while you read").waitFor();
  await page.mouse.move(2, 2);
  await page.getByText("paused while you read").waitFor({ state: "detached" });
});

it("writes a log line into the open page within a second or two", async () => {
  const page = await loggedIn("/runs");
  const job = await createJob(
    page,
    { name: `ticking ${Date.now()}`, glue_type: "GLUE_LUA" },
    "for i = 1, 240 do gw.log('tick ' .. i) gw.sleep(500) end",
  );
  const runID = await trigger(page, job.id);
  await page.goto(`/runs/${runID}`);
  await page.getByRole("log").getByText("tick 2").waitFor();
  await page.getByText("Running", { exact: true }).waitFor(); // it came before the end
  await call(page, "POST", `/runs/${runID}/kill`);
  await page.getByText("Killed", { exact: true }).waitFor();
});

it("says why a run went to its executor", async () => {
  const page = await loggedIn("/runs");
  const { runID } = await ranJob(page, "gw.log('routed')", { route_strategy: "ROUND" });
  await page.goto(`/runs/${runID}`);
  await page.getByText("the only executor there was").waitFor();
});

it("leads from a run to the version that it ran", async () => {
  const page = await loggedIn("/runs");
  const { job, runID } = await ranJob(page, "gw.log('the first')");
  await publish(page, job.id, "gw.log('the second')", 1);
  await page.goto(`/runs/${runID}`);
  await page.getByRole("link", { name: "v1", exact: true }).click();
  await page.getByRole("dialog", { name: "Version 1" }).getByText("the first").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: "Versions", selected: true }).waitFor();
  expect(new URL(page.url()).search).toBe("?tab=versions");
});

it("narrows the list to a test, a cause and a time, all in the address", async () => {
  const page = await loggedIn("/runs");
  const { job, runID } = await ranJob(page, "gw.log('listed')");
  await page.goto(`/runs?job_id=${job.id}`);
  await page.getByRole("combobox", { name: "Cause" }).click();
  await page.getByRole("option", { name: "By hand" }).click();
  await page.getByRole("link", { name: String(runID), exact: true }).waitFor();
  await page.getByLabel("Trigger time before").fill("2020-01-01T00:00");
  await page.getByText("No run matches").waitFor();
  await page.reload();
  await page.getByText("No run matches").waitFor();
  await page.getByRole("button", { name: /reset/i }).click();
  await expect.poll(() => new URL(page.url()).search).toBe("");
});
