import { accounts } from "./en/accounts";
import { alarms } from "./en/alarms";
import { common } from "./en/common";
import { dashboard } from "./en/dashboard";
import { executors } from "./en/executors";
import { glue } from "./en/glue";
import { jobs } from "./en/jobs";
import { runs } from "./en/runs";
import { settings } from "./en/settings";

/** English. Its keys are the keys of every language. */
export const en = {
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
