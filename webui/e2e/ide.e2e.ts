import { expect, it } from "vitest";
import { call, createJob, publish, version } from "./api";
import { expectConsoleErrors, loggedIn, server, useBrowser } from "./browser";
import { editor, publishWith, replaceSource } from "./editor";

useBrowser();

const luaJob = async (page: Awaited<ReturnType<typeof loggedIn>>, source?: string) => {
  const job = await createJob(
    page,
    { name: `ide ${Date.now()}`, glue_type: "GLUE_LUA", timeout_s: 60 },
    source,
  );
  await page.goto(`/jobs/${job.id}/glue`);
  await editor(page).waitFor();
  return job;
};

it("writes, tries, publishes, breaks, rolls back and heals a job", { timeout: 240_000 }, async () => {
  const page = await loggedIn("/jobs/new");
  const name = `main ${Date.now()}`;
  await page.getByRole("textbox", { name: "Job name" }).fill(name);
  await page.getByRole("textbox", { name: "Cron" }).fill("0/2 * * * * ?");
  await page.getByRole("button", { name: "Save" }).click();
  await editor(page).waitFor();
  await replaceSource(page, 'gw.log("works")\n');
  await page.keyboard.press("Control+Enter");
  await page.getByRole("log").getByText("works").waitFor();
  await publishWith(page, "the first version");
  await page.getByText("Version 1 is live.").waitFor();

  await page.goto(`/jobs?q=${encodeURIComponent(name)}`);
  const row = page.getByRole("row", { name: new RegExp(name) });
  await row.getByText("Succeeded").waitFor();

  await row.getByRole("link", { name: "GLUE(Lua)" }).click();
  await editor(page).waitFor();
  await replaceSource(page, 'gw.log("before")\nerror("broken on purpose")\n');
  await publishWith(page, "breaks it");
  await page.getByText("Version 2 is live.").waitFor();
  await page.goto(`/jobs?q=${encodeURIComponent(name)}`);
  await row.getByText("Failed").click();
  await page.getByText(/:2: broken on purpose/).first().waitFor(); // the line of the error

  await page.goto(`/jobs?q=${encodeURIComponent(name)}`);
  await row.getByRole("link", { name: "GLUE(Lua)" }).click();
  await page.getByRole("tab", { name: "Versions" }).click();
  await page.getByRole("button", { name: "Roll back to v1", exact: true }).click();
  await page.getByText("Version 3 is live.").waitFor();
  await page.goto(`/jobs?q=${encodeURIComponent(name)}`);
  await row.getByText("Succeeded").waitFor();
  await row.getByRole("switch").click({ force: true });
  await page.getByText(`${name} is stopped.`).waitFor();
});

it("tries the unsaved code with a parameter and a shard, and publishes nothing", async () => {
  const page = await loggedIn("/jobs");
  const job = await luaJob(page, "gw.log('live')");
  await replaceSource(
    page,
    "local i, n = gw.shard()\ngw.log('got ' .. gw.param() .. ' ' .. i .. '/' .. n)\ngw.result('all well')",
  );
  await page.getByRole("textbox", { name: "Job parameter" }).fill("a parameter");
  await page.getByRole("textbox", { name: "of", exact: true }).fill("4");
  await page.getByRole("textbox", { name: "Shard", exact: true }).fill("2");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("log").getByText("got a parameter 2/4").waitFor();
  await page.getByText("all well", { exact: true }).waitFor();
  await page.getByRole("group", { name: "What it took" }).waitFor();
  expect((await call<{ glue_version: number }>(page, "GET", `/jobs/${job.id}`)).glue_version).toBe(
    1,
  );
});

it("stops a test run", async () => {
  const page = await loggedIn("/jobs");
  await luaJob(page);
  await replaceSource(page, "gw.log('begins')\nwhile true do gw.sleep(50) end");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("log").getByText("begins").waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByText("Killed", { exact: true }).waitFor();
});

it.each([
  ["GLUE_LUA", "local a = = 1", "Line 1"],
  ["GLUE_JS", "let a = 1;\nlet b = ;", "Line 2"],
  ["GLUE_TS", "let a: number = 1;\nlet b: = 2;", "Line 2"],
] as const)("marks an error of %s while one types", async (glue_type, source, line) => {
  const page = await loggedIn("/jobs");
  const job = await createJob(page, { name: `check ${Date.now()}`, glue_type });
  await page.goto(`/jobs/${job.id}/glue`);
  await replaceSource(page, source);
  await page.locator(".cm-lint-marker-error").waitFor();
  await page.getByText(new RegExp(`^${line}:`)).waitFor();
});

it("says that nobody has checked Python, and ticks what was checked", async () => {
  const page = await loggedIn("/jobs");
  const python = await createJob(page, { name: `unchecked ${Date.now()}`, glue_type: "GLUE_PYTHON" });
  await page.goto(`/jobs/${python.id}/glue`);
  await replaceSource(page, "def broken(:\n");
  await page.getByText("not checked: there is no syntax check").waitFor();
  expect(await page.getByRole("img", { name: "no mistake found" }).count()).toBe(0);

  await luaJob(page);
  await replaceSource(page, "gw.log('right')");
  await page.getByRole("img", { name: "no mistake found" }).waitFor();
  await page.route("**/glue/check", (route) => route.fulfill({ status: 422, json: {} }));
  await replaceSource(page, "gw.log('refused')");
  await page.getByText("not checked: the check has failed").waitFor();
  expectConsoleErrors(/422/);
});

it("says that the job was deleted elsewhere", async () => {
  const page = await loggedIn("/jobs");
  const job = await luaJob(page, "gw.log('live')");
  await call(page, "DELETE", `/jobs/${job.id}`);
  await page.getByText("This job was deleted").waitFor();
  await expect.poll(() => editor(page).textContent()).toContain("live");
  expectConsoleErrors(/404/);
});

it("offers to format only where it can", async () => {
  const page = await loggedIn("/jobs");
  const job = await createJob(page, { name: `plain ${Date.now()}`, glue_type: "GLUE_POWERSHELL" });
  await page.goto(`/jobs/${job.id}/glue`);
  await editor(page).waitFor();
  expect(await page.getByRole("button", { name: "Format" }).count()).toBe(0);
});

it("completes and explains gw", async () => {
  const page = await loggedIn("/jobs");
  await luaJob(page);
  await replaceSource(page, "");
  await page.keyboard.type("gw.par");
  await page.getByRole("option", { name: /^param/ }).click();
  await expect.poll(() => editor(page).textContent()).toContain("gw.param(");
  await page.keyboard.type(")");
  await page.locator(".cm-line").first().hover({ position: { x: 40, y: 10 } });
  await page.getByText("The parameter of this run.").waitFor();
});

it("puts a template in and formats JavaScript", async () => {
  const page = await loggedIn("/jobs");
  const job = await createJob(page, { name: `format ${Date.now()}`, glue_type: "GLUE_JS" });
  await page.goto(`/jobs/${job.id}/glue`);
  await editor(page).waitFor();
  await page.getByRole("button", { name: "Templates" }).click();
  await page.getByRole("menuitem", { name: "Call a service" }).click();
  await expect.poll(() => editor(page).textContent()).toContain("gw.http.get");
  await replaceSource(page, "const a={b:1}\ngw.log( a )");
  await page.getByRole("button", { name: "Format" }).click();
  await expect.poll(() => editor(page).textContent()).toContain("const a = { b: 1 };");
});

it("formats shell, and leaves what has a mistake", async () => {
  const page = await loggedIn("/jobs");
  const lines = () => page.locator(".cm-line").allTextContents();
  const job = await createJob(page, { name: `sh ${Date.now()}`, glue_type: "GLUE_SHELL" });
  await page.goto(`/jobs/${job.id}/glue`);
  await editor(page).waitFor();
  await page.getByRole("button", { name: "Templates" }).click();
  await page.getByRole("menuitem", { name: "Part of a broadcast" }).click();
  await expect.poll(() => editor(page).textContent()).toContain("total=$3");
  await replaceSource(page, "for i in 1 2;do # each\necho   $i >&2\ndone");
  await page.getByRole("button", { name: "Format" }).click();
  await expect.poll(lines).toEqual(["for i in 1 2; do # each", "  echo $i >&2", "done", ""]);
  await replaceSource(page, "if true; then");
  await page.getByRole("button", { name: "Format" }).click();
  await page.getByText("cannot be formatted").waitFor();
  expect(await lines()).toEqual(["if true; then"]);
});

it("publishes a manifest and shows it in the difference", async () => {
  const page = await loggedIn("/jobs");
  const job = await luaJob(page, "gw.log('the same')");
  await page.getByRole("tab", { name: "Manifest" }).click();
  await page.getByRole("combobox", { name: "Hosts" }).fill("api.example.com");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Memory" }).fill("64");
  await page.getByRole("button", { name: /^Publish/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("api.example.com").waitFor();
  await dialog.getByRole("textbox", { name: "Remark" }).fill("may call the service");
  await dialog.getByRole("button", { name: "Publish" }).click();
  await page.getByText("Version 2 is live.").waitFor();
  expect((await version(page, job.id, 2)).manifest).toMatchObject({
    hosts: ["api.example.com"],
    memory_bytes: 64 << 20,
  });
});

it("compares any two versions and rolls back in one click", async () => {
  const page = await loggedIn("/jobs");
  const job = await luaJob(page, "gw.log('one')");
  await publish(page, job.id, "gw.log('two')", 1);
  await publish(page, job.id, "gw.log('three')", 2);
  await page.reload();
  await page.getByRole("tab", { name: "Versions" }).click();
  await page.getByRole("button", { name: "Show version 3" }).click();
  const dialog = page.getByRole("dialog", { name: "Version 3" });
  await dialog.getByRole("combobox", { name: "Compare with" }).click();
  await page.getByRole("option", { name: /^v1/ }).click();
  await dialog.getByText("v1 → v3").waitFor();
  await dialog.locator(".cm-merge-a").waitFor();
  await dialog.getByText("One column").click();
  await dialog.locator(".cm-deletedChunk").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Roll back to v1", exact: true }).click();
  await page.getByText("Version 4 is live.").waitFor();
  await expect.poll(() => editor(page).textContent()).toContain("one");
});

it("warns of the same draft in another window and shows the difference", async () => {
  const page = await loggedIn("/jobs");
  const job = await luaJob(page, "gw.log('live')");
  const other = await loggedIn(`/jobs/${job.id}/glue`);
  await editor(other).waitFor();
  await replaceSource(page, "gw.log('typed in the first window')");
  await page.getByText(/Draft saved/).waitFor();
  await other.getByText("You are editing this job in another window").waitFor();
  await other.getByRole("button", { name: "Show the difference" }).click();
  const dialog = other.getByRole("dialog");
  await dialog.getByText("first window").waitFor();
  await dialog.getByRole("button", { name: "Take the other window's" }).click();
  await expect.poll(() => editor(other).textContent()).toContain("first window");
});

it("keeps the draft on the server, for another browser", async () => {
  const page = await loggedIn("/jobs");
  const job = await luaJob(page, "gw.log('live')");
  await replaceSource(page, "gw.log('draft')");
  await page.getByText(/Draft saved/).waitFor();
  const other = await loggedIn(`/jobs/${job.id}/glue`);
  await other.getByText("Here is your unpublished draft").waitFor();
  await expect.poll(() => editor(other).textContent()).toContain("draft");
});

it("warns the second editor and shows what the first one is writing", async () => {
  const page = await loggedIn("/jobs");
  const job = await luaJob(page, "gw.log('live')");
  const username = `second-${Date.now()}`;
  const password = "a long enough Passw0rd";
  await call(page, "POST", "/users", {
    username,
    password,
    role: "user",
    grants: [{ group_id: job.group_id, role: "publisher" }],
  });
  const other = await loggedIn(`/jobs/${job.id}/glue`, { username, password });
  await editor(other).waitFor();
  await replaceSource(page, "gw.log('the first one writes')");
  await page.getByText(/Draft saved/).waitFor();

  await other.getByText(`${server.user} is editing this job, too`).waitFor();
  await other.getByRole("button", { name: "Show the difference" }).click();
  const dialog = other.getByRole("dialog", { name: `What ${server.user} is writing` });
  await dialog.getByText("the first one writes").waitFor();
  await dialog.getByRole("button", { name: /^Put .* text into my editor/ }).click();
  await expect.poll(() => editor(other).textContent()).toContain("the first one writes");
  await other.getByText(/Draft saved/).waitFor();
  await page.getByText(`${username} is editing this job, too`).waitFor();
});

it("suggests the secrets of the group, and says which it does not keep", async () => {
  const page = await loggedIn("/jobs");
  const group = await call<{ id: number }>(page, "POST", "/groups", {
    app_name: `secretive-${Date.now()}`,
    title: "Secretive",
    address_type: 0,
    address_list: [],
  });
  await call(page, "PUT", `/groups/${group.id}/secrets/SHOP_KEY`, { value: "hidden words", version: 0 });
  const job = await createJob(page, {
    name: `manifest ${Date.now()}`,
    glue_type: "GLUE_LUA",
    group_id: group.id,
  });
  await page.goto(`/jobs/${job.id}/glue?tab=manifest`);
  const secrets = page.getByRole("combobox", { name: "Secrets" });
  await secrets.click();
  await page.getByRole("option", { name: "SHOP_KEY" }).click();
  await secrets.fill("NOT_THERE");
  await page.keyboard.press("Enter");
  await page.getByText("no secret of this name yet: NOT_THERE").waitFor();
});

it("marks a syntax error of shell while one types", async () => {
  const page = await loggedIn("/jobs");
  const job = await createJob(page, { name: `check ${Date.now()}`, glue_type: "GLUE_SHELL" });
  await page.goto(`/jobs/${job.id}/glue`);
  await replaceSource(page, "echo one\nif true; then echo two\n");
  await page.locator(".cm-lint-marker-error").waitFor();
});

it("offers templates in every language", async () => {
  const page = await loggedIn("/jobs");
  for (const glue_type of ["GLUE_TS", "GLUE_PYTHON", "GLUE_NODEJS", "GLUE_PHP", "GLUE_POWERSHELL", "GLUE_GROOVY"] as const) {
    const job = await createJob(page, { name: `template ${glue_type} ${Date.now()}`, glue_type });
    await page.goto(`/jobs/${job.id}/glue`);
    await editor(page).waitFor();
    expect((await editor(page).textContent())?.length).toBeGreaterThan(20);
    await page.getByRole("button", { name: "Templates" }).click();
    await page.getByRole("menuitem", { name: "Hello" }).waitFor();
    await page.keyboard.press("Escape");
  }
});
