import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { call, createJob, version } from "./api";
import { expectConsoleErrors, loggedIn, server, useBrowser } from "./browser";
import { dropFile } from "./drop";

useBrowser();

it("tags, starts, stops and deletes several jobs at once", async () => {
  const page = await loggedIn("/jobs");
  const mark = `bulk${Date.now()}`;
  for (const name of ["one", "two"]) {
    await createJob(
      page,
      {
        name: `${name} ${mark}`,
        glue_type: "GLUE_LUA",
        schedule_type: "CRON",
        schedule_conf: "0 0 3 * * ?",
      },
      "gw.log('x')",
    );
  }
  await page.goto(`/jobs?q=${mark}`);
  await page.getByRole("row", { name: new RegExp(`two ${mark}`) }).waitFor();
  await page.getByRole("checkbox", { name: "Choose all of this page" }).check();
  const bar = page.getByRole("toolbar", { name: "Chosen jobs" });
  await bar.getByText("2 chosen").waitFor();
  await bar.getByRole("button", { name: "Tags" }).click();
  await page.getByRole("combobox", { name: "Add" }).fill(mark);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await expect.poll(() => page.getByRole("link", { name: mark, exact: true }).count()).toBe(2);
  await bar.getByRole("button", { name: "Start", exact: true }).click();
  await expect.poll(() => page.getByRole("switch", { name: /^Stop / }).count()).toBe(2);
  await bar.getByRole("button", { name: "Stop", exact: true }).click();
  await expect.poll(() => page.getByRole("switch", { name: /^Start / }).count()).toBe(2);
  await bar.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No job matches").waitFor();
});

it("exports a group and sees that an import of it changes nothing", async () => {
  const page = await loggedIn("/exchange");
  const title = `bundle ${Date.now()}`;
  const group = await call<{ id: number }>(page, "POST", "/groups", {
    app_name: `bundle-${Date.now()}`,
    title,
    address_type: 0,
    address_list: [],
  });
  await createJob(page, { name: title, glue_type: "GLUE_LUA", group_id: group.id }, "gw.log('x')");
  await page.reload();
  await page.getByRole("combobox", { name: "Executors" }).click();
  await page.getByRole("option", { name: title }).click();
  await page.keyboard.press("Escape");
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download YAML" }).click();
  await dropFile(page, "group.yaml", readFileSync(await (await download).path()));
  await page.getByText(/^0 of \d+ entries change something/).waitFor();
  expect(await page.getByRole("button", { name: "Apply all of it" }).isDisabled()).toBe(true);
});

it("makes an access token for executors and revokes it", async () => {
  const page = await loggedIn("/executors");
  await page.getByRole("button", { name: "Access tokens" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill(`rack ${Date.now()}`);
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByTestId("token").waitFor();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await dialog.getByText("Executors that use it are refused").waitFor();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await dialog.getByText("None yet").waitFor();
});

it("keeps a secret that nobody sees again, and a variable", async () => {
  const page = await loggedIn("/executors");
  await page.getByRole("button", { name: "Secrets" }).first().click();
  const dialog = page.getByRole("dialog");
  const name = dialog.getByRole("textbox", { name: "Name" });
  const keep = dialog.getByRole("button", { name: "Keep" });
  const remove = async (what: string) => {
    await dialog.getByRole("button", { name: `Delete ${what}` }).click();
    const asked = dialog.getByRole("group", { name: `Delete ${what}` });
    await asked.getByRole("button", { name: "Cancel" }).click();
    await dialog.getByRole("button", { name: `Delete ${what}` }).click();
    await asked.getByRole("button", { name: "Delete" }).click();
    await dialog.getByText("None yet.").waitFor();
  };
  await name.fill("E2E_SECRET");
  await dialog.locator("input[type=password]").fill("hidden words");
  await keep.click();
  await dialog.getByText("E2E_SECRET").waitFor();
  expect(await dialog.textContent()).not.toContain("hidden words");
  await name.fill("E2E_SECRET");
  await dialog.locator("input[type=password]").fill("other words");
  await keep.click();
  await dialog.getByText("There is one of this name already").waitFor();
  await dialog.getByRole("button", { name: "Edit E2E_SECRET" }).click();
  await dialog.locator("input[type=password]").fill("other words");
  await keep.click();
  await dialog.getByRole("button", { name: "Cancel" }).waitFor({ state: "detached" });
  await remove("E2E_SECRET");

  await dialog.getByRole("tab", { name: "Variables" }).click();
  const value = dialog.getByRole("textbox", { name: "Value" });
  await name.fill("E2E_VARIABLE");
  await value.fill("seen words");
  await keep.click();
  await dialog.getByText("seen words").waitFor();
  await dialog.getByRole("button", { name: "Edit E2E_VARIABLE" }).click();
  expect(await value.inputValue()).toBe("seen words");
  const groups = await call<{ items: { id: number }[] }>(page, "GET", "/groups");
  const path = `/groups/${groups.items[0]?.id}/variables/E2E_VARIABLE`;
  const { version: seen } = await call<{ version: number }>(page, "GET", path);
  await call(page, "PUT", path, { value: "of another editor", version: seen });
  await value.fill("late words");
  await keep.click();
  await dialog.getByText("Somebody else has changed it").waitFor();
  expectConsoleErrors(/409/);
  await dialog.getByText("of another editor").waitFor();
  await dialog.getByRole("button", { name: "Edit E2E_VARIABLE" }).click();
  await expect.poll(() => value.inputValue()).toBe("of another editor");
  await value.fill("late words");
  await keep.click();
  await dialog.getByText("late words").waitFor();
  await remove("E2E_VARIABLE");
});

it("makes an alarm channel and a rule that uses it", async () => {
  const page = await loggedIn("/alarms?tab=channels");
  const name = `hook ${Date.now()}`;
  await page.getByRole("button", { name: "New channel" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill(name);
  await dialog.getByRole("textbox", { name: "Address to post to" }).fill("https://example.com/hook");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText(name).waitFor();
  await page.getByRole("tab", { name: "Rules" }).click();
  await page.getByRole("button", { name: "New rule" }).click();
  await dialog.getByRole("textbox", { name: "Name" }).fill(`rule for ${name}`);
  await dialog.getByRole("combobox", { name: "Goes to" }).click();
  await page.getByRole("option", { name }).click();
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText(`rule for ${name}`).waitFor();
  await page.getByRole("tab", { name: "Sent" }).click();
  await page.getByRole("table").waitFor();
  const { items } = await call<{ items: { id: number }[] }>(page, "GET", "/alarm-rules");
  for (const { id } of items) await call(page, "DELETE", `/alarm-rules/${id}`);
});

it("imports a changed bundle after a look at what it changes", async () => {
  const page = await loggedIn("/exchange");
  const app = `import-${Date.now()}`;
  const group = await call<{ id: number }>(page, "POST", "/groups", {
    app_name: app,
    title: app,
    address_type: 0,
    address_list: [],
  });
  const job = await createJob(page, { name: app, glue_type: "GLUE_LUA", group_id: group.id }, "gw.log('x')");
  const exported = await page.context().request.get(`/api/v1/export?group_id=${group.id}`);
  const bundle = (await exported.text()).replace("gw.log('x')", "gw.log('imported')");
  expect(bundle).toContain("imported");
  await dropFile(page, "group.yaml", new TextEncoder().encode(bundle));
  await page.getByText("changed", { exact: true }).first().waitFor();
  await page.getByText("imported").first().waitFor();
  await page.getByRole("button", { name: "Apply all of it" }).click();
  await page.getByRole("button", { name: "Apply all of it" }).waitFor({ state: "detached" });
  await expect
    .poll(async () => (await version(page, job.id, 2)).source)
    .toContain("gw.log('imported')");
});

// Who registers for the first time needs the token that all executors share.
it.skipIf(!server.executorToken)("takes executors in that wait for a group", async () => {
  const page = await loggedIn("/executors");
  const app = `waiting-${Date.now()}`;
  const address = "http://127.0.0.1:9/";
  const registered = await page.context().request.post("/api/registry", {
    headers: { "XXL-JOB-ACCESS-TOKEN": server.executorToken ?? "" },
    data: { registryGroup: "EXECUTOR", registryKey: app, registryValue: address },
  });
  expect(await registered.json()).toMatchObject({ code: 200 });
  const row = page.getByRole("row", { name: new RegExp(app) });
  await row.getByText(address).waitFor();
  await row.getByRole("button", { name: "Accept" }).click();
  await page.getByText(`${app} is a group now.`).waitFor();
  await page.getByRole("region", { name: app }).getByText(address).waitFor();
});
