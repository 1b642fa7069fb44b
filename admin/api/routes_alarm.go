package api

import (
	"net/http"

	"github.com/gluewheel/gluewheel/admin/auth"
)

// alarmRoutes are those of alarms. Channels are the installation's: every admin of a
// group may use them in rules, and see no secret of them.
func (s *server) alarmRoutes() []route {
	const tag = "alarms"
	return []route{
		{method: get, path: "/alarm-channels", id: "listAlarmChannels", right: auth.AlarmEdit, tag: tag, summary: "List alarm channels", bind: plain(s.listAlarmChannels)},
		{method: post, path: "/alarm-channels", id: "createAlarmChannel", right: auth.SystemAdmin, tag: tag, summary: "Create an alarm channel", bind: plain(s.createAlarmChannel), status: http.StatusCreated},
		{method: get, path: "/alarm-channels/{id}", id: "getAlarmChannel", right: auth.AlarmEdit, tag: tag, summary: "Show an alarm channel", bind: plain(s.getAlarmChannel)},
		{method: put, path: "/alarm-channels/{id}", id: "updateAlarmChannel", right: auth.SystemAdmin, tag: tag, summary: "Replace an alarm channel's fields", bind: plain(s.updateAlarmChannel)},
		{method: del, path: "/alarm-channels/{id}", id: "deleteAlarmChannel", right: auth.SystemAdmin, tag: tag, summary: "Delete an alarm channel that no rule uses", bind: plain(s.deleteAlarmChannel), status: http.StatusNoContent},
		{method: post, path: "/alarm-channels/{id}/test", id: "testAlarmChannel", right: auth.SystemAdmin, tag: tag, summary: "Send a test message now", bind: plain(s.testAlarmChannel), time: testAlarmTime},

		{method: get, path: "/alarm-rules", id: "listAlarmRules", right: auth.AlarmEdit, tag: tag, summary: "List alarm rules", bind: plain(s.listAlarmRules)},
		{method: post, path: "/alarm-rules", id: "createAlarmRule", right: auth.AlarmEdit, tag: tag, summary: "Create an alarm rule", bind: plain(s.createAlarmRule), status: http.StatusCreated},
		{method: get, path: "/alarm-rules/{id}", id: "getAlarmRule", right: auth.AlarmEdit, tag: tag, summary: "Show an alarm rule", bind: onRule(s, s.getAlarmRule)},
		{method: put, path: "/alarm-rules/{id}", id: "updateAlarmRule", right: auth.AlarmEdit, tag: tag, summary: "Replace an alarm rule's fields", bind: onRule(s, s.updateAlarmRule)},
		{method: del, path: "/alarm-rules/{id}", id: "deleteAlarmRule", right: auth.AlarmEdit, tag: tag, summary: "Delete an alarm rule", bind: onRule(s, s.deleteAlarmRule), status: http.StatusNoContent},
		{method: get, path: "/alarms", id: "listAlarms", right: auth.AlarmEdit, tag: tag, summary: "List alarms and their delivery, newest first", bind: plain(s.listAlarms)},
	}
}
