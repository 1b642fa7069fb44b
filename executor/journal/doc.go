// Package journal keeps an executor's promises on disk: which triggers it accepted,
// which began, how they ended, and which results the admin has acknowledged.
//
// It promises that what was acknowledged to an admin survives a kill -9 and a power
// cut, that no trigger (a log id and its planned second) is accepted twice within
// [SeenFor], and that nothing accepted vanishes. It never decides what to do with what it kept: the executor reads
// [Journal.Recover] after a restart and runs, reports or re-sends.
//
// # States of a trigger
//
//	         Commit             Start              End              Ack
//	reserved ──────► accepted ────────► started ────────► ended ────────► (gone, id seen)
//	    │ Release        │                                  ▲
//	    ▼                └──────────────────────────────────┘ dropped unrun
//	 (unknown)
//
//	after a restart:  accepted → run it · started → lost, or run again when idempotent
//	                  ended → send the result again
//
// # On disk
//
// One append-only file a generation. A generation opens with a snapshot of the whole
// state; records with a CRC each follow. When it has grown too far the next generation
// is written beside it, synced and renamed into place, so that there is always one
// complete file. A torn tail is dropped: nothing in it was acknowledged.
//
// Callers that arrive while a sync is running share the next one (group commit).
//
// # Failures
//
//	disk full, I/O error │ Commit and Start fail with a clear error; End and Ack are kept in
//	                     │ memory; the next write begins a new generation from memory
//	state over MaxBytes  │ Commit fails with ErrFull; everything else goes on
//	second process       │ Open fails with ErrLocked
package journal
