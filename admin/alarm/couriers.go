package alarm

import (
	"context"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/outage"
)

const (
	// perChannel messages are on their way to one channel at the same time: one whose
	// server hangs holds back its own messages only.
	perChannel = 2
	// atOnce messages are on their way in all. It takes half as many channels that hang
	// until those to others wait, for sendTime at most.
	atOnce = 64
)

// couriers deliver what lies in the outbox. One goroutine, that of run, has the fields.
type couriers struct {
	alarms  *Alarms
	busy    map[int32]int  // deliveries under way, by channel
	total   int            // of them
	done    chan delivered // has room for all that are under way, so that none waits to end
	cleared time.Time      // when old messages were deleted last
}

// delivered is the end of one delivery; err is the database's.
type delivered struct {
	channel int32
	err     error
}

func newCouriers(a *Alarms) *couriers {
	return &couriers{alarms: a, busy: map[int32]int{}, done: make(chan delivered, atOnce)}
}

// run delivers until ctx ends and all that were under way have returned.
func (c *couriers) run(ctx context.Context) {
	pace := outage.Pacer{Log: c.alarms.log, What: "deliver alarms"}
	for ctx.Err() == nil {
		err := c.set(ctx)
		if err == nil {
			err = c.clear(ctx)
		}
		if err == nil {
			err = c.wait(ctx)
		}
		pace.After(ctx, err)
	}
	for c.total > 0 {
		if err := c.end(<-c.done); err != nil {
			c.alarms.log.WarnContext(ctx, "alarm not noted before the stop", "err", err)
		}
	}
}

// set takes what is due for channels that have a place, and sends each message off.
func (c *couriers) set(ctx context.Context) error {
	if c.total == atOnce {
		return nil
	}
	// A stop in the middle would leave messages taken that nobody knows of, until the
	// lease ends.
	taking, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTime)
	defer cancel()
	alarms, err := c.alarms.cfg.Store.TakeAlarms(taking, job.AlarmTake{
		Limit: atOnce - c.total, PerChannel: perChannel, Busy: c.busy, Lease: lease,
	})
	if err == nil && ctx.Err() != nil {
		c.giveBack(ctx, alarms)
		return nil
	}
	for i := range alarms {
		m := &alarms[i]
		c.busy[m.ChannelID]++
		c.total++
		go func() { c.done <- delivered{m.ChannelID, c.alarms.deliverOne(ctx, m)} }()
	}
	return err
}

// giveBack leaves to other admins what was taken when this one had to stop.
func (c *couriers) giveBack(ctx context.Context, alarms []job.Alarm) {
	ids := make([]int64, len(alarms))
	for i := range alarms {
		ids[i] = alarms[i].ID
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTime)
	defer cancel()
	if err := c.alarms.cfg.Store.ReturnAlarms(ctx, ids); err != nil {
		c.alarms.log.WarnContext(ctx, "alarms wait for the end of their lease", "err", err)
	}
}

// wait returns when a place is free again, or when it is time to look for messages.
func (c *couriers) wait(ctx context.Context) error {
	pause := time.NewTimer(deliverEvery)
	defer pause.Stop()
	select {
	case d := <-c.done:
		return c.end(d)
	case <-pause.C:
	case <-ctx.Done():
	}
	return nil
}

func (c *couriers) end(d delivered) error {
	c.total--
	if c.busy[d.channel]--; c.busy[d.channel] == 0 {
		delete(c.busy, d.channel)
	}
	return d.err
}

// clear deletes old messages once an hour.
func (c *couriers) clear(ctx context.Context) error {
	if time.Since(c.cleared) < time.Hour {
		return nil
	}
	err := c.alarms.cfg.Store.ClearAlarms(ctx, keep)
	if err == nil {
		c.cleared = time.Now()
	}
	return err
}
