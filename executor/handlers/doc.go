// Package handlers holds the handlers that XXL-JOB's sample executor comes with and that
// people's jobs name: demoJobHandler, shardingJobHandler, httpJobHandler and
// commandJobHandler. The executor daemon registers them; a service of one's own may.
//
// They run what a job's parameter says, so that whoever edits a job decides what is
// called. Hence httpJobHandler reaches public addresses only, and of those the hosts that
// the operator lists, if there is a list; and commandJobHandler is there only where the
// operator has switched it on.
package handlers
