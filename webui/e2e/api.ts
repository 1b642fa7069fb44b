import type { Page } from "playwright-core";
import type { components } from "../src/api/schema";

type Schemas = components["schemas"];

/** Calls the REST API with the session of the page. */
export async function call<T>(
  page: Page,
  method: string,
  path: string,
  data?: unknown,
): Promise<T> {
  const response = await page.context().request.fetch(`/api/v1${path}`, { method, data });
  if (!response.ok()) {
    throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
  }
  return (response.status() === 204 ? undefined : await response.json()) as T;
}

/** The sample job of that name. */
export async function findJob(page: Page, name: string): Promise<Schemas["Job"]> {
  const list = await call<Schemas["JobList"]>(page, "GET", `/jobs?q=${encodeURIComponent(name)}`);
  const job = list.items.find((item) => item.name === name);
  if (!job) throw new Error(`there is no job ${name}`);
  return job;
}

/** Creates a job without a schedule and publishes its first version, if it has a source. */
export async function createJob(
  page: Page,
  input: Partial<Schemas["JobInput"]> & { name: string; glue_type: Schemas["GlueType"] },
  source?: string,
): Promise<Schemas["Job"]> {
  const groups = await call<Schemas["GroupList"]>(page, "GET", "/groups");
  const job = await call<Schemas["Job"]>(page, "POST", "/jobs", {
    group_id: groups.items[0]?.id,
    author: "e2e",
    schedule_type: "NONE",
    misfire_strategy: "DO_NOTHING",
    catch_up_limit: 100,
    route_strategy: "FIRST",
    block_strategy: "SERIAL_EXECUTION",
    ...input,
  });
  if (source !== undefined) await publish(page, job.id, source, 0);
  return job;
}

export async function publish(page: Page, jobID: number, source: string, baseVersion: number) {
  return call<Schemas["VersionPublished"]>(page, "POST", `/jobs/${jobID}/versions`, {
    source,
    remark: "by the API",
    base_version: baseVersion,
  });
}

/** A version of a job's code. */
export async function version(page: Page, jobID: number, number: number) {
  return call<Schemas["Version"]>(page, "GET", `/jobs/${jobID}/versions/${number}`);
}

/** Runs a job once and gives the run's id. */
export async function trigger(page: Page, jobID: number, param?: string): Promise<number> {
  const body = param === undefined ? {} : { param };
  const answer = await call<Schemas["Triggered"]>(page, "POST", `/jobs/${jobID}/trigger`, body);
  return answer.run_id;
}

/** Waits until a run has ended, and gives it. */
export async function waitForEnd(
  page: Page,
  runID: number,
  mostTries = endTries,
): Promise<Schemas["RunDetail"]> {
  for (let tries = 0; tries < mostTries; tries++) {
    const run = await call<Schemas["RunDetail"]>(page, "GET", `/runs/${runID}`);
    if (run.ended_at) return run;
    await page.waitForTimeout(endPause);
  }
  throw new Error(`run ${runID} did not end`);
}

const endTries = 120;
const endPause = 250; // ms
