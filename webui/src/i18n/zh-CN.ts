import type { en } from "./en";
import { accounts } from "./zh-CN/accounts";
import { alarms } from "./zh-CN/alarms";
import { common } from "./zh-CN/common";
import { dashboard } from "./zh-CN/dashboard";
import { executors } from "./zh-CN/executors";
import { glue } from "./zh-CN/glue";
import { jobs } from "./zh-CN/jobs";
import { runs } from "./zh-CN/runs";
import { settings } from "./zh-CN/settings";

/** Simplified Chinese, in the words that XXL-JOB's users know. */
export const zhCN: typeof en = {
  ...common,
  ...jobs,
  ...runs,
  ...glue,
  ...executors,
  ...dashboard,
  ...accounts,
  ...settings,
  ...alarms,
};
