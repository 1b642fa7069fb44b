import type { Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import { call, findJob } from "../api";
import type { components } from "../../src/api/schema";
import { newPage, server, useBrowser } from "../browser";
import { editor } from "../editor";
import { hold, tell, timed } from "./figures";

type RunList = components["schemas"]["RunList"];

useBrowser();

// What is promised, from opening the page to a self-written job that fires.
const mostInteractions = 12;
const mostTime = 60_000; // ms

// What a person takes, by the keystroke-level model of Card, Moran and Newell, in ms: to
// think before an act, to point with the mouse, to bring the hand there, to hit a key as
// somebody who does not type for a living.
const think = 1350;
const point = 1100;
const reach = 400;
const key = 280;

/** A person who uses the mouse and fills fields, each of which counts as one interaction. */
class Person {
  interactions = 0;
  pace = 0; // ms that the acts alone take

  constructor(readonly page: Page) {}

  async click(target: Locator): Promise<void> {
    this.interactions++;
    this.pace += think + point;
    await target.click();
  }

  async fill(target: Locator, text: string): Promise<void> {
    this.interactions++;
    this.pace += think + point + reach + text.length * key;
    await target.click();
    await this.page.keyboard.press("Control+a");
    await this.page.keyboard.insertText(text);
  }
}

it("leads a newcomer to a job that fires", async () => {
  const page = await newPage();
  const person = new Person(page);
  const name = "my job";
  const words = `hello ${Date.now() % 1000}`;
  let run: number | undefined;
  const took = await timed(async () => {
    await page.goto("/");
    await person.fill(page.getByRole("textbox", { name: "User name" }), server.user);
    await person.fill(page.locator("input[type=password]"), server.password);
    await person.click(page.getByRole("button", { name: "Log in" }));
    await person.click(page.getByRole("navigation").getByRole("link", { name: "Jobs" }));
    await person.click(page.getByRole("link", { name: "New job" }));
    await person.fill(page.getByRole("textbox", { name: "Job name" }), name);
    await person.fill(page.getByRole("textbox", { name: "Cron" }), "* * * * * ?");
    await person.click(page.getByRole("button", { name: "Save" }));
    await editor(page).waitFor();
    await person.fill(editor(page), `gw.log("${words}")`);
    await person.click(page.getByRole("button", { name: "Publish" }));
    const dialog = page.getByRole("dialog");
    await person.fill(dialog.getByRole("textbox", { name: "Remark" }), "first");
    await person.click(dialog.getByRole("button", { name: "Publish" }));
    await page.getByText(`${name} is started.`).waitFor();
    const { id } = await findJob(page, name);
    const fired = `/runs?cause=schedule&state=succeeded&job_id=${id}`;
    await expect
      .poll(async () => (run = (await call<RunList>(page, "GET", fired)).items[0]?.id), {
        timeout: 20_000,
      })
      .toBeDefined();
  });
  await page.goto(`/runs/${run}`);
  await page.getByRole("log").getByText(words).waitFor();

  tell("from opening the page to a job of one's own that fires", `${person.interactions} interactions`);
  tell("… with a person's pace added", `${((took + person.pace) / 1000).toFixed(0)} s`);
  expect(person.interactions).toBeLessThanOrEqual(mostInteractions);
  await hold(page, "… the machine's part of it", took, mostTime - person.pace);
});
