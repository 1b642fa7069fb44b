import type { Job, JobInput } from "../api/types";

/** A new job with XXL-JOB's defaults. */
export function emptyJob(groupID: number, author: string): JobInput {
  return {
    group_id: groupID,
    name: "",
    description: "",
    author,
    alarm_email: "",
    schedule_type: "CRON",
    schedule_conf: "",
    time_zone: "",
    misfire_strategy: "DO_NOTHING",
    catch_up_limit: 100,
    route_strategy: "FIRST",
    block_strategy: "SERIAL_EXECUTION",
    handler: "",
    param: "",
    timeout_s: 0,
    retry_count: 0,
    retry_delay_s: 0,
    idempotent: false,
    glue_type: "GLUE_LUA",
    child_job_ids: [],
    dst_policy: "xxl",
    valid_from: null,
    valid_until: null,
    retry_backoff: "FIXED",
    retry_max_delay_s: 0,
    retry_jitter_pct: 0,
    discard_is_failure: false,
    pass_result: false,
    children_once: false,
    tags: [],
    max_concurrent: 0,
  };
}

/** What of a job can be edited. */
export function toInput(job: Job): JobInput {
  const blank = emptyJob(job.group_id, job.author);
  const keys = Object.keys(blank) as (keyof JobInput)[];
  return Object.assign(blank, Object.fromEntries(keys.map((key) => [key, job[key] ?? blank[key]])));
}
