import { expect, it } from "vitest";
import { call, createJob } from "./api";
import { expectConsoleErrors, forgiveConsoleErrors, loggedIn, newPage, server, typeLogin, useBrowser } from "./browser";
import { editor, replaceSource } from "./editor";

useBrowser();

it("says that a password is wrong and keeps the name", async () => {
  const page = await newPage();
  await page.goto("/runs?state=%5B%22failed%22%5D");
  await typeLogin(page, "wrong");
  await page.getByText("The user name or the password is wrong").waitFor();
  expectConsoleErrors(/401 .*\/login/);

  expect(await page.locator("input[autocomplete=username]").inputValue()).toBe(server.user);
  await typeLogin(page, server.password);
  await page.getByRole("heading", { name: "Trigger log" }).waitFor();
  expect(new URL(page.url()).search).toContain("failed"); // the deep link is kept
});

it("speaks the browser's language and switches", async () => {
  const page = await loggedIn("/jobs", { locale: "zh-CN" });
  await page.getByRole("heading", { name: "任务管理" }).waitFor();
  await page.getByRole("button", { name: "语言" }).click();
  await page.getByRole("menuitem", { name: "English" }).click();
  await page.getByRole("heading", { name: "Jobs" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Jobs" }).waitFor();
  expect(await page.locator("html").getAttribute("lang")).toBe("en");
});

it("keeps what was typed when the session ends", async () => {
  const page = await loggedIn("/jobs");
  const job = await createJob(page, { name: `expiring ${Date.now()}`, glue_type: "GLUE_LUA" });
  await page.goto(`/jobs/${job.id}/glue`);
  await replaceSource(page, 'gw.log("typed before the session ended")');
  await page.getByText(/Draft saved/).waitFor();

  await page.keyboard.press("Control+s");
  const remark = page.getByRole("textbox", { name: "Remark" });
  await remark.fill("survives the session");
  await page.context().clearCookies();
  await remark.press("Enter");

  const dialog = page.getByRole("dialog", { name: "Your session has ended" });
  await dialog.waitFor();
  await dialog.locator("input[type=password]").fill(server.password);
  await dialog.getByRole("button", { name: "Log in" }).click();

  // The publish that was refused goes on by itself.
  await page.getByText("Version 1 is live.").waitFor();
  await expect.poll(() => editor(page).textContent()).toContain("typed before the session ended");
  expectConsoleErrors(/401/);
});

it("shows that the admin is stopped and recovers", async () => {
  const page = await loggedIn("/jobs/new");
  const name = page.getByRole("textbox", { name: "Job name" });
  await name.fill("typed while it was up");
  await page.context().route("**/*", (route) => route.abort("connectionrefused"));
  await page.getByRole("textbox", { name: "Cron" }).fill("0 0 * * * ?"); // asks for a preview
  await page.getByText("The admin does not answer").waitFor();

  await page.context().unrouteAll();
  await page.getByText("The admin does not answer").waitFor({ state: "detached" });
  expect(await name.inputValue()).toBe("typed while it was up");
  expectConsoleErrors(/ERR_CONNECTION_REFUSED/);
});

it("waits when another tab has logged out, and notices somebody else", async () => {
  const page = await loggedIn("/jobs");
  const username = `tabs-${Date.now()}`;
  const password = "a long enough Passw0rd";
  await call(page, "POST", "/users", { username, password, role: "auditor" });
  const other = await page.context().newPage();
  await other.goto("/jobs/new");
  const name = other.getByRole("textbox", { name: "Job name" });
  await name.fill("typed in the second tab");

  await page.getByRole("button", { name: server.user }).click();
  await page.getByRole("menuitem", { name: "Log out" }).click();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  await other.getByRole("dialog", { name: "Your session has ended" }).waitFor();

  await typeLogin(page, password, username);
  await page.getByRole("button", { name: username }).waitFor();
  const dialog = other.getByRole("dialog", { name: "Somebody else is logged in now" });
  await dialog.waitFor();

  // Its own person comes back: the tab goes on, and the first one notices in its turn.
  await dialog.locator("input[type=password]").fill(server.password);
  await dialog.getByRole("button", { name: "Log in", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await name.inputValue()).toBe("typed in the second tab");
  const first = page.getByRole("dialog", { name: "Somebody else is logged in now" });
  await first.getByRole("button", { name: /^Go on with the other account/ }).click();
  await page.getByRole("button", { name: server.user }).waitFor();
  forgiveConsoleErrors(/401/);
});

it("logs out", async () => {
  const page = await loggedIn("/jobs");
  await page.getByRole("button", { name: server.user }).click();
  await page.getByRole("menuitem", { name: "Log out" }).click();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  forgiveConsoleErrors(/401/); // of a list that was asked for as the session ended
});
