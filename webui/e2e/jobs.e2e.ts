import { expect, it } from "vitest";
import { createJob, findJob, publish } from "./api";
import { expectConsoleErrors, forgiveConsoleErrors, loggedIn, useBrowser } from "./browser";

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
  await page.getByRole("combobox", { name: "JobHandler" }).fill("countdownJobHandler");
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
  // The preview is refused first; its error must not come after the test.
  await page.getByRole("alert").waitFor();
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
  await page.getByRole("search").getByText("Succeeded", { exact: true }).click();
  await expect.poll(() => new URL(page.url()).search).toContain("succeeded");
  await page.reload();
  await expect.poll(() => page.getByRole("checkbox", { name: "Succeeded" }).isChecked()).toBe(true);
  await page.goto("/runs?job_id=999999");
  await page.getByText("No run matches").waitFor();
  // A list without runs does not name its job, so the page has asked for it.
  await expect
    .poll(() => page.getByRole("combobox", { name: "Job", exact: true }).inputValue())
    .toBe("【999999】");
  forgiveConsoleErrors(/404/);
});

it("lists executors with their nodes", async () => {
  const page = await loggedIn("/executors");
  await page.getByText("Online").first().waitFor();
  await page.getByText("GLUE(Lua)").first().waitFor();
});

it("copies a job with all its settings", async () => {
  const page = await loggedIn("/jobs");
  const name = `original ${Date.now()}`;
  await createJob(page, { name, glue_type: "GLUE_LUA", retry_count: 3, tags: ["copied"] });
  await page.goto(`/jobs?q=${encodeURIComponent(name)}`);
  await page.getByRole("button", { name: `More for ${name}` }).click();
  await page.getByRole("menuitem", { name: "Copy" }).click();
  await expect
    .poll(() => page.getByRole("textbox", { name: "Job name" }).inputValue())
    .toBe(`${name} (copy)`);
  expect(await page.getByRole("textbox", { name: "Retries after a failure" }).inputValue()).toBe(
    "3",
  );
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: `${name} (copy)` }).waitFor();
});

it("keeps every schedule and retry setting", async () => {
  const page = await loggedIn("/jobs/new");
  const name = `settings ${Date.now()}`;
  await page.getByRole("textbox", { name: "Job name" }).fill(name);
  await page.getByRole("combobox", { name: "Schedule type" }).click();
  await page.getByRole("option", { name: "Fixed delay" }).click();
  await page.getByRole("textbox", { name: "Seconds from the end" }).fill("45");
  await page.getByRole("textbox", { name: "Retries after a failure" }).fill("2");
  await page.getByRole("combobox", { name: "Back-off" }).click();
  await page.getByRole("option", { name: "Twice as long each time" }).click();
  await page.getByRole("textbox", { name: "Jitter" }).fill("20");
  await page.getByRole("textbox", { name: "Runs at the same time" }).fill("3");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name }).waitFor();
  const job = await findJob(page, name);
  expect(job).toMatchObject({
    schedule_type: "FIX_DELAY",
    schedule_conf: "45",
    retry_count: 2,
    retry_backoff: "EXPONENTIAL",
    retry_jitter_pct: 20,
    max_concurrent: 3,
  });
});

it("builds a cron expression, with its sentence and next fires", async () => {
  const page = await loggedIn("/jobs/new");
  await page.getByRole("button", { name: "Cron builder" }).click();
  await page.getByRole("combobox", { name: "Repeats" }).click();
  await page.getByRole("option", { name: "On days of the week" }).click();
  await page.getByText("Fri", { exact: true }).click();
  await expect
    .poll(() => page.getByRole("textbox", { name: "Cron" }).inputValue())
    .toBe("0 0 2 ? * MON,FRI");
  await page
    .getByText(/ 02:00:00$/)
    .first()
    .waitFor();
});

it("shows planned fires as a calendar, and the nodes", async () => {
  const page = await loggedIn("/jobs");
  const name = `calendar ${Date.now()}`;
  await createJob(page, {
    name,
    glue_type: "GLUE_LUA",
    schedule_type: "CRON",
    schedule_conf: "0 0 12 * * ?",
  });
  await page.goto(`/jobs?q=${encodeURIComponent(name)}`);
  await page.getByRole("button", { name: `More for ${name}` }).click();
  await page.getByRole("menuitem", { name: "Next fires" }).click();
  await page.getByText("Calendar", { exact: true }).click();
  await page.locator(".calendar-day").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: `More for ${name}` }).click();
  await page.getByRole("menuitem", { name: "Registered nodes" }).click();
  await page.getByRole("dialog").getByText("http://").waitFor();
});

it("finds jobs by tag and sorts them, all in the address", async () => {
  const page = await loggedIn("/jobs");
  const tag = `tag${Date.now()}`;
  for (const name of ["b", "a", "c"]) {
    await createJob(page, { name: `${name} ${tag}`, glue_type: "GLUE_LUA", tags: [tag] });
  }
  await page.goto(`/jobs?tag=${tag}`);
  await page.getByRole("button", { name: "Job name" }).click();
  await expect.poll(() => page.url()).toContain("sort=name");
  const first = page.getByRole("row").nth(1);
  await first.getByText(`a ${tag}`).waitFor();
  await page.getByRole("button", { name: "Job name" }).click();
  await first.getByText(`c ${tag}`).waitFor();
});

it("tells the second of two browsers that the job was changed meanwhile", async () => {
  const page = await loggedIn("/jobs");
  const job = await createJob(page, { name: `shared ${Date.now()}`, glue_type: "GLUE_LUA" });
  await page.goto(`/jobs/${job.id}/edit`);
  const other = await loggedIn(`/jobs/${job.id}/edit`);
  await other.getByRole("textbox", { name: "Description" }).fill("from the second");
  await page.getByRole("textbox", { name: "Description" }).fill("from the first");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("is saved.").waitFor();
  await other.getByRole("button", { name: "Save" }).click();
  await other.getByText("Somebody else has changed this job").waitFor();
  expect(await other.getByRole("textbox", { name: "Description" }).inputValue()).toBe(
    "from the second",
  );
  expectConsoleErrors(/409/);
});

it("runs a chosen version at a chosen address, and says so", async () => {
  const page = await loggedIn("/jobs");
  const name = `chosen ${Date.now()}`;
  const job = await createJob(page, { name, glue_type: "GLUE_LUA" }, "gw.log('version one')");
  await publish(page, job.id, "gw.log('version two')", 1);
  await page.goto(`/jobs?q=${encodeURIComponent(name)}`);
  await page.getByRole("button", { name: `Run ${name} once` }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Addresses" }).click();
  await page.getByRole("option", { name: /^http:/ }).click();
  await dialog.getByRole("combobox", { name: "Version" }).click();
  await page.getByRole("option", { name: /^v1/ }).click();
  await dialog.getByRole("button", { name: "Run once", exact: true }).click();
  await page.getByRole("log").getByText("version one").waitFor();
  await page.getByText("asked for").waitFor();
  await page.getByText("The addresses came with the run.").waitFor();
  expect((await findJob(page, name)).glue_version).toBe(2); // nothing was rolled back
});

it("keeps what can be done with a job in sight on a narrow screen", async () => {
  const page = await loggedIn("/jobs?q=hello-lua");
  await page.setViewportSize({ width: 390, height: 844 });
  const more = page.getByRole("button", { name: "More for hello-lua" });
  await more.waitFor();
  const box = await more.boundingBox();
  expect(box && box.x + box.width).toBeLessThan(390);
  await more.click();
  await page.getByRole("menuitem", { name: "Registered nodes" }).waitFor();
});

it("shows an empty field that must be filled below the header, with its label", async () => {
  const page = await loggedIn("/jobs/new");
  await page.getByRole("textbox", { name: "Job name" }).fill("no schedule yet");
  await page.getByRole("textbox", { name: "Author" }).fill("e2e");
  const save = page.getByRole("button", { name: /^(Save|Create)/ });
  await save.first().click();
  const cron = page.getByRole("textbox", { name: "Cron" }).first();
  await expect.poll(() => cron.evaluate((field) => field === document.activeElement)).toBe(true);
  const header = (await page.getByRole("banner").boundingBox())?.height ?? 0;
  expect(header).toBeGreaterThan(0);
  await expect.poll(async () => ((await cron.boundingBox())?.y ?? 0) - header).toBeGreaterThan(50);
});
