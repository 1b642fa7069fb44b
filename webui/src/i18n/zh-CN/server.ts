import { administration } from "./server/administration";
import { code } from "./server/code";
import { jobs } from "./server/jobs";
import { libraries } from "./server/libraries";
import { requests } from "./server/requests";
import { schedules } from "./server/schedules";

/**
 * What the server says, by its English text or Go format string, letter by letter as it
 * stands in the Go source; a part that is put together there is a %s. In the Chinese one
 * the verbs take their values in order, or by number as %2$s; with %m the value is a text
 * of the server itself, which is looked up in its turn.
 */
export const server: Readonly<Record<string, string>> = {
  ...requests,
  ...jobs,
  ...schedules,
  ...code,
  ...administration,
  ...libraries,
};
