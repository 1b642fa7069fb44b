// Package pg runs a private PostgreSQL server for gluewheel standalone and for tests.
//
// The server's home directory belongs to it alone and holds everything:
//
//	lock           flock of the process that runs the server; ends with that process
//	data/          the cluster (PGDATA)
//	run/           the Unix socket, reachable by the owner only
//	log/           a file for each weekday, overwritten a week later
//	pg_hba.conf, pg_ident.conf
//
// There is no TCP listener and no password: the kernel tells the server who is at the
// other end of the socket (peer authentication), and only the user that started the
// server and the one it runs as are let in.
//
// As root the server runs as an unprivileged user, since PostgreSQL refuses to run as
// root: the owner of an existing cluster, else postgres, else nobody. Where that user
// cannot enter the home directory (a clone below /root), the home moves to
// /var/lib/gluewheel and a link is left in its place.
//
// What happens when something fails:
//
//	this process is killed       the kernel tells the server to shut down (Linux); what is
//	                             left of it is stopped at the next Start
//	the server dies              it is started again, at most once a second
//	a second Start on one home   refused with ErrInUse
//	the machine loses power      PostgreSQL's own recovery at the next Start
package pg
