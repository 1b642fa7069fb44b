import { expect, it } from "vitest";
import { call } from "./api";
import { expectConsoleErrors, loggedIn, server, useBrowser } from "./browser";

useBrowser();

const password = "a long enough Passw0rd";

async function createUser(page: Awaited<ReturnType<typeof loggedIn>>, username: string) {
  await page.getByRole("button", { name: "New user" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "User name" }).fill(username);
  await dialog.locator("input[type=password]").fill(password);
  await dialog.getByRole("button", { name: "Add a group" }).click();
  await dialog.getByRole("combobox", { name: "Executor" }).click();
  await page.getByRole("option").first().click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
}

it("creates a user who sees only what the role allows, and deletes it", async () => {
  const page = await loggedIn("/users");
  const username = `viewer-${Date.now()}`;
  await createUser(page, username);
  const row = page.getByRole("row", { name: new RegExp(username) });
  await row.getByText(": Viewer").waitFor();

  const other = await loggedIn("/jobs", { username, password });
  await other.getByRole("heading", { name: "Jobs" }).waitFor();
  expect(await other.getByRole("link", { name: "Users" }).count()).toBe(0);
  expect(await other.getByRole("link", { name: "Audit log" }).count()).toBe(0);
  // Its page would ask for its list once more, and be refused.
  await other.context().close();

  await row.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("checkbox", { name: "Disabled" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await row.getByText("Disabled", { exact: true }).waitFor();
  await row.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await row.waitFor({ state: "detached" });
});

it("refuses a weak password beside its field", async () => {
  const page = await loggedIn("/users");
  await page.getByRole("button", { name: "New user" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "User name" }).fill(`weak-${Date.now()}`);
  await dialog.locator("input[type=password]").fill("a");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText(/choose at least/).first().waitFor();
  expectConsoleErrors(/422/);
});

it("changes one's own password and ends other sessions", async () => {
  const page = await loggedIn("/users");
  const username = `changer-${Date.now()}`;
  await createUser(page, username);
  const other = await loggedIn("/settings", { username, password });
  await other.getByText("this one").waitFor();
  const [old, next, again] = await other.locator("input[type=password]").all();
  await old?.fill(password);
  await next?.fill(`${password} two`);
  await again?.fill("something else");
  await other.getByRole("button", { name: "Change the password" }).click();
  await other.getByText("This is not the same as above.").waitFor();
  await again?.fill(`${password} two`);
  await other.getByRole("button", { name: "Change the password" }).click();
  await other.getByText("The password is changed").waitFor();
  await loggedIn("/jobs", { username, password: `${password} two` });
});

it("makes an API token that works until it is revoked", async () => {
  const page = await loggedIn("/tokens");
  const name = `token ${Date.now()}`;
  await page.getByRole("button", { name: "New token" }).first().click();
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("button", { name: "Create" }).click();
  const token = (await page.getByTestId("token").textContent()) ?? "";
  const ask = () =>
    fetch(`${server.url}/api/v1/jobs`, { headers: { Authorization: `Bearer ${token}` } });
  expect((await ask()).status).toBe(200);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
  const row = page.getByRole("row", { name: new RegExp(name) });
  await row.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await row.waitFor({ state: "detached" });
  expect((await ask()).status).toBe(401);
});

it("shows in the audit log who changed what", async () => {
  const page = await loggedIn("/audit");
  const { items } = await call<{ items: { id: number; version: number; title: string }[] }>(
    page,
    "GET",
    "/groups",
  );
  const group = items[0];
  await call(page, "PUT", `/groups/${group?.id}`, { ...pick(group), title: group?.title });
  await page.reload();
  await page.getByRole("cell", { name: server.user }).first().waitFor();
  await page.getByRole("textbox", { name: "Search" }).fill("nothing like this");
  await page.getByText("No entry").waitFor();
  expect(new URL(page.url()).search).toContain("nothing");
});

function pick(group: object | undefined) {
  const { app_name, title, address_type, address_list, version } = Object(group);
  return { app_name, title, address_type, address_list, version };
}

it("keeps the colours that were chosen", async () => {
  const page = await loggedIn("/settings");
  await page.getByText("Dark", { exact: true }).click();
  const scheme = () => page.locator("html").getAttribute("data-mantine-color-scheme");
  await expect.poll(scheme).toBe("dark");
  await page.reload();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  expect(await scheme()).toBe("dark");
});

it("shows all that was done to one object, with a variable's values", async () => {
  const page = await loggedIn("/audit");
  const app = `audited-${Date.now()}`;
  const group = await call<{ id: number }>(page, "POST", "/groups", { app_name: app, title: app });
  const path = `/groups/${group.id}/variables/REGION`;
  const first = await call<{ version: number }>(page, "PUT", path, { value: "eu-west", version: 0 });
  await call(page, "PUT", path, { value: "eu-north", version: first.version });
  await page.goto(`/audit?group_id=${group.id}`);
  await page.getByRole("link", { name: "variable REGION" }).first().click();
  await page.getByRole("button", { name: "Show what was changed" }).first().click();
  await page.getByText("eu-west").waitFor();
  await page.getByText("eu-north").waitFor();
  expect(await page.getByRole("link", { name: "variable REGION" }).count()).toBe(2);
});
