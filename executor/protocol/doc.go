// Package protocol holds the wire between admin and executor: XXL-JOB's messages in
// all their dialects, and gluewheel's extensions to them. Both sides share it; it has
// types, constants and encodings, and no behaviour.
//
// Dialects: A0 and A (2.2–3.1) answer with the payload in "content", B (3.3–3.4) and
// C (3.5) in "data"; C triggers at /trigger and wraps callbacks in an object. We
// answer with both payload members, read both, and accept numbers as strings, because
// Java's reader does.
//
// Extensions travel in members and headers that XXL-JOB peers ignore: "gluewheel" in
// a registration, a trigger, a callback, and the path /gw/run for many triggers in
// one request. An executor that declares protocol version 1 answers a repeated log id
// idempotently.
package protocol
