// Package audit carries what is known of a change from the request that asks for it to
// the transaction that makes it.
//
// The API puts a [Note] into the context of every operation that may change something:
// who asks, what for, from where. Whoever knows more on the way adds it with [Record]:
// the API the object as it was and the input, the store the object as it became. The
// store writes the note as a row of the audit log inside the first transaction of that
// context that changes anything, so that neither exists without the other; the note is
// then settled. A change that has no transaction of ours (a kill is a call to an
// executor) is written down by the API before it is made.
//
// Nothing secret goes in: fields are left out by their name or their tag, see [Fields].
//
// The package has no SQL and no handlers.
package audit
