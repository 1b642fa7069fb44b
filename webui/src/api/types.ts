import type { components } from "./schema";

type Schemas = components["schemas"];

export type AlarmChannel = Schemas["AlarmChannel"];
export type AlarmChannelInput = Schemas["AlarmChannelInput"];
export type AlarmRule = Schemas["AlarmRule"];
export type AlarmRuleInput = Schemas["AlarmRuleInput"];
export type Artifact = Schemas["Artifact"];
export type ArtifactUse = Schemas["ArtifactUse"];
export type ArtifactDetail = Schemas["ArtifactDetail"];
export type AuditEntry = Schemas["AuditEntry"];
export type BulkInput = Schemas["BulkInput"];
export type Cause = Schemas["RunCause"];
export type DraftInfo = Schemas["DraftInfo"];
export type Executor = Schemas["Executor"];
export type GlueType = Schemas["GlueType"];
export type GroupRole = Schemas["GroupRole"];
export type Grant = Schemas["Grant"];
export type Group = Schemas["Group"];
export type GroupInput = Schemas["GroupInput"];
export type HistoryItem = Schemas["HistoryRun"];
export type ImportPlan = Schemas["Imported"];
export type Job = Schemas["Job"];
export type Manifest = Schemas["Manifest"];
export type Me = Schemas["Me"];
export type Publish = Schemas["PublishInput"];
export type Published = Schemas["VersionPublished"];
export type Rollback = Schemas["RollbackInput"];
export type Run = Schemas["Run"];
export type RunDetail = Schemas["RunDetail"];
export type RunLog = Schemas["RunLog"];
export type ScheduleInput = Schemas["ScheduleInput"];
export type ScheduleType = Schemas["ScheduleType"];
/** Words in both languages. */
export type Sentence = Schemas["Sentence"];
/** A draft as the server keeps it. */
export type ServerDraft = Schemas["Draft"];
export type State = Schemas["RunState"];
export type Token = Schemas["Token"];
export type Trigger = Schemas["TriggerInput"];
export type RunCount = Schemas["RunCount"];
export type Usage = Schemas["Usage"];
/** An account, as administrators see it. */
export type Account = Schemas["User"];
/** Who is logged in, and what they may do: somewhere, and in which groups. */
export type User = Schemas["LoggedIn"] &
  Pick<Schemas["Me"], "rights" | "grants" | "role_everywhere">;
export type Version = Schemas["Version"];
export type VersionInfo = Schemas["VersionInfo"];

/** What of a job can be edited. */
export type JobInput = Required<Schemas["JobInput"]>;
