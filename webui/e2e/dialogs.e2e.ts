import { expect, it } from "vitest";
import { call } from "./api";
import { expectConsoleErrors, loggedIn, useBrowser } from "./browser";

useBrowser();

it("says beside its field why a group is refused, and saves it when that is put right", async () => {
  const page = await loggedIn("/executors");
  const app = `dialog-${Date.now()}`;
  await page.getByRole("button", { name: "New group" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "AppName" }).fill(app);
  await dialog.getByRole("textbox", { name: "Title" }).fill(" ");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("This is needed.").waitFor();
  await dialog.getByRole("textbox", { name: "Title" }).fill(app);
  await dialog.getByRole("radio", { name: "By hand" }).check();
  const addresses = dialog.getByRole("textbox", { name: "Addresses" });
  await addresses.fill("no address");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("alert").waitFor();
  expect(await addresses.getAttribute("aria-invalid")).toBe("true");
  expectConsoleErrors(/422/);
  await addresses.fill("http://127.0.0.1:9");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });

  const group = page.getByRole("region", { name: app });
  await group.getByRole("button", { name: "Edit" }).click();
  expect(await addresses.inputValue()).toMatch(/^http:\/\/127\.0\.0\.1:9/);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});

it("edits and deletes alarm rules and channels", async () => {
  const page = await loggedIn("/");
  const name = `card ${Date.now()}`;
  const channel = await call<{ id: number }>(page, "POST", "/alarm-channels", {
    name: `to ${name}`,
    kind: "webhook",
    language: "en",
    config: { url: "https://example.com/hook" },
  });
  await call(page, "POST", "/alarm-rules", { name, on: ["lost"], channel_ids: [channel.id] });
  await page.goto("/alarms");
  const dialog = page.getByRole("dialog");
  await page.getByText(name, { exact: true }).waitFor();
  // Other flows leave cards as well: the newest stands last.
  await page.getByRole("button", { name: "Edit" }).last().click();
  await dialog.getByRole("textbox", { name: "Name" }).fill(`${name} again`);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText(`${name} again`).waitFor();
  await page.getByRole("button", { name: "Delete" }).last().click();
  await page.getByRole("group", { name: "Delete" }).getByRole("button", { name: "Delete" }).click();
  await page.getByText(`${name} again`).waitFor({ state: "detached" });
  await page.getByRole("tab", { name: "Channels" }).click();
  const card = page.getByText(`to ${name}`);
  await card.waitFor();
  await page.getByRole("button", { name: "Delete" }).last().click();
  await page.getByRole("group", { name: "Delete" }).getByRole("button", { name: "Delete" }).click();
  await card.waitFor({ state: "detached" });
});

it("does not overwrite what another editor saved behind an open dialog", async () => {
  const page = await loggedIn("/");
  const name = `raced ${Date.now()}`;
  const theirs = `${name} by another`;
  const channel = { kind: "webhook", config: { url: "https://example.com/hook" } };
  const made = await call<{ id: number; version: number }>(page, "POST", "/alarm-channels", {
    ...channel,
    name,
  });
  await page.goto("/alarms?tab=channels");
  await page.getByText(name, { exact: true }).waitFor();
  await page.getByRole("button", { name: "Edit" }).last().click();
  const dialog = page.getByRole("dialog");
  const field = dialog.getByRole("textbox", { name: "Name" });
  await field.fill(`${name} by me`);
  await call(page, "PUT", `/alarm-channels/${made.id}`, {
    ...channel,
    name: theirs,
    version: made.version,
  });
  // The list behind the dialog learns of it, as when the window is looked at again.
  await expect
    .poll(async () => {
      await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
      return page.getByText(theirs).count();
    })
    .toBe(1);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Somebody else has changed it").waitFor();
  expectConsoleErrors(/409/);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Edit" }).last().click();
  await expect.poll(() => field.inputValue()).toBe(theirs);
});
