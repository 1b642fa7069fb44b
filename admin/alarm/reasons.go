package alarm

import "github.com/gluewheel/gluewheel/admin/job"

// byAdmin are the reasons whose message is the admin's own sentence, and tells nothing that
// the reason does not.
var byAdmin = []string{
	job.ReasonNoExecutor, job.ReasonTakenOver, job.ReasonLostExecutor, job.ReasonLostRestart, job.ReasonLostResult,
	job.ReasonMisfire, job.ReasonMisfireRange, job.ReasonStopped, job.ReasonRescheduled, job.ReasonDeleted,
	job.ReasonExpanded, job.ReasonPoisoned,
}

// The reasons in words; those of the page are in webui/src/i18n. Codes without a constant
// in admin/job are said by executors only: executor/protocol has them.
var (
	englishReasons = map[string]string{
		job.ReasonOK:              "it went well",
		job.ReasonHandlerFailed:   "the job's own code failed",
		job.ReasonTimeout:         "it took longer than its timeout",
		job.ReasonKilled:          "stopped by a person",
		job.ReasonCoverEarly:      "a later run took its place",
		job.ReasonShutdown:        "the executor was shut down",
		job.ReasonDiscardLater:    "an earlier run was still there",
		job.ReasonNoExecutor:      "no executor was online",
		job.ReasonRouteFailed:     "no executor could be chosen",
		job.ReasonRefused:         "the executor refused it",
		job.ReasonUnreachable:     "the executor could not be reached",
		job.ReasonNoAnswer:        "the executor did not answer",
		job.ReasonTakenOver:       "its admin vanished while sending it",
		job.ReasonLostExecutor:    "the executor stopped beating",
		job.ReasonLostRestart:     "the executor came back without it",
		job.ReasonLostResult:      "no result came for ten minutes",
		job.ReasonMisfire:         "too late, skipped by the misfire strategy",
		job.ReasonMisfireRange:    "many late fires, skipped together",
		job.ReasonStopped:         "the job was stopped",
		job.ReasonRescheduled:     "the job was scheduled anew",
		job.ReasonDeleted:         "the job was deleted",
		job.ReasonExpanded:        "its shards are runs of their own",
		job.ReasonOutOfMemory:     "it needed more memory than it may have",
		"limit_exceeded":          "it went beyond a limit",
		job.ReasonBadVersion:      "this version cannot be run",
		job.ReasonEngineMissing:   "the executor lacks the engine",
		job.ReasonPoisoned:        "its result could not be stored",
		job.ReasonHandlerNotFound: "the executor has no such JobHandler",
		"host_error":              "the executor itself failed",
	}
	chineseReasons = map[string]string{
		job.ReasonOK:              "正常完成",
		job.ReasonHandlerFailed:   "任务代码执行失败",
		job.ReasonTimeout:         "超过任务超时时间",
		job.ReasonKilled:          "被人工终止",
		job.ReasonCoverEarly:      "被之后的调度覆盖",
		job.ReasonShutdown:        "执行器已停机",
		job.ReasonDiscardLater:    "之前的调度仍在运行，已丢弃",
		job.ReasonNoExecutor:      "没有在线的执行器",
		job.ReasonRouteFailed:     "路由未选出可用的执行器",
		job.ReasonRefused:         "执行器拒绝执行",
		job.ReasonUnreachable:     "无法连接执行器",
		job.ReasonNoAnswer:        "执行器没有应答",
		job.ReasonTakenOver:       "发送时调度中心宕机",
		job.ReasonLostExecutor:    "执行器心跳中断",
		job.ReasonLostRestart:     "执行器重启后已无此任务",
		job.ReasonLostResult:      "十分钟内没有收到结果",
		job.ReasonMisfire:         "已过调度时间，按过期策略忽略",
		job.ReasonMisfireRange:    "多次调度过期，合并忽略",
		job.ReasonStopped:         "任务已停止",
		job.ReasonRescheduled:     "任务已重新调度",
		job.ReasonDeleted:         "任务已删除",
		job.ReasonExpanded:        "已展开为各分片的运行",
		job.ReasonOutOfMemory:     "超出内存上限",
		"limit_exceeded":          "超出限额",
		job.ReasonBadVersion:      "该版本无法运行",
		job.ReasonEngineMissing:   "执行器缺少所需引擎",
		job.ReasonPoisoned:        "结果无法保存",
		job.ReasonHandlerNotFound: "执行器没有该 JobHandler",
		"host_error":              "执行器自身出错",
	}
)
