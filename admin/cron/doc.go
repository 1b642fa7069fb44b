// Package cron reads the schedules of jobs and tells when they fire next.
//
// A job's timing is a cron expression, a number of seconds or one instant, cut to a
// time of validity, all behind robfig's Schedule interface. Expressions come in two
// dialects, told apart by the number of fields:
//
//	6 or 7 fields   Quartz, as XXL-JOB reads it, oddities included (own code)
//	5 fields        crontab, read by robfig/cron
//	@daily, @every  robfig's descriptors
//
// A schedule is compiled once into bit sets and is then immutable and safe for
// concurrent use. Next is pure: it takes an instant and gives the first fire
// strictly after it, on a whole second, in the location of its argument; the zero
// time means never. Nothing fires outside the years 1970 to 2126.
//
// # Time zones
//
// The search runs on the wall clock of the schedule's zone, for both dialects, and
// each wall time yields at most one instant. When the clock is set back, a wall
// time that comes twice means its later instant; so every schedule, also one that
// fires each second, is silent during the first pass. When the clock is set forward
// the DST policy decides about wall times that do not exist. Descriptors of the
// form @every count elapsed time and know no wall clock.
//
// # What it never does
//
// It reads no clock, does no I/O but loading a named zone in For, and never panics
// or searches without bound, whatever the expression.
package cron
