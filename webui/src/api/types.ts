import type { components } from "./schema";

type Schemas = components["schemas"];

export type Artifact = Schemas["Artifact"];
export type Cause = Schemas["RunCause"];
export type Executor = Schemas["Executor"];
export type GlueType = Schemas["GlueType"];
export type Group = Schemas["Group"];
export type GroupInput = Schemas["GroupInput"];
export type Job = Schemas["Job"];
export type Publish = Schemas["PublishInput"];
export type Published = Schemas["VersionPublished"];
export type Rollback = Schemas["RollbackInput"];
export type Run = Schemas["Run"];
export type RunDetail = Schemas["RunDetail"];
export type RunLog = Schemas["RunLog"];
export type ScheduleType = Schemas["ScheduleType"];
export type State = Schemas["RunState"];
export type Trigger = Schemas["TriggerInput"];
export type User = Schemas["User"];
export type Version = Schemas["Version"];

/** What of a job can be edited. */
export type JobInput = Required<Schemas["JobInput"]>;
