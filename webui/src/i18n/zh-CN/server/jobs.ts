/** What the server says of jobs, executor groups and runs. */
export const jobs: Record<string, string> = {
  // admin/job/validate.go: any field
  "It has %d characters. Use at least %d.": "现有 %d 个字符，至少需要 %d 个。",
  "It has %d characters. Use at most %d.": "现有 %d 个字符，最多 %d 个，请缩短。",
  "%d is out of range. Use %d to %d.": "%d 超出范围，请填写 %d 到 %d。",
  "%q is not known. Use one of %s.": "%q 不是有效的选项，可选：%s。",
  "There are %d. Use at most %d.": "共有 %d 个，最多 %d 个，请减少。",

  // admin/job/validate.go: jobs
  "It is less than the delay itself, %d. Use at least that, or 0 for no bound of the job's own.":
    "小于重试间隔 %d 秒。请不小于该值，或填 0 表示任务自身不设上限。",
  "It ends before it begins. Choose an instant from valid_from on.":
    "失效时间早于生效时间，请选择不早于生效时间的时间。",
  "%q is not a time zone. Use an IANA name such as Asia/Shanghai, or leave it empty for the server's.":
    "%q 不是有效的时区。请使用 Asia/Shanghai 这样的 IANA 时区名，或留空以使用服务器时区。",
  "A broadcast runs on all executors at once. Use 0, or another route strategy.":
    "分片广播会同时在全部执行器上运行。请填 0，或更换路由策略。",
  "%q is not known. Use BEAN or one of the GLUE types.":
    "%q 不是有效的运行模式，请选择 BEAN 或一种 GLUE 类型。",
  "A BEAN job needs the name of a handler. Fill it in.": "BEAN 模式需要填写 JobHandler。",
  "%d is not the id of a job.": "%d 不是有效的任务ID，请修改。",
  "A job cannot be its own child: it would run for ever. Take it out.":
    "任务不能以自身为子任务，否则会无限运行。请去掉。",
  "Job %d stands here twice. Take one out.": "任务 %d 重复，请去掉一个。",
  "%q is not an e-mail address. Write them as a@example.com, b@example.com.":
    "%q 不是有效的邮件地址，请写成 a@example.com, b@example.com 的形式。",
  "%q contains a comma or a control character. Take it out.":
    "%q 含有逗号或控制字符，请去掉。",

  // admin/job/validate.go: executor groups
  "Use a small letter first, then small letters, digits and hyphens.":
    "请以小写字母开头，其后使用小写字母、数字和 -。",
  "%d is not known. Use 0 (executors register) or 1 (entered by hand).":
    "%d 不是有效的注册方式，请填 0（自动注册）或 1（手动录入）。",
  "A group whose addresses are entered by hand needs at least one. Add one such as http://10.0.0.5:9999.":
    "手动录入时至少需要一个机器地址，请添加，如 http://10.0.0.5:9999。",
  "%q is not an executor's address. Write it as http://10.0.0.5:9999.":
    "%q 不是有效的机器地址，请写成 http://10.0.0.5:9999 的形式。",
  "This address stands here twice. Take one out.": "机器地址重复，请去掉一个。",

  // admin/api/problem.go
  "Another group has this app name. Choose another one.":
    "该 AppName 已被其他执行器使用，请更换。",
  "The group still has jobs. Move or delete them first.": "该执行器下仍有任务，请先移走或删除它们。",
  "The executor did not do it, or did not answer. Look at the run in a moment, then try again.":
    "执行器未执行该操作，或没有应答。请稍后查看该次调度，再重试。",
  "One of the jobs does not exist in this group. Choose jobs of the group.":
    "其中有任务不属于该执行器，请选择该执行器的任务。",
  "The run has already ended.": "该次调度已经结束。",

  // admin/api/job_edit.go, bulk.go, handle.go, draft.go, address.go; admin/store
  "It is fixed to %s. Make a new job for another type.":
    "运行模式已固定为 %s。需要其他模式时，请新增任务。",
  "The job's type is %s. Make a new job for another one.":
    "该任务的运行模式是 %s。需要其他模式时，请新增任务。",
  "You may not put jobs into this group. Choose one of yours.":
    "您无权在该执行器下添加任务，请选择您有权限的执行器。",
  "There is no job %d in your groups. Choose another one.":
    "您的执行器中没有任务 %d，请选择其他任务。",
  "There is no tag to add or to remove. Name one.": "没有要添加或移除的标签，请至少填写一个。",
  "There is no such group. Choose an existing one.": "该执行器不存在，请选择已有的执行器。",
  "%q is no executor of the group, and you may not send it the token that would go there. Choose one that is registered, or ask an admin.":
    "%q 不是该执行器的机器，您也无权向其发送接入令牌。请选择已注册的机器，或联系管理员。",
  "%q is not an executor of the group.": "%q 不是该执行器的机器地址，请重新选择。",
  "Only an admin of the installation may change it: other executors would become the group's.":
    "只有系统管理员可以修改，否则其他机器会归入该执行器。请联系管理员。",
  "Only an admin of the installation may turn it off: it binds those who administer the group, too.":
    "只有系统管理员可以关闭，因为它同样约束组管理员。请联系管理员。",

  // admin/api/run_log.go, rerun.go, testrun.go, trigger.go; admin/store/rerun.go
  "The executor at %s did not give the log. Try again when it is back.":
    "位于 %s 的执行器没有提供日志，请在其恢复后重试。",
  "The run was not sent to an executor.": "该次调度未发送到执行器。",
  "The executor did not answer. This is the end of the log, which was kept.":
    "执行器没有应答。以下是保存下来的日志末尾。",
  "This was a test-run, whose code is not kept. Run it again from the editor.":
    "这是测试运行，其代码未保存。请在编辑器中重新运行。",
  "Version %d of the job's code does not exist any more. Use newest.":
    "任务代码的版本 %d 已不存在，请使用最新版本。",
  "No executor of the job's group is registered. Start one.":
    "该任务没有已注册的执行器，请先启动一个。",
  "There is no executor of the group %s at this address. Choose one of its %d.":
    "执行器 %s 没有此机器地址，请从其 %d 个地址中选择。",
  "A BEAN job has no versions: its code is the handler in the executor. Leave the version out.":
    "BEAN 模式没有版本：其代码是执行器中的 JobHandler。请去掉版本。",
  "%d is not one of %d shards. Count from 0.": "%d 不在 %d 个分片之内，请从 0 开始计数。",

  // Messages of runs: admin/dispatch, admin/registry, admin/complete
  "No executor of the group is registered. Start one, or enter its address in the group.":
    "没有已注册的执行器。请启动一个，或在执行器中录入其机器地址。",
  "No version of the job's code is published. Publish one.": "任务代码尚未发布，请先发布一个版本。",
  "Discarded: the job's limit of concurrent runs, %d, is reached.":
    "已丢弃：达到任务的最大并发数 %d。",
  "Version %d of the job's code does not exist any more.": "任务代码的版本 %d 已不存在。",
  "No executor could be chosen for this run.": "未能为该次调度选出执行器。",
  "The result could not be stored. The admin's log says why.":
    "结果无法保存，原因请查看调度中心的日志。",
  "The executor restarted and does not know the run any more.": "执行器重启后已无该次调度。",
  "The executor does not know the run any more.": "执行器已无该次调度。",
  "The executor has not been heard of for 90 s.": "执行器已有 90 秒没有心跳。",
  "No result for ten minutes, and the executor is idle: it does not know the run any more.":
    "十分钟内没有结果，且执行器空闲：它已无该次调度。",
  "The executor could not be reached: %s": "无法连接执行器：%m",
  "Cancelled by %s before it was sent.": "发送前已由 %s 取消。",
  "Killed by %s. %s": "已由 %s 终止。%s",
  "no executor address to choose from": "没有可选的执行器地址",
};
