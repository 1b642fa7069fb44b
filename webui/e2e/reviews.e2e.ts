import { expect, it } from "vitest";
import type { components } from "../src/api/schema";
import { call, createJob } from "./api";
import { loggedIn, useBrowser } from "./browser";
import { editor, publishWith, replaceSource } from "./editor";

useBrowser();

it("lets new code go live when another publisher has approved it", async () => {
  const page = await loggedIn("/executors");
  const app = `eyes-${Date.now()}`;
  await page.getByRole("button", { name: "New group" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("AppName").fill(app);
  await dialog.getByLabel("Title").fill("Four eyes");
  await dialog.getByLabel("New code needs a second pair of eyes").check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const groups = await call<components["schemas"]["GroupList"]>(page, "GET", "/groups?limit=500");
  const group = groups.items.find((item) => item.app_name === app);
  expect(group?.require_review).toBe(true);
  const job = await createJob(page, { name: app, glue_type: "GLUE_LUA", group_id: group?.id });
  await call(page, "POST", "/users", {
    username: app,
    password: "a long password",
    role: "user",
    grants: [{ group_id: group?.id, role: "publisher" }],
  });

  await page.goto(`/jobs/${job.id}/glue`);
  await editor(page).waitFor();
  await replaceSource(page, 'gw.log("seen by two")\n');
  await publishWith(page, "look at it, please");
  await page.getByText("Version 1 waits until another publisher has approved it.").waitFor();
  await page.getByRole("button", { name: "Show version 1" }).click();
  await page.getByText("You have published this version yourself").waitFor();

  const other = await loggedIn("/reviews", { username: app, password: "a long password" });
  await other.getByRole("button", { name: "Look at it" }).click();
  await other.getByRole("button", { name: "Approve: it is live at once" }).click();
  await other.getByText("Version 1 is live.").waitFor();
  await other.getByText("Nothing waits for approval").waitFor();
  const after = await call<components["schemas"]["Job"]>(page, "GET", `/jobs/${job.id}`);
  expect(after.glue_version).toBe(1);
});
