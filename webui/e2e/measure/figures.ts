import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** Says what was measured; the long test shows it. */
export function tell(what: string, figure: string): void {
  process.stdout.write(`MEASURED ${what.padEnd(64)} ${figure}\n`);
}

/** The best of some tries in ms: a machine at work on other things is slow now and then. */
export async function bestOf(tries: number, measure: () => Promise<number>): Promise<number> {
  let best = Infinity;
  for (let n = 0; n < tries; n++) best = Math.min(best, await measure());
  return best;
}

const broken = 4; // times what is promised

/**
 * Tells a figure in ms beside what is promised. It fails only when it is far beyond that:
 * on a machine that is slower or at work on other things, a figure says little about the
 * page, and one that is some times too high says that something is wrong with it. Where
 * the page's scripts run slower, the bound is stretched by as much.
 */
export async function hold(page: Page, what: string, figure: number, promise: number): Promise<void> {
  const slower = await slowness(page);
  const kept = figure < promise ? "" : `, promised: ${ms(promise)}`;
  tell(what, `${ms(figure)}${kept}${slower > 1.2 ? ` where a page runs ${slower.toFixed(1)} times slower` : ""}`);
  expect.soft(figure, what).toBeLessThan(promise * broken * slower);
}

const reference = 15; // ms that a round takes on two cores of 2.1 GHz with nothing else to do
const rounds = 8;

/** How much slower than there a page runs now; at least 1. */
async function slowness(page: Page): Promise<number> {
  const took = await page.evaluate((times) => {
    let begin = 0;
    let length = 0;
    for (let round = 0; round <= times; round++) {
      if (round === 1) begin = performance.now(); // the first one warms up
      const words = Array.from({ length: 60_000 }, (_, n) => `${(n * 7919) % 10_007}`);
      length += words.toSorted().join("").length;
    }
    return length > 0 ? (performance.now() - begin) / times : 0;
  }, rounds);
  return Math.max(1, took / reference);
}

/** How long something takes, in ms. */
export async function timed(action: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await action();
  return performance.now() - begin;
}

/** Waits until what is there was painted, too. */
export async function painted(locator: Locator): Promise<void> {
  await locator.waitFor();
  await locator.page().evaluate(
    () =>
      new Promise<void>((resolve) => {
        requestAnimationFrame(() => setTimeout(resolve));
      }),
  );
}

/** Counts from now on how long the page was busy without a break, in ms. */
export async function watchTasks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const scope = globalThis as unknown as { longest: number };
    scope.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) scope.longest = Math.max(scope.longest, duration);
    }).observe({ type: "longtask" });
  });
  return () => page.evaluate(() => (globalThis as unknown as { longest: number }).longest);
}

/** What the page's scripts hold in memory after a collection, in MiB. */
export async function heapMiB(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize / (1 << 20);
}

export const ms = (figure: number): string => `${figure.toFixed(0)} ms`;
