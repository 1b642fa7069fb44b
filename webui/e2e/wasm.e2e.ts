import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createJob, version } from "./api";
import { expectConsoleErrors, loggedIn, useBrowser } from "./browser";
import { dropFile } from "./drop";
import { publishWith, replaceSource } from "./editor";
import { printingModule } from "./wasm-module";

useBrowser();

it("uploads a module by drag and drop, tries it and publishes it", async () => {
  const page = await loggedIn("/jobs/new");
  const name = `module ${Date.now()}`;
  await page.getByRole("textbox", { name: "Job name" }).fill(name);
  await page.getByRole("combobox", { name: "Schedule type" }).click();
  await page.getByRole("option", { name: "None" }).click();
  await page.getByRole("combobox", { name: "Run mode" }).click();
  await page.getByRole("option", { name: "GLUE(WebAssembly)" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name }).waitFor();

  const line = `hello from a module at ${Date.now()}`;
  await dropFile(page, "hello.wasm", printingModule(line));
  await page.getByRole("heading", { name: /hello\.wasm is uploaded/ }).waitFor();
  await page.getByText("wasi_snapshot_preview1.fd_write").waitFor();
  await page.getByText("no version yet").waitFor();
  await page.getByRole("button", { name: "Test run" }).click();
  await page.getByRole("log").getByText(line).waitFor();
  await page.getByRole("button", { name: "Publish" }).click();
  const remark = page.getByRole("textbox", { name: "Remark" });
  await remark.fill("first module");
  await remark.press("Enter");
  await page.getByRole("heading", { name: "Live: version 1" }).waitFor();
});

it("shows how an uploaded module differs, and every job that uses one", async () => {
  const page = await loggedIn("/jobs");
  const name = `differs ${Date.now()}`;
  const job = await createJob(page, { name, glue_type: "GLUE_WASM" });
  const module = printingModule(`the first at ${Date.now()}`);
  const upload = async (content: Uint8Array<ArrayBuffer>, text: string) => {
    await dropFile(page, "differs.wasm", content);
    await page.getByRole("heading", { name: /differs\.wasm is uploaded/ }).waitFor();
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByRole("textbox", { name: "Remark" }).fill(text);
  };
  await page.goto(`/jobs/${job.id}/glue`);
  await upload(module, "the first module");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Live: version 1" }).waitFor();
  await page.getByRole("link", { name: `${name} v1` }).waitFor();

  await upload(printingModule(`the second one at ${Date.now()}`), "the second module");
  const changes = page.getByRole("table", { name: "Changes of the module" });
  await changes.getByText(/^sha256:/).nth(1).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Live: version 2" }).waitFor();
  await page.getByRole("tab", { name: "Versions" }).click();
  await page.getByRole("button", { name: "Show version 2" }).click();
  await changes.getByText(/^sha256:/).nth(1).waitFor();
  await page.keyboard.press("Escape");

  // Another job runs the first module, too.
  const second = await createJob(page, { name: `${name} again`, glue_type: "GLUE_WASM" });
  await page.goto(`/jobs/${second.id}/glue`);
  await upload(module, "the first module again");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Live: version 1" }).waitFor();
  await page.getByRole("link", { name: `${name} again v1` }).waitFor();
  await page.getByRole("link", { name: `${name} v1`, exact: true }).waitFor();
});

it("says why a file is not a module", async () => {
  const page = await loggedIn("/jobs");
  const job = await createJob(page, { name: `no module ${Date.now()}`, glue_type: "GLUE_WASM" });
  await page.goto(`/jobs/${job.id}/glue`);
  await dropFile(page, "notes.txt", new TextEncoder().encode("no module at all"));
  const refusal = page.getByRole("alert").filter({ hasText: "The module was refused" });
  await refusal.getByText("not a WebAssembly module").waitFor();
  expectConsoleErrors(/422/);
});

it("compiles AssemblyScript in the browser, runs it and publishes it", async () => {
  const page = await loggedIn("/jobs");
  const job = await createJob(page, { name: `assembly ${Date.now()}`, glue_type: "GLUE_WASM" });
  await page.goto(`/jobs/${job.id}/glue`);
  await page.getByText("Write AssemblyScript or WAT").click();
  const indented = page.locator(".cm-line").filter({ hasText: /^ +return/ });
  await indented.first().waitFor();
  await replaceSource(
    page,
    (await page.locator(".cm-line").allTextContents()).map((line) => line.trim()).join("\n"),
  );
  await indented.first().waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Format" }).click();
  await indented.first().waitFor();
  await page.getByRole("button", { name: /^Test run/ }).click();
  await page.getByRole("log").getByText("hello from AssemblyScript").waitFor({ timeout: 40_000 });
  await page.getByText("Succeeded", { exact: true }).waitFor();
  await page.getByRole("textbox", { name: "Source code" }).click();
  await publishWith(page, "written in the browser");
  await page.getByText("Version 1 is live.").waitFor({ timeout: 30_000 });
  const { source, artifact } = await version(page, job.id, 1);
  expect(source).toContain("gw_run"); // source and module are kept together
  expect(artifact).toMatch(/^sha256:/);
});

it("marks an error of WebAssembly text at its line, then runs what is mended", async () => {
  const page = await loggedIn("/jobs");
  const job = await createJob(page, { name: `text ${Date.now()}`, glue_type: "GLUE_WASM" });
  await page.goto(`/jobs/${job.id}/glue`);
  await page.getByText("Write AssemblyScript or WAT").click();
  await replaceSource(page, '(module\n  (func (export "gw_run") (result i32)))\n');
  await page.getByText(/Line 2: .*type mismatch/).waitFor({ timeout: 30_000 });
  await page.getByRole("button", { name: "Templates" }).click();
  await page.getByRole("menuitem", { name: "WebAssembly text (WAT)" }).click();
  await page.getByRole("button", { name: /^Test run/ }).click();
  await page.getByRole("log").getByText("hello from WebAssembly text").waitFor();
});

it("gives a module back as a file", async () => {
  const page = await loggedIn("/jobs");
  const job = await createJob(page, { name: `download ${Date.now()}`, glue_type: "GLUE_WASM" });
  await page.goto(`/jobs/${job.id}/glue`);
  const module = printingModule(`to be downloaded at ${Date.now()}`);
  await dropFile(page, "again.wasm", module);
  await page.getByRole("heading", { name: /again\.wasm is uploaded/ }).waitFor();
  await page.getByRole("button", { name: "Publish" }).click();
  const remark = page.getByRole("textbox", { name: "Remark" });
  await remark.fill("first module");
  await remark.press("Enter");
  await page.getByRole("heading", { name: "Live: version 1" }).waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download", exact: true }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^[0-9a-f]{12}\.wasm$/);
  expect(readFileSync(await file.path())).toEqual(Buffer.from(module));
});

it("finds a module again that was uploaded and not published", async () => {
  const page = await loggedIn("/jobs");
  const job = await createJob(page, { name: `again ${Date.now()}`, glue_type: "GLUE_WASM" });
  await page.goto(`/jobs/${job.id}/glue`);
  const line = `found again at ${Date.now()}`;
  await dropFile(page, "again.wasm", printingModule(line));
  await page.getByRole("heading", { name: /again\.wasm is uploaded/ }).waitFor();
  await page.reload();
  await page.getByRole("combobox", { name: "Or a module that was uploaded before" }).click();
  await page.getByRole("option").first().click(); // the newest
  await page.getByRole("heading", { name: "The module that you chose" }).waitFor();
  await page.getByRole("button", { name: "Test run" }).click();
  await page.getByRole("log").getByText(line).waitFor();
});
