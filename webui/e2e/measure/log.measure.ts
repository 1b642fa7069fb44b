import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { call, createJob, trigger, waitForEnd } from "../api";
import { loggedIn, useBrowser } from "../browser";
import { bestOf, heapMiB, hold, ms, painted, tell, timed, watchTasks } from "./figures";

useBrowser();

// What is promised of a log of 200 MB, and of one that is being written.
const opened = 2000; // ms until its last line is seen
const seen = 1000; // ms from the writing of a line to its being seen
const longestTask = 200; // ms that scrolling may stop for
const mostHeap = 150; // MiB, of a page that holds a part of a log that is much larger

const bytes = 200_000_000;
const line = "the quick brown fox jumps over the lazy dog and back again, as foxes do"; // 71 bytes
const lines = Math.ceil(bytes / (line.length + 8 + 25)); // with its number and its time
const last = `${String(lines).padStart(7, "0")} ${line}`;

let runID = 0;

beforeAll(async () => {
  const page = await loggedIn("/runs");
  const job = await createJob(page, {
    name: `200 MB ${Date.now()}`,
    glue_type: "GLUE_SHELL",
    timeout_s: 300,
  });
  await call(page, "POST", `/jobs/${job.id}/versions`, {
    source: `awk 'BEGIN { for (i = 1; i <= ${lines}; i++) printf "%07d ${line}\\n", i }'`,
    remark: "writes a long log",
    base_version: 0,
    manifest: { log_bytes: 1 << 28 },
  });
  const took = await timed(async () => {
    runID = await trigger(page, job.id);
    const run = await waitForEnd(page, runID, 800);
    expect(run.state).toBe("succeeded");
  });
  tell(`a run writes ${lines} lines, ${bytes / 1_000_000} MB`, ms(took));
}, 300_000);

it("opens a log of 200 MB at its end, and scrolls through it", { timeout: 300_000 }, async () => {
  const page = await loggedIn("/");
  const log = page.getByRole("log");
  const best = await bestOf(3, async () => {
    await page.goto("/");
    await page.getByText("Executors online").waitFor();
    return timed(async () => {
      await page.goto(`/runs/${runID}`, { waitUntil: "commit" });
      await log.getByText(last).waitFor();
      await painted(log);
    });
  });
  await hold(page, "a log of 200 MB is open at its end", best, opened);

  const longest = await watchTasks(page);
  await log.hover();
  for (let n = 0; n < 150; n++) {
    await page.mouse.wheel(0, -800);
    await page.waitForTimeout(16);
  }
  const above = await firstShown(page);
  tell("… scrolled up from there", `${lines - above} lines`);
  expect(lines - above).toBeGreaterThan(3000);
  expect(above).toBeGreaterThan(1000); // it has not run away to the top

  const toStart = await timed(async () => {
    await page.getByRole("button", { name: "To the first line" }).click();
    await log.getByText(`0000001 ${line}`).waitFor();
  });
  for (let n = 0; n < 100; n++) {
    await page.mouse.wheel(0, 800);
    await page.waitForTimeout(16);
  }
  expect(await firstShown(page)).toBeGreaterThan(2000);
  const toEnd = await timed(async () => {
    await page.getByRole("button", { name: "To the end" }).click();
    await log.getByText(last).waitFor();
  });
  const longestOfAll = await longest();
  await hold(page, "… goes to its first line", toStart, opened);
  await hold(page, "… and back to its end", toEnd, opened);
  await hold(page, "… longest task while scrolling", longestOfAll, longestTask);
  const heap = await heapMiB(page);
  tell("… memory of the page's scripts", `${heap.toFixed(0)} MiB`);
  expect(heap).toBeLessThan(mostHeap);
});

it("finds a line in a log of 200 MB, and goes there", { timeout: 300_000 }, async () => {
  const page = await loggedIn(`/runs/${runID}`);
  const log = page.getByRole("log");
  await log.getByText(last).waitFor();
  const search = page.getByRole("textbox", { name: "Search the log" });
  const wanted = String(Math.floor(lines / 3)).padStart(7, "0");
  const took = await timed(async () => {
    await search.fill(wanted);
    await page.getByText("0 of 1", { exact: true }).waitFor();
  });
  await search.press("Enter");
  await log.locator("mark", { hasText: wanted }).waitFor();
  await expect.poll(() => isInView(page, wanted)).toBe(true);
  tell("… searched from its first line to its last", ms(took));
});

it("downloads a log of 200 MB", { timeout: 300_000 }, async () => {
  const page = await loggedIn(`/runs/${runID}`);
  await page.getByRole("log").getByText(last).waitFor();
  const before = await heapMiB(page);
  let path = "";
  const took = await timed(async () => {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download the whole log" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe(`run-${runID}.log`);
    path = await file.path();
  });
  const { size } = await stat(path);
  tell("… downloaded", `${(size / 1_000_000).toFixed(0)} MB in ${ms(took)}`);
  expect(size).toBeGreaterThan(bytes);
  expect((await heapMiB(page)) - before).toBeLessThan(20); // it went to the disk
  let number = 0;
  for await (const text of createInterface({ input: createReadStream(path) })) {
    if (!text.includes(line)) continue;
    number++;
    if (!text.includes(`${String(number).padStart(7, "0")} `)) {
      expect(text).toContain(`line ${number}`);
    }
  }
  expect(number).toBe(lines);
});

it("shows a line of a log soon after it was written", async () => {
  const page = await loggedIn("/runs");
  const wanted = 24;
  // The executor puts its time in front of each line, on the clock of this machine.
  const job = await createJob(
    page,
    { name: `ticking ${Date.now()}`, glue_type: "GLUE_LUA", timeout_s: 120 },
    `for i = 1, ${wanted + 6} do gw.log("tick " .. i) gw.sleep(370) end`,
  );
  const measured = await bestOf(3, async () => {
    await page.goto(`/runs/${await trigger(page, job.id)}`);
    await page.getByRole("log").getByText("tick 2").waitFor();
    const lags = await page.evaluate(watchTicks, wanted);
    expect(lags.length).toBe(wanted);
    lags.sort((a, b) => a - b);
    const [median, max] = [lags[lags.length / 2] ?? 0, lags.at(-1) ?? Infinity];
    tell(`${lags.length} lines were seen after`, `median ${ms(median)}, max ${ms(max)}`);
    return max;
  });
  await hold(page, "the slowest line, in the best of three runs", measured, seen);
});

/** In the page: waits for ticks that come from now on, and gives how late each was, in ms. */
function watchTicks(wanted: number): Promise<number[]> {
  const box = document.querySelector("[role=log]");
  const ticks = () =>
    [...(box?.textContent ?? "").matchAll(/^(\S+ \S+) tick (\d+)$/gm)].map(([, at, number]) => ({
      // The executor of the test writes UTC.
      at: Date.parse(`${at?.replace(" ", "T")}Z`),
      number: Number(number),
    }));
  let newest = ticks().at(-1)?.number ?? 0;
  const lags: number[] = [];
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      const now = Date.now();
      for (const { at, number } of ticks()) {
        if (number <= newest) continue;
        newest = number;
        lags.push(now - at);
      }
      if (lags.length < wanted) return;
      observer.disconnect();
      resolve(lags.slice(0, wanted));
    });
    if (box) observer.observe(box, { childList: true, subtree: true, characterData: true });
  });
}

/** The number of the first line that is seen of the long log. */
function firstShown(page: Page): Promise<number> {
  return page.evaluate(() => {
    const box = document.querySelector("[role=log]")?.getBoundingClientRect();
    if (!box) return 0;
    for (let y = box.top + 10; y < box.bottom; y += 5) {
      const at = document.caretPositionFromPoint(box.left + 60, y);
      const text = at?.offsetNode.textContent ?? "";
      const start = text.lastIndexOf("\n", (at?.offset ?? 1) - 1) + 1;
      const number = /^\S+ \S+ (\d{7}) /.exec(text.slice(start, start + 60));
      if (number) return Number(number[1]);
    }
    return 0;
  });
}

function isInView(page: Page, text: string): Promise<boolean> {
  return page.evaluate((wanted) => {
    const box = document.querySelector("[role=log]")?.getBoundingClientRect();
    const mark = [...document.querySelectorAll("[role=log] mark")].find(
      ({ textContent }) => textContent === wanted,
    );
    const { top, bottom } = mark?.getBoundingClientRect() ?? { top: 0, bottom: 0 };
    return box !== undefined && bottom > top && top >= box.top && bottom <= box.bottom;
  }, text);
}
