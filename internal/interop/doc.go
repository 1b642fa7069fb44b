// Package interop proves that peers of XXL-JOB and gluewheel understand each other.
//
// Its ordinary tests replay what real peers of each dialect were recorded to send, byte
// for byte, against a whole admin and a whole executor of ours, and put malformed peers
// in front of both. The tests with the tag "long", `make interop`, build the executor in
// samples/java with several versions of xxl-job-core and run it as processes beside our
// own. A version that cannot be fetched is not a failure, but it is said aloud and
// counted at the end.
//
// The dialects are those of package executor/protocol; A0 is XXL-JOB 2.2, A′ is 3.2.
package interop
