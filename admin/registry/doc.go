// Package registry knows which executors are there, and gives up the runs of those
// that are not.
//
// Heartbeats arrive at any admin, are stored in batches, and are read back every second
// by all. An executor that was silent for 90 s is dead; silence counts from the end of
// the last outage at the earliest, since beats that could not be stored prove nothing.
// The addresses of a group are the sorted ones of its live executors, or the list that
// was entered for it. Beats of app names without a group are kept until there is one, a
// bounded number of them. Who is sent what to prove that it is the admin, package access
// decides.
//
// A run is lost when
//
//	one of our executors beats and does not list it among those it holds   executor_restart, result_lost
//	one of our executors is dead                                           executor_gone
//	a foreign executor is dead and the run is ten minutes old              result_lost
//	nothing was ever registered at its address, the run is ten minutes
//	old and the address has not answered /beat for 90 s                    result_lost
//
// The last line differs from XXL-JOB, which gives up every run of an address that was
// entered by hand after ten minutes, because no such address is in its registry.
package registry
