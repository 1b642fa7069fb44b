// Package live decides, on an executor, which version of a job's code is live.
//
// A version is prepared when the first run asks for it and stays ready while runs use
// it or it is the job's newest. When another version comes, the old one is drained: the
// runs in progress end on it, and the last one closes it. Nothing is pushed here; each
// trigger names the version it wants.
//
//	          Acquire            other version, or Forget          last Release
//	absent ─────────────► live ─────────────────────────► draining ────────────► closed
//	            │                                             ▲
//	            └── preparation fails: absent again           └── closed at once when unused
//
// Modules travel by digest: [Modules] keeps what was fetched on disk, checks it against
// its digest at each use, and drops what was used least recently.
package live
