// Package e2e drives whole gluewheel processes from outside: admins and executors
// over one PostgreSQL, spoken to by HTTP and killed by signals. It holds what the
// product promises under load and under faults, so its tests take minutes; they
// build only with the tag "long" and run in make test-long.
package e2e
