import { expect, it } from "vitest";
import type { components } from "../src/api/schema";
import { call, createJob, trigger, waitForEnd } from "./api";
import { loggedIn, useBrowser } from "./browser";

useBrowser();

type Page = Awaited<ReturnType<typeof loggedIn>>;
type Schemas = components["schemas"];

const password = "a long password";

/** A plain user with a role in one group. */
async function createUser(page: Page, groupID: number, role: Schemas["GroupRole"]) {
  return call<Schemas["User"]>(page, "POST", "/users", {
    username: `${role}-${Date.now()}`,
    password,
    role: "user",
    grants: [{ group_id: groupID, role }],
  });
}

async function createGroup(page: Page, app: string) {
  return call<Schemas["Group"]>(page, "POST", "/groups", {
    app_name: app,
    title: `title of ${app}`,
    address_type: 0,
    address_list: [],
  });
}

it("offers a viewer only what a viewer may do", async () => {
  const page = await loggedIn("/jobs");
  const name = `seen ${Date.now()}`;
  const job = await createJob(page, { name, glue_type: "GLUE_LUA" }, "gw.log('x')");
  const runID = await trigger(page, job.id);
  await waitForEnd(page, runID);
  const user = await createUser(page, job.group_id, "viewer");

  const viewer = await loggedIn(`/jobs?q=${encodeURIComponent(name)}`, {
    username: user.username,
    password,
  });
  const row = viewer.getByRole("row", { name: new RegExp(name) });
  expect(await row.getByRole("switch").isDisabled()).toBe(true);
  expect(await viewer.getByRole("checkbox", { name: /^Choose/ }).count()).toBe(0);
  expect(await viewer.getByRole("link", { name: "New job" }).count()).toBe(0);
  await row.getByRole("link", { name, exact: true }).click();
  await viewer.getByText("You may look at this job, not change it.").waitFor();
  expect(await viewer.getByRole("textbox", { name: "Job name" }).isDisabled()).toBe(true);
  expect(await viewer.getByRole("button", { name: "Save" }).count()).toBe(0);

  await viewer.goto("/jobs/new");
  await viewer.getByText("You may not create jobs").waitFor();
  await viewer.goto(`/runs/${runID}`);
  await viewer.getByRole("link", { name: "Job settings" }).waitFor();
  expect(await viewer.getByRole("button", { name: "Run again" }).count()).toBe(0);
  await viewer.goto("/executors");
  await viewer.getByRole("region").first().waitFor();
  expect(await viewer.getByRole("button", { name: /New group|Edit|Delete/ }).count()).toBe(0);
  // Its page would ask for its list once more, and be refused.
  await viewer.context().close();
  await call(page, "DELETE", `/users/${user.id}`);
});

it("offers in each group what the role there allows", async () => {
  const page = await loggedIn("/jobs");
  const name = `elsewhere ${Date.now()}`;
  const job = await createJob(page, { name, glue_type: "GLUE_LUA" }, "gw.log('x')");
  const runID = await trigger(page, job.id);
  await waitForEnd(page, runID);
  const own = await createGroup(page, `own-${Date.now()}`);
  const user = await call<Schemas["User"]>(page, "POST", "/users", {
    username: `leader-${Date.now()}`,
    password,
    role: "user",
    grants: [
      { group_id: job.group_id, role: "viewer" },
      { group_id: own.id, role: "group_admin" },
    ],
  });

  const leader = await loggedIn(`/jobs?q=${encodeURIComponent(name)}`, {
    username: user.username,
    password,
  });
  await leader.getByRole("link", { name: "New job" }).waitFor();
  const row = leader.getByRole("row", { name: new RegExp(name) });
  expect(await row.getByRole("switch").isDisabled()).toBe(true);
  expect(await row.getByRole("button", { name: /^Run/ }).count()).toBe(0);
  await row.getByRole("link", { name, exact: true }).click();
  await leader.getByText("You may look at this job, not change it.").waitFor();
  await leader.goto(`/jobs/${job.id}/glue`);
  await leader.getByText("gw.log('x')").waitFor();
  expect(await leader.getByRole("button", { name: /^Publish/ }).count()).toBe(0);
  await leader.goto(`/runs/${runID}`);
  await leader.getByRole("link", { name: "Job settings" }).waitFor();
  expect(await leader.getByRole("button", { name: "Run again" }).count()).toBe(0);
  await leader.goto("/executors");
  await leader.getByRole("region", { name: own.title }).getByRole("button", { name: "Edit" }).waitFor();
  expect(await leader.getByRole("button", { name: "Edit" }).count()).toBe(1);
  await leader.context().close();
  await call(page, "DELETE", `/users/${user.id}`);
});

it("offers an operator what acts, and nothing that changes a job", async () => {
  const page = await loggedIn("/jobs");
  const name = `operated ${Date.now()}`;
  const job = await createJob(page, { name, glue_type: "GLUE_LUA" }, "gw.log('x')");
  const user = await createUser(page, job.group_id, "operator");

  const operator = await loggedIn(`/jobs?q=${encodeURIComponent(name)}`, {
    username: user.username,
    password,
  });
  await operator.getByRole("checkbox", { name: `Choose ${name}` }).check();
  const bar = operator.getByRole("toolbar", { name: "Chosen jobs" });
  await bar.getByRole("button", { name: "Run once" }).waitFor();
  expect(await bar.getByRole("button", { name: /Delete|Tags/ }).count()).toBe(0);
  expect(await operator.getByRole("link", { name: "New job" }).count()).toBe(0);
  const row = operator.getByRole("row", { name: new RegExp(name) });
  expect(await row.getByRole("switch").isEnabled()).toBe(true);
  await operator.context().close();
  await call(page, "DELETE", `/users/${user.id}`);
});

it("leads from XXL-JOB's addresses to the same things here", async () => {
  const page = await loggedIn("/xxl-job-admin/joblog");
  const job = await createJob(page, { name: `old ${Date.now()}`, glue_type: "GLUE_LUA" });
  const { id, group_id } = job;
  for (const [old, place] of [
    ["/xxl-job-admin/", "/"],
    ["/xxl-job-admin/joblog", "/runs"],
    [`/xxl-job-admin/joblog?jobId=${id}`, `/runs?job_id=${id}`],
    [`/xxl-job-admin/jobinfo?jobGroup=${group_id}`, `/jobs?group_id=${group_id}`],
    ["/xxl-job-admin/jobgroup", "/executors"],
    ["/xxl-job-admin/user", "/users"],
    [`/xxl-job-admin/jobcode?jobId=${id}`, `/jobs/${id}/glue`],
    [`/joblog?jobId=${id}`, `/runs?job_id=${id}`],
    ["/jobinfo", "/jobs"],
    ["/jobgroup", "/executors"],
    ["/user", "/users"],
    [`/jobcode?jobId=${id}`, `/jobs/${id}/glue`],
  ] as const) {
    await page.goto(old);
    await page.locator("h1").first().waitFor();
    await expect
      .poll(() => {
        const { pathname, search } = new URL(page.url());
        return `${pathname}${search}`;
      })
      .toBe(place);
  }
});

it("shows the log of a run from the list, and ends an open one", async () => {
  const page = await loggedIn("/runs");
  const job = await createJob(
    page,
    { name: `listed ${Date.now()}`, glue_type: "GLUE_LUA", timeout_s: 60 },
    "while true do end",
  );
  const runID = await trigger(page, job.id);
  await page.goto(`/runs?job_id=${job.id}`);
  const row = page.getByRole("row", { name: new RegExp(String(runID)) });
  await page.getByRole("button", { name: `Kill run ${runID}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Kill" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.mouse.move(2, 2); // the list rests while one points at it
  await row.getByText("Killed", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: `Kill run ${runID}` }).count()).toBe(0);
  await page.getByRole("link", { name: `Execution log of run ${runID}` }).click();
  await page.getByRole("heading", { name: `Run ${runID}` }).waitFor();
});

it("chooses the job of the trigger log by its name, by a part of it, and from the address", async () => {
  const page = await loggedIn("/runs");
  const mark = `pick${Date.now()}`;
  const one = await createJob(page, { name: `${mark} one`, glue_type: "GLUE_LUA" }, "gw.log('x')");
  const two = await createJob(page, { name: `${mark} two`, glue_type: "GLUE_LUA" });
  const runID = await trigger(page, one.id);
  await waitForEnd(page, runID);
  const job = page.getByRole("combobox", { name: "Job", exact: true });
  const listed = page.getByRole("link", { name: String(runID), exact: true });

  await job.click();
  await job.fill(`${mark} o`);
  await page.getByRole("option", { name: `【${one.id}】${one.name}` }).click();
  await expect.poll(() => new URL(page.url()).search).toBe(`?job_id=${one.id}`);
  await listed.waitFor();
  await page.reload();
  await expect.poll(() => job.inputValue()).toBe(`【${one.id}】${one.name}`);
  // A job that never ran is named, too.
  await page.goto(`/runs?job_id=${two.id}`);
  await expect.poll(() => job.inputValue()).toBe(`【${two.id}】${two.name}`);

  await page.goto("/runs");
  await job.click();
  await job.fill(mark);
  await page.getByRole("option", { name: `Name has “${mark}”` }).click();
  await expect.poll(() => new URL(page.url()).search).toBe(`?q=${mark}`);
  await listed.waitFor();
  // Of another executor there is no such job: it does not stay chosen.
  const group = await createGroup(page, mark);
  await page.goto(`/runs?job_id=${one.id}`);
  await page.getByRole("combobox", { name: "Executor" }).click();
  await page.getByRole("option", { name: group.title }).click();
  await expect.poll(() => new URL(page.url()).search).toBe(`?group_id=${group.id}`);
  await call(page, "DELETE", `/groups/${group.id}`);
});

it("completes the handler's name from what executors have told", async () => {
  const page = await loggedIn("/executors");
  await page.getByText("countdownJobHandler").first().waitFor();
  await page.goto("/jobs/new");
  await page.getByRole("combobox", { name: "Run mode" }).click();
  await page.getByRole("option", { name: "BEAN" }).click();
  const handler = page.getByRole("combobox", { name: "JobHandler" });
  await handler.click();
  await handler.fill("countdown");
  await page.getByRole("option", { name: "countdownJobHandler" }).click();
  expect(await handler.inputValue()).toBe("countdownJobHandler");
});

it("explains each choice of what happens to fires that are late or in the way", async () => {
  const page = await loggedIn("/jobs/new");
  await page.getByRole("combobox", { name: "Block strategy" }).click();
  await page.getByRole("option", { name: "Discard later" }).click();
  await page.getByText("the new one is dropped").waitFor();
  await page.getByRole("combobox", { name: "Misfire strategy" }).click();
  await page.getByRole("option", { name: "Fire once now" }).click();
  await page.getByText("it runs once, at once").waitFor();
  await page.getByText("a rule sends to an e-mail channel").waitFor();
});

it("finds an executor by its AppName or its title", async () => {
  const page = await loggedIn("/executors");
  const group = await createGroup(page, `find-${Date.now()}`);
  await page.reload();
  const search = page.getByRole("textbox", { name: "AppName or title" });
  await search.fill(group.app_name.toUpperCase());
  await expect.poll(() => page.getByRole("region").count()).toBe(1);
  await page.getByRole("region", { name: group.title }).waitFor();
  await search.fill(group.title);
  await expect.poll(() => new URL(page.url()).search).toContain("title");
  await page.reload();
  await page.getByRole("region", { name: group.title }).waitFor();
  expect(await page.getByRole("region").count()).toBe(1);
  await search.fill("nothing like this");
  await page.getByText("No group matches").waitFor();
  await page.getByRole("button", { name: "Reset the filters" }).click();
  await page.getByRole("region", { name: group.title }).waitFor();
  await call(page, "DELETE", `/groups/${group.id}`);
});

it("knows the page before another after a reload, and else leads to the first", async () => {
  const page = await loggedIn("/jobs");
  const mark = `paged${Date.now()}`;
  const ids: number[] = [];
  for (let number = 0; number < 21; number++) {
    const job = await createJob(page, { name: `${mark} ${number}`, glue_type: "GLUE_LUA" });
    ids.push(job.id);
  }
  const first = `/jobs?q=${mark}`;
  const row = (number: number) =>
    page.getByRole("link", { name: `${mark} ${number}`, exact: true });
  await page.goto(first);
  await row(20).waitFor();
  await page.getByRole("button", { name: "Next", exact: true }).click();
  await row(0).waitFor();
  await page.reload();
  await row(0).waitFor();
  await page.getByRole("button", { name: "Previous", exact: true }).click();
  await row(20).waitFor();
  await page.getByRole("button", { name: "Next", exact: true }).click();
  await row(0).waitFor();
  // As somebody has it who was sent the address.
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await page.getByRole("button", { name: "First page" }).click();
  await row(20).waitFor();
  expect(page.url()).not.toContain("cursor");
  await call(page, "POST", "/jobs/bulk", { action: "delete", ids });
});

it("shows the job's parameter of a run that was given none, and leads to the job", async () => {
  const page = await loggedIn("/runs");
  const job = await createJob(
    page,
    { name: `given ${Date.now()}`, glue_type: "GLUE_LUA", param: "words of the job" },
    "gw.log('x')",
  );
  const runID = await trigger(page, job.id);
  await waitForEnd(page, runID);
  await page.goto(`/runs/${runID}`);
  await page.getByText("the job's, which is now:").waitFor();
  await page.getByText("words of the job", { exact: true }).waitFor();
  const ide = page.getByRole("main").getByRole("link", { name: "GLUE IDE" });
  expect(await ide.getAttribute("href")).toBe(`/jobs/${job.id}/glue`);
  await page.getByRole("link", { name: "Job settings" }).click();
  await expect
    .poll(() => page.getByRole("textbox", { name: "Job name" }).inputValue())
    .toBe(job.name);
});

it("says on the dashboard what an admin should do something about", async () => {
  const page = await loggedIn("/");
  const warning = "The executors' token is XXL-JOB's default_token. Choose another.";
  await page.route("**/api/v1/system", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), warnings: [warning] } });
  });
  await page.reload();
  await page.getByText(warning).waitFor();
});

it("leads from today's runs, and from figures of a past time, to just these runs", async () => {
  const page = await loggedIn("/");
  const today = page.getByRole("link", { name: "Runs today" });
  await expect.poll(() => today.getAttribute("href")).toContain("from=");
  const now = Date.now();
  const from = new Date(now - 5 * 3_600_000).toISOString();
  await page.goto(`/?from=${from}&to=${new Date(now).toISOString()}`);
  const figure = page.getByRole("region", { name: "Slowest" }).getByRole("link").first();
  await expect.poll(() => figure.getAttribute("href")).toMatch(/from=.*&to=/);
});

it("says which executors a token is for", async () => {
  const page = await loggedIn("/tokens");
  const name = `bound ${Date.now()}`;
  const group = await createGroup(page, `bound-${Date.now()}`);
  const token = await call<{ id: number }>(page, "POST", "/tokens", {
    name,
    role: "viewer",
    group_ids: [group.id],
  });
  await page.reload();
  await page.getByRole("row", { name: new RegExp(name) }).getByText(group.title).waitFor();
  await call(page, "DELETE", `/tokens/${token.id}`);
  await call(page, "DELETE", `/groups/${group.id}`);
});

it("finds the messages of a rule, and keeps the filter in the address", async () => {
  const page = await loggedIn("/");
  const name = `told ${Date.now()}`;
  const job = await createJob(page, { name, glue_type: "GLUE_LUA" }, "error('broken')");
  const channel = await call<{ id: number }>(page, "POST", "/alarm-channels", {
    name,
    kind: "webhook",
    config: { url: "http://127.0.0.1:9/hook" },
  });
  const rule = await call<{ id: number }>(page, "POST", "/alarm-rules", {
    name,
    group_id: job.group_id,
    job_ids: [job.id],
    on: ["failure"],
    channel_ids: [channel.id],
  });
  await trigger(page, job.id);
  await page.goto(`/alarms?tab=history&rule_id=${rule.id}`);
  const entry = page.getByRole("row", { name: new RegExp(name) });
  await entry.waitFor();
  const state = page.getByRole("combobox", { name: "State" });
  await state.click();
  await page.getByRole("option", { name: "Delivered" }).click();
  await page.getByText("Nothing was sent").waitFor();
  expect(page.url()).toContain("state=delivered");
  await page.goto(`/alarms?tab=history&job_id=${job.id}`);
  await entry.waitFor();
  await call(page, "DELETE", `/alarm-rules/${rule.id}`);
  await call(page, "DELETE", `/alarm-channels/${channel.id}`);
});

it("shows the figures of one executor group, and leads to its jobs and runs", async () => {
  const page = await loggedIn("/");
  const title = `quiet ${Date.now()}`;
  const group = await call<Schemas["Group"]>(page, "POST", "/groups", {
    app_name: `quiet-${Date.now()}`,
    title,
  });
  await page.reload(); // the list of groups is kept for a while
  await page.getByRole("combobox", { name: "Executor" }).click();
  await page.getByRole("option", { name: title }).click();
  await page.getByText("started, of 0").waitFor();
  expect(page.url()).toContain(`group_id=${group.id}`);
  await page.getByText("7 d", { exact: true }).click();
  await expect.poll(() => page.url()).toMatch(/range=7d.*group_id=|group_id=.*range=7d/);
  await page.getByRole("main").getByRole("link", { name: "Jobs", exact: true }).click();
  await expect.poll(() => page.url()).toContain(`/jobs?group_id=${group.id}`);
  await call(page, "DELETE", `/groups/${group.id}`);
});
