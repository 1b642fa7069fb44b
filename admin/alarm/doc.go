// Package alarm tells people when jobs go wrong, and when they go well again.
//
//	runs that ended badly, fires that do not start
//	        │ every 2 s, by one admin at a time, in one transaction
//	        ▼
//	judge: rules × signs × what the rules remember
//	        │ same transaction       └─► gathered, for rules that group
//	        ▼
//	outbox (one row a message and channel) ─► deliver ─► e-mail, webhook, chats
//	        ▲                                    │ not delivered: later again
//	        └────────────────────────────────────┘
//
// Nothing of this stands on the path of a fire: the ends of runs are found afterwards, by
// an index on what ended badly. An admin that dies loses nothing: what it judged is in the
// outbox or was not judged, what a rule gathers for its next message is in the database
// too, and a message that it was sending is sent again after its lease. One that stops
// ends what it has begun, and gives back the rest. A message is therefore delivered at least once, in nearly all cases exactly once;
// the delivery id tells a repetition. Each channel has places of its own, so that a server
// that hangs delays its own messages only.
//
// Judge is pure. The words of messages, in Chinese and English, are in this package; how
// they look on a page is not.
package alarm
