// Package proc runs child processes that end for certain, with everything they started.
//
// A [Supervisor] starts each command inside a fence of its own, the best that the
// machine and the rights of this process allow:
//
//	cgroup        a fresh control group; one write kills all in it (cgroup.kill), or,
//	              on older kernels, its processes are killed until none is left
//	pid namespace a shim is the first process of a new namespace: the kernel ends all
//	              others with it
//	sub-reaper    the shim adopts whatever loses its parent, and kills all it has
//	process group the group alone is killed: a process that calls setsid escapes
//
// The first three hold daemons too: setsid and double forks do not leave them.
// The fence also bounds memory and processes where a control group can do that.
// A sealed command has no capabilities, can get none, and where this process may make a
// network namespace, it has an empty one. [Supervisor.Methods] says what is in use.
//
// A process goes through these states:
//
//	running ── ends by itself ─────────────────────────────┐
//	   │ context cancelled: Stop (SIGTERM to the group)     ▼
//	stopping ── ends within the grace ───────────► sweeping: the rest of the tree is
//	   │ grace over: Kill (SIGKILL to the tree)             │ killed, output drained,
//	   └──────────────────────────────────────────► ────────┤ the fence removed
//	                                                        ▼
//	                                                      done
//
// What a command leaves in the background is killed when the command itself has ended:
// a run is over when its processes are. XXL-JOB lets such processes live.
//
// Every wait has a bound. A process that even SIGKILL does not end (it sleeps in the
// kernel, uninterruptible) is reported as surviving and waited for in the background.
// If this process is killed itself, its direct children die with it and the fences that
// are left are cleared by the next Supervisor on the machine.
//
// The package needs Linux. It knows nothing of languages or jobs.
package proc
