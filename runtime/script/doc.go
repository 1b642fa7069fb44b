// Package script runs jobs written for an interpreter: shell, Python, Node.js, PHP and
// PowerShell, under the names, arguments and file names that XXL-JOB uses.
//
// A script is a file <dir>/<jobId>_<version>.<suffix>, started with its own path by the
// interpreter, and with exactly three arguments: the parameter (one argument, whatever
// it holds), the shard's index and the number of shards. There is no shell in between.
// The environment is clean but for PATH, HOME, LANG, TMPDIR and what the job may want
// to know (GW_RUN_ID, GW_JOB_ID, GW_PARAM, GW_SHARD_INDEX, GW_SHARD_TOTAL, GW_ATTEMPT,
// GW_FIRE_AT, GW_TIMEOUT_MS); XXL-JOB passes the executor's whole environment on,
// secrets included.
//
// Standard output and error are the log. Exit code 0 is success. A script that is
// stopped gets SIGTERM, then the grace, then SIGKILL for everything it has started;
// so does what it leaves in the background when it ends.
//
// Scripts have the rights of the executor: they are not sandboxed, only bounded.
package script
