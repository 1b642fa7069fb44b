// Package wire serves what executors call: XXL-JOB's registry, registryRemove and
// callback, below /api and /xxl-job-admin/api, and gluewheel's /gw/artifact.
//
// Every answer of the protocol is HTTP status 200 with an envelope that both
// generations of Java clients read. No token, no service: without a configured token
// everything is refused. A registration is taken at once and stored soon after; a
// callback is acknowledged when its results are committed, and refused within 2 s when
// the database is away, so that the executor keeps them and sends them again.
package wire
