// Package executor runs jobs for XXL-JOB and gluewheel admins, as a daemon or inside any
// Go service.
//
//	e, err := executor.New(executor.Config{
//		AppName:        "orders",
//		AdminAddresses: []string{"http://127.0.0.1:8080"},
//		Token:          os.Getenv("EXECUTOR_TOKEN"),
//		DataDir:        "/var/lib/orders/executor",
//	})
//	…
//	e.Handle("sendInvoices", func(ctx context.Context, job *executor.Job) error { … })
//	err = e.Run(ctx)
//
// It promises that a trigger it has accepted is run at most once and explained in any
// case: its result reaches an admin, however often the process, the admin or the network
// fails in between. It calls no address but the admins that it was given.
//
// # The way of a trigger
//
//	server ─► screen: known handler or engine? ─► journal.Reserve: seen before? answer again
//	       ─► queue.Admit: block strategy ─► journal.Commit (group commit) ─► answer 200
//	queue  ─► journal.Start ─► live.Acquire ─► Program.Run ─► journal.End ─► callback
//	                                                            admin takes it ─► journal.Ack
//
// # After a crash
//
// Queued triggers run. A run that had begun is reported lost, or runs again when its job
// is marked idempotent. Results that no admin has acknowledged are sent again.
//
// # Stopping
//
// When Run's context ends: no new triggers; the registration is removed; runs and queues
// drain for at most [Config.DrainTimeout]; then they are stopped, with XXL-JOB's words;
// results are flushed; what could not be delivered is sent after the next start.
package executor
