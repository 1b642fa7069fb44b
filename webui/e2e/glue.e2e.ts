import { expect, it } from "vitest";
import { createJob, findJob, publish } from "./api";
import { expectConsoleErrors, loggedIn, useBrowser } from "./browser";
import { editor, publishWith, replaceSource } from "./editor";

useBrowser();

it("publishes an edited sample, and the next run has the new text in its log", async () => {
  const page = await loggedIn("/jobs?q=hello-lua");
  const job = await findJob(page, "hello-lua");
  const text = `edited at ${Date.now()}`;

  await page
    .getByRole("row", { name: /hello-lua/ })
    .getByRole("link", { name: "GLUE(Lua)" })
    .click();
  await editor(page).waitFor();
  await replaceSource(page, `gw.log("${text}")\n`);
  await publishWith(page, "say something else");
  const number = job.glue_version + 1;
  await page.getByText(`Version ${number} is live.`).waitFor();

  // The schedule fires it within seconds.
  await page.goto(`/runs?job_id=${job.id}&state=%5B%22succeeded%22%5D`);
  const row = page.getByRole("row").filter({ has: page.getByRole("cell", { name: `v${number}` }) });
  await row.first().getByRole("link").first().click();
  await page.getByRole("log").getByText(text).waitFor();

  // And back again.
  await page.goto(`/jobs/${job.id}/glue`);
  await page.getByRole("tab", { name: "Versions" }).click();
  await page
    .getByRole("button", { name: `Roll back to v${job.glue_version}`, exact: true })
    .click();
  await page.getByText(`Version ${number + 1} is live.`).waitFor();
  await expect.poll(() => editor(page).textContent()).not.toContain(text);
});

it("marks a syntax error at its line", async () => {
  const page = await loggedIn("/jobs");
  const job = await createJob(page, { name: `broken ${Date.now()}`, glue_type: "GLUE_LUA" });
  await page.goto(`/jobs/${job.id}/glue`);
  await replaceSource(page, "local a = 1\nlocal b = = 2\n");
  await publishWith(page, "does not parse");
  await page.getByRole("alert").filter({ hasText: "Line 2" }).waitFor();
  await page.locator(".cm-lint-marker-error").waitFor();

  // The editor has the focus again: mend it at once.
  await page.keyboard.press("Control+a");
  await page.keyboard.type("local b = 2");
  await publishWith(page, "parses again");
  await page.getByText("Version 1 is live.").waitFor();
  expectConsoleErrors(/422/);
});

it("restores a draft after the tab was lost", async () => {
  const page = await loggedIn("/jobs");
  const job = await createJob(
    page,
    { name: `draft ${Date.now()}`, glue_type: "GLUE_LUA" },
    "gw.log('live')",
  );
  await page.goto(`/jobs/${job.id}/glue`);
  await replaceSource(page, "gw.log('not yet published')");
  await page.reload();
  await page.getByText("Here is your unpublished draft").waitFor();
  await expect.poll(() => editor(page).textContent()).toContain("not yet published");
  await page.getByRole("button", { name: "Discard it" }).click();
  await expect.poll(() => editor(page).textContent()).toBe("gw.log('live')");
});

it("shows the difference when somebody else has published", async () => {
  const page = await loggedIn("/jobs");
  const job = await createJob(
    page,
    { name: `shared ${Date.now()}`, glue_type: "GLUE_LUA" },
    "gw.log('one')",
  );
  await page.goto(`/jobs/${job.id}/glue`);
  await replaceSource(page, "gw.log('mine')");
  await publish(page, job.id, "gw.log('theirs')", 1);

  await publishWith(page, "my own change");
  const dialog = page.getByRole("dialog", { name: "Somebody else has published" });
  await dialog.getByText("theirs", { exact: false }).first().waitFor();
  await dialog.getByRole("button", { name: "Keep mine and publish" }).click();
  const remark = page.getByRole("textbox", { name: "Remark" });
  await remark.fill("after a look at theirs");
  await remark.press("Enter");
  await page.getByText("Version 3 is live.").waitFor();
  await expect.poll(() => editor(page).textContent()).toBe("gw.log('mine')");
  expectConsoleErrors(/409/);
});
