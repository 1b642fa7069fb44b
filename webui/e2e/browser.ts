import { mkdirSync } from "node:fs";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";

/** What a test gets from the environment. */
export const server = {
  url: required("GW_URL").replace(/\/$/, ""),
  user: required("GW_USER"),
  password: required("GW_PASSWORD"),
  /** The token that executors share; without it nobody can pretend to be one. */
  executorToken: process.env.GW_EXECUTOR_TOKEN,
};

/** Who comes, and with what browser. */
interface Visitor {
  locale?: string;
  colorScheme?: "light" | "dark";
  username?: string;
  password?: string;
  /** What the browser keeps of an earlier visit. */
  storageState?: BrowserContextOptions["storageState"];
}

const stepTimeout = 30_000; // ms that one step of a flow may take
const executablePath = process.env.GW_CHROMIUM ?? "/usr/bin/chromium";
const screenshots = new URL("screenshots/", import.meta.url).pathname;

let browser: Browser;
let contexts: BrowserContext[] = [];
let consoleErrors: string[] = [];

/** Call once in a file: starts Chromium, and fails a test that leaves an error in the console. */
export function useBrowser(): void {
  beforeAll(async () => {
    const args = ["--disable-gpu", "--disable-background-networking"];
    // Chromium's own sandbox needs rights that root in a container does not have.
    if (process.getuid?.() === 0) args.push("--no-sandbox");
    browser = await chromium.launch({ executablePath, args });
  });
  afterAll(() => browser.close());
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") {
      // Said at once: of a test that passes when it is tried again, nothing else tells why.
      const why = task.result.errors?.map(({ message, stack }) => `${message}\n${stack ?? ""}`);
      process.stdout.write(`FAILED: ${task.name}\n${why?.join("\n") ?? ""}\n`);
      await takeScreenshot(task.name);
    }
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
    expect(consoleErrors).toEqual([]);
  });
}

/** A page of a new visitor whose browser speaks English. */
export async function newPage(options: Visitor = {}): Promise<Page> {
  if (contexts.length === 0) consoleErrors = [];
  const context = await browser.newContext({
    baseURL: server.url,
    locale: options.locale ?? "en-US",
    colorScheme: options.colorScheme,
    storageState: options.storageState,
    viewport: { width: 1360, height: 820 },
  });
  contexts.push(context);
  const page = await context.newPage();
  page.setDefaultTimeout(stepTimeout);
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") {
      consoleErrors.push(`${message.text()} ${message.location().url}`);
    }
  });
  page.on("pageerror", (error) => consoleErrors.push(String(error)));
  return page;
}

/** Takes errors out of the console's list that the test has provoked. */
export function expectConsoleErrors(pattern: RegExp): void {
  expect(consoleErrors.filter((text) => pattern.test(text))).not.toEqual([]);
  forgiveConsoleErrors(pattern);
}

/** The same for errors that come only when something happens at just the wrong moment. */
export function forgiveConsoleErrors(pattern: RegExp): void {
  consoleErrors = consoleErrors.filter((text) => !pattern.test(text));
}

async function takeScreenshot(test: string): Promise<void> {
  const path = `${screenshots}${test.replaceAll(/\W+/g, "-")}.png`;
  mkdirSync(screenshots, { recursive: true });
  await contexts.at(-1)?.pages()[0]?.screenshot({ path });
}

/** A page of the user, logged in and at a path. */
export async function loggedIn(path: string, options: Visitor = {}): Promise<Page> {
  const page = await newPage(options);
  await page.goto(path);
  await typeLogin(page, options.password ?? server.password, options.username);
  await page.getByRole("navigation").waitFor();
  return page;
}

export async function typeLogin(
  page: Page,
  password: string,
  username = server.user,
): Promise<void> {
  await page.locator("input[autocomplete=username]").fill(username);
  await page.locator("input[autocomplete=current-password]").fill(password);
  await page.locator("form button[type=submit]").click();
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}: the tests drive a running gluewheel standalone.`);
  return value;
}
