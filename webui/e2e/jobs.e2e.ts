import { expect, it } from "vitest";
import { createJob } from "./api";
import { expectConsoleErrors, loggedIn, useBrowser } from "./browser";

useBrowser();

it("creates, starts, stops, edits and deletes a job", async () => {
  const page = await loggedIn("/jobs");
  const name = `nightly ${Date.now()}`;
  await page.getByRole("link", { name: "New job" }).click();
  await page.getByRole("textbox", { name: "Job name" }).fill(name);
  const cron = page.getByRole("textbox", { name: "Cron" });
  await cron.fill("0 0 25 * * ?");
  await page.getByRole("alert").waitFor(); // there is no hour 25
  expectConsoleErrors(/422/);
  await cron.fill("0 30 3 * * ?");
  await page
    .getByText(/ 03:30:00$/)
    .first()
    .waitFor();
  await page.getByRole("combobox", { name: "Run mode" }).click();
  await page.getByRole("option", { name: "BEAN" }).click();
  await page.getByRole("textbox", { name: "JobHandler" }).fill("countdownJobHandler");
  await page.getByRole("button", { name: "Save" }).click();

  const row = page.getByRole("row", { name: new RegExp(name) });
  await row.getByRole("switch").click({ force: true });
  await page.getByText(`${name} is started.`).waitFor();
  await row.getByText(/03:30:00/).waitFor();
  await row.getByRole("switch").click({ force: true });
  await page.getByText(`${name} is stopped.`).waitFor();

  await row.getByRole("link", { name, exact: true }).click();
  await page.getByRole("textbox", { name: "Author" }).fill("somebody else");
  await page.getByRole("button", { name: "Save" }).click();
  await row.getByText("somebody else").waitFor();

  await row.getByRole("button", { name: `More for ${name}` }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await row.waitFor({ state: "detached" });
});

it("shows a refused field beside it and keeps the rest", async () => {
  const page = await loggedIn("/jobs/new");
  await page.getByRole("textbox", { name: "Job name" }).fill("bad mail");
  await page.getByRole("textbox", { name: "Cron" }).fill("not a cron");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("[aria-invalid=true]").waitFor();
  expect(await page.getByRole("textbox", { name: "Job name" }).inputValue()).toBe("bad mail");
  expectConsoleErrors(/422/);
});

it("runs a job with a parameter of its own, and kills it", async () => {
  const page = await loggedIn("/jobs");
  const name = `endless ${Date.now()}`;
  await createJob(
    page,
    { name, glue_type: "GLUE_LUA", timeout_s: 60 },
    "gw.log('parameter ' .. gw.param())\nwhile true do end",
  );
  await page.reload();
  await page.getByRole("button", { name: `Run ${name} once` }).click();
  await page.getByRole("textbox", { name: "Job parameter" }).fill("for this run only");
  await page.getByRole("button", { name: "Run once", exact: true }).click();
  await page.getByRole("log").getByText("parameter for this run only").waitFor();

  await page.getByRole("button", { name: "Kill" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Kill" }).click();
  await page.getByText("Killed", { exact: true }).waitFor();
});

it("filters runs by chips and keeps the filter in the address", async () => {
  const page = await loggedIn("/runs");
  await page.getByText("Succeeded", { exact: true }).first().click();
  await expect.poll(() => new URL(page.url()).search).toContain("succeeded");
  await page.reload();
  await expect.poll(() => page.getByRole("checkbox", { name: "Succeeded" }).isChecked()).toBe(true);
  await page.goto("/runs?job_id=999999");
  await page.getByText("No run matches").waitFor();
});

it("lists executors with their nodes", async () => {
  const page = await loggedIn("/executors");
  await page.getByText("Online").first().waitFor();
  await page.getByText("GLUE_LUA").first().waitFor();
});
