import type { GlueType } from "../api/types";

/** XXL-JOB's values in the order of its form; their words stand in the language tables. */
export const scheduleTypes = ["NONE", "CRON", "FIX_RATE", "FIX_DELAY", "ONCE"] as const;

export const routeStrategies = [
  "FIRST",
  "LAST",
  "ROUND",
  "RANDOM",
  "CONSISTENT_HASH",
  "LEAST_FREQUENTLY_USED",
  "LEAST_RECENTLY_USED",
  "FAILOVER",
  "BUSYOVER",
  "SHARDING_BROADCAST",
] as const;

export const misfireStrategies = ["DO_NOTHING", "FIRE_ONCE_NOW", "CATCH_UP"] as const;

export const dstPolicies = ["xxl", "run-once"] as const;

export const retryBackoffs = ["FIXED", "EXPONENTIAL"] as const;

export const blockStrategies = ["SERIAL_EXECUTION", "DISCARD_LATER", "COVER_EARLY"] as const;

/** The kinds of job code by their titles, which are the same in every language. */
export const glueTitles: Record<GlueType, string> = {
  BEAN: "BEAN",
  GLUE_LUA: "GLUE(Lua)",
  GLUE_WASM: "GLUE(WebAssembly)",
  GLUE_SHELL: "GLUE(Shell)",
  GLUE_PYTHON: "GLUE(Python3)",
  GLUE_NODEJS: "GLUE(Nodejs)",
  GLUE_PHP: "GLUE(PHP)",
  GLUE_POWERSHELL: "GLUE(PowerShell)",
  GLUE_PYTHON2: "GLUE(Python2)",
  GLUE_GROOVY: "GLUE(Java)",
  GLUE_JS: "GLUE(JavaScript)",
  GLUE_TS: "GLUE(TypeScript)",
};

/** An engine by its title; one that this page does not know by its name. */
export function glueTitle(engine: string): string {
  return (glueTitles as Record<string, string>)[engine] ?? engine;
}

export const glueTypes = Object.keys(glueTitles) as GlueType[];

const scripts: readonly string[] = [
  "GLUE_SHELL",
  "GLUE_PYTHON",
  "GLUE_PYTHON2",
  "GLUE_NODEJS",
  "GLUE_PHP",
  "GLUE_POWERSHELL",
  "GLUE_GROOVY",
];

/** Whether the code runs outside the sandbox, where nothing is granted to it. */
export function isScript(glueType: string): boolean {
  return scripts.includes(glueType);
}

/** Whether the job's code is edited and versioned here. */
export function isLive(glueType: string): boolean {
  return glueType !== "BEAN";
}
