import type { Page } from "playwright-core";
import { it } from "vitest";
import { loggedIn, newPage, useBrowser } from "../browser";
import { bestOf, hold, painted, timed, watchTasks } from "./figures";

useBrowser();

// What is promised for 10,000 jobs and a million runs.
const firstContent = 1000; // ms until a list shows its first entries
const longestTask = 200; // ms that paging and scrolling may stop for

const job = 'tbody a[href^="/jobs/"]';
const run = 'tbody a[href^="/runs/"]';

const views = [
  { path: "/", content: ".chart-bar:not(:disabled)" },
  { path: "/jobs", content: job },
  { path: "/jobs?q=orders&sort=name", content: job },
  { path: "/jobs?sort=-next_fire", content: job },
  { path: "/runs", content: run },
  { path: "/runs?state=%5B%22failed%22%5D", content: run },
  { path: "/runs?job_id=77", content: run },
  { path: "/runs?group_id=107", content: run },
];

it("shows the first content of every list in time, in a browser that knows nothing", async () => {
  const known = await loggedIn("/jobs");
  await known.locator(job).first().waitFor();
  const storageState = await known.context().storageState();
  for (const { path, content } of views) {
    const best = await bestOf(3, async () => {
      const page = await newPage({ storageState });
      const took = await timed(async () => {
        await page.goto(path, { waitUntil: "commit" });
        await painted(page.locator(content).first());
      });
      await page.context().close();
      return took;
    });
    await hold(known, `first content of ${path}`, best, firstContent);
  }
});

it("pages, filters and sorts ten thousand jobs without a hitch", async () => {
  const page = await loggedIn("/jobs");
  await page.getByText("10000", { exact: false }).first().waitFor();
  const longest = await watchTasks(page);
  const slowest = await walk(page, job, 15);
  await scroll(page);
  const filtered = await timed(async () => {
    await page.getByRole("textbox", { name: "Job name" }).fill("orders 7777");
    await page.getByText("sync orders 7777").waitFor();
    await page.locator("tbody tr").nth(1).waitFor({ state: "detached" });
  });
  await page.getByRole("textbox", { name: "Job name" }).fill("");
  await page.locator("tbody tr").nth(10).waitFor();
  const sorted = await timed(async () => {
    await page.getByRole("columnheader").getByRole("button", { name: "Job name" }).click();
    await page.getByText("bill 1003", { exact: true }).waitFor();
  });
  const longestOfAll = await longest();
  await hold(page, "jobs: slowest of 15 pages", slowest, firstContent);
  await hold(page, "jobs: one of 10,000 found by a part of its name", filtered, firstContent);
  await hold(page, "jobs: sorted by name", sorted, firstContent);
  await hold(page, "jobs: longest task while doing so", longestOfAll, longestTask);
});

it("pages through a million runs without a hitch", async () => {
  const page = await loggedIn("/runs?state=%5B%22succeeded%22%5D");
  await page.locator(run).first().waitFor();
  const longest = await watchTasks(page);
  const slowest = await walk(page, run, 15);
  await scroll(page);
  const longestOfAll = await longest();
  await hold(page, "runs: slowest of 15 pages", slowest, firstContent);
  await hold(page, "runs: longest task while doing so", longestOfAll, longestTask);
});

/** Goes through the pages of a list, and gives how long the slowest one took, in ms. */
async function walk(page: Page, entry: string, pages: number): Promise<number> {
  let slowest = 0;
  for (let n = 0; n < pages; n++) {
    const before = await page.locator(entry).first().textContent();
    const took = await timed(async () => {
      await page.getByRole("button", { name: "Next", exact: true }).click();
      await painted(page.locator(entry).first().filter({ hasNotText: before ?? "" }));
    });
    slowest = Math.max(slowest, took);
  }
  return slowest;
}

/** Scrolls down and up again as a wheel does. */
async function scroll(page: Page): Promise<void> {
  await page.mouse.move(700, 400);
  for (const step of [...Array<number>(15).fill(120), ...Array<number>(15).fill(-120)]) {
    await page.mouse.wheel(0, step);
    await page.waitForTimeout(16);
  }
}
