package cron

// maxSteps bounds a walk: some steps for each month of the years that can match.
const maxSteps = (lastYear - firstYear + 1) * 12 * 4

// walk is match for schedules with days moved off the weekend (15W). XXL-JOB's
// search for those depends on its own steps, so they are followed here. Each round
// moves on the time of day first, then the month and year, then the day:
//
//   - moving forward to such a day keeps the time of day reached so far, so that
//     earlier times of that day are skipped;
//   - the search asks for the smallest number, before moving, that is not before the
//     current day, so a day moved forward is found from earlier days only;
//   - a day moved back to before earliest hides the later numbers of its month for
//     this round.
//
// earliest is an instant in Unix seconds, near a stretch of the zone.
func (s *Schedule) walk(wall, earliest int64, near stretch) (int64, bool) {
	for range maxSteps {
		number, second := s.walkTime(wall)
		wall = number*secondsPerDay + second
		if l := land(s.loc, wall, near); l.gap && s.dst == DSTXXL {
			wall = l.wall
			continue
		}

		year, month, day := dateOf(number)
		y, m := s.matchMonth(year, month)
		if y < 0 {
			return 0, false
		}
		first := dayNumber(y, m, 1)
		if y != year || m != month {
			wall = first * secondsPerDay
			continue
		}

		length := daysIn(year, month)
		date := nextDate(s.near.dates, s.near.last, day, length)
		moved := nearestWeekday(nextDate(s.near.nearDates, s.near.nearLast, day, length), length, first)
		if moved > 0 {
			at := (first+int64(moved)-1)*secondsPerDay + second
			if land(s.loc, at, near).instant < earliest {
				moved = -1
			}
		}
		switch {
		case moved > 0 && (date < 0 || moved < date):
			return (first+int64(moved)-1)*secondsPerDay + second, true
		case date == day:
			return wall, true
		case date > 0:
			wall = (first + int64(date) - 1) * secondsPerDay
		default:
			wall = (first + int64(length)) * secondsPerDay
		}
	}
	return 0, false
}

// walkTime moves wall on to the next matching time of day, if need be tomorrow's.
func (s *Schedule) walkTime(wall int64) (number, second int64) {
	number, second = floorDiv(wall, secondsPerDay)
	if matched, ok := s.matchTime(second); ok {
		return number, matched
	}
	return number + 1, s.firstTime
}

// nearestWeekday moves a day of a month off the weekend without leaving the month:
// Saturday to Friday, Sunday to Monday, and the other way at the month's ends.
func nearestWeekday(day, length int, first int64) int {
	if day < 1 {
		return day
	}
	switch weekdayOf(first + int64(day) - 1) {
	case 6:
		if day == 1 {
			return 3
		}
		return day - 1
	case 0:
		if day == length {
			return day - 2
		}
		return day + 1
	}
	return day
}
