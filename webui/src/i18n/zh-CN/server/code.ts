/** What the server says of code: versions, drafts, modules, and bundles with them. */
export const code: Record<string, string> = {
  // admin/api/problem.go
  "This is what is live already. Change something before you publish.":
    "内容与生效版本相同，请修改后再发布。",
  "The same code waits for approval already. Have another publisher look at it.":
    "相同的代码已在等待审批，请另一位发布者审批。",
  "This version does not wait for approval: it was live at once, or somebody has decided on it already.":
    "该版本无需审批：它已直接生效，或已有人审批。",
  "You have published this version yourself. Another publisher of the group has to look at it.":
    "此版本由您发布，需由该执行器的另一位发布者审批。",
  "The code could not be looked at, by no fault of its own. Try again in a moment; the admin's log says more.":
    "代码未能检查，但并非代码有误。请稍后重试，详情见调度中心的日志。",
  "The code cannot be run: %s": "代码无法运行：%m",
  "The code cannot be run: line %d: %s": "代码无法运行，第 %d 行：%m",

  // admin/job/draft.go, validate.go
  "Only %s can run in the executor's own process. Leave the isolation out.":
    "只有 %s 可以在执行器自身的进程中运行，请去掉 isolation。",
  "A BEAN job has no code here: it is the handler in the executor.":
    "BEAN 模式没有在线代码：其代码是执行器中的 JobHandler。",
  "%s runs an uploaded module. Upload one and give its digest.":
    "%s 运行上传的模块，请先上传并填写其摘要。",
  "%q is not a digest. Write it as sha256: and 64 hex digits.":
    "%q 不是有效的摘要，请写成 sha256: 加 64 位十六进制数。",
  "%s has a source and no module. Leave the artifact out.": "%s 使用源代码而不是模块，请去掉模块。",
  "The published version does not have this. Have it published by somebody who may, or take it out.":
    "已发布的版本没有此权限。请由有权限的人发布，或去掉此项。",
  "Scripts run outside the sandbox and get no secrets. Take them out, %s":
    "脚本在沙箱之外运行，不能使用密钥。请去掉，或改用 Lua、JavaScript 或 WebAssembly。",
  "Scripts run outside the sandbox, and no list of hosts binds them. Take them out, %s":
    "脚本在沙箱之外运行，不受主机列表约束。请去掉，或改用 Lua、JavaScript 或 WebAssembly。",
  "Scripts run outside the sandbox and get no kv. Take it out, %s":
    "脚本在沙箱之外运行，不能使用自有存储。请去掉，或改用 Lua、JavaScript 或 WebAssembly。",
  "It has %d bytes. Use at most %d.": "现有 %d 字节，最多 %d 字节，请缩短。",
  "%d is out of range. Use %d to %d, or 0 for the executor's default.":
    "%d 超出范围，请填写 %d 到 %d，或填 0 使用执行器默认值。",
  "%q does not fit. Write it like %s.": "%q 格式不符，请写成 %s 的形式。",
  "%q does not fit. Use inproc, or leave it out for the sandbox.":
    "%q 无效，请使用 inproc，或去掉以使用沙箱。",

  // glue/source.go
  "the source is empty: write some code": "源代码为空，请编写代码",
  "the source has %d bytes, and at most %d are kept": "源代码有 %d 字节，最多保存 %d 字节，请缩短",
  "the source is not valid UTF-8: save it in that encoding":
    "源代码不是有效的 UTF-8，请以该编码保存",
  "the source contains a NUL character: remove it": "源代码含有 NUL 字符，请删除",

  // admin/job/review.go, admin/api/review.go, version.go; admin/store
  "It is empty. Say what the author should change.": "意见为空，请说明作者需要修改什么。",
  "Another version has become live since this one was published. Reject it, and have it published again on top of that one.":
    "此版本发布后已有其他版本生效。请拒绝它，并基于生效版本重新发布。",
  "Another version has been published since you began. Compare yours with it, then publish again.":
    "在您编辑期间已有其他版本发布。请先对比，再重新发布。",
  "The job has no version %d. Choose one of its versions.":
    "该任务没有版本 %d，请从其版本中选择。",
  "Version %d has never been live: nobody has approved it. Choose one that was.":
    "版本 %d 未经审批，从未生效。请选择生效过的版本。",
  "This group asks that its code is approved, and the job has live code already. Make a new job there and publish the code to it.":
    "该执行器要求代码经过审批，而此任务已有生效的代码。请在该执行器下新增任务，再发布代码。",

  // Modules: admin/api/artifact.go, admin/store, runtime/wasm/load.go
  "There is no module with this digest. Upload it first.": "没有此摘要的模块，请先上传。",
  "The connection is broken.": "连接已断开，请重试。",
  "The module could not be read to its end. Upload it again.": "模块未能完整读取，请重新上传。",
  "The module is larger than %d bytes. Make it smaller.": "模块超过 %d 字节，请缩小。",
  "This is not a WebAssembly module: it does not begin with its magic number.":
    "这不是 WebAssembly 模块：文件开头没有其标识，请选择 .wasm 文件。",
  "The module is refused: %s": "模块被拒绝：%m",
  "The module wants %d MiB of memory from the start; it may have %d MiB.":
    "模块启动即需要 %d MiB 内存，最多允许 %d MiB，请减少。",
  "The module is not valid: %v.": "模块无效：%s。",
  "The module's _start takes or gives values; a WASI command's does not.":
    "模块的 _start 带有参数或返回值，而 WASI 命令的 _start 没有。请去掉。",
  "The module's gw_run must take nothing and give an i32.":
    "模块的 gw_run 须没有参数并返回 i32，请修改。",
  "The module exports neither _start (a WASI preview 1 command) nor gw_run (a reactor), so there is nothing to run.":
    "模块既没有导出 _start（WASI preview 1 命令），也没有导出 gw_run（reactor），无法运行。请导出其一。",
  "The module imports the %s %s.%s; only functions can be imported.":
    "模块导入了 %s %s.%s，但只能导入函数。请去掉。",
  "The module imports %s.%s; only wasi_snapshot_preview1 and gluewheel are here.":
    "模块导入了 %s.%s，但此处只提供 wasi_snapshot_preview1 和 gluewheel。请去掉。",
  "The module imports %s.%s, which is not there.": "模块导入了不存在的 %s.%s，请去掉。",
  "The module imports %s.%s as %s; it is %s.": "模块以 %3$s 导入 %1$s.%2$s，而其类型是 %4$s。请修改。",

  // Bundles: admin/bundle, admin/api/bundle.go
  "Line %d: %s": "第 %d 行：%m",
  "Line %d of the code: %s": "代码第 %d 行：%m",
  "This cannot be read: %s. Correct it.": "无法读取：%s。请更正。",
  "This is %d. Write gluewheel: %d first.": "现在是 %d，请先写 gluewheel: %d。",
  "There is no such group that you may see. Choose another one.":
    "没有您可以查看的此执行器，请选择其他执行器。",
  "There are more than %d groups. Export them one by one.": "执行器超过 %d 个，请逐个导出。",
  "The bundle could not be read to its end. Send it again.": "文件未能完整读取，请重新发送。",
  "The bundle has %d lines, commas and brackets, and at most %d are read. Take fewer groups at a time.":
    "文件共有 %d 个行、逗号和括号，最多读取 %d 个。请分批处理执行器。",
  "The bundle has more than %d bytes (%d MiB). Take fewer groups at a time.":
    "文件超过 %d 字节（%d MiB），请分批处理执行器。",
  "This job stands here twice. Take one out.": "该任务重复，请去掉一个。",
  "There are %d jobs of this name in the group. Rename all but one.":
    "该执行器下有 %d 个同名任务，请只保留一个，其余改名。",
  "The job is here, and its type is fixed to %s. Give this one another name.":
    "该任务已存在，其运行模式固定为 %s。请为导入的任务改名。",
  "%q names no job. Write it as app_name/job name.": "%q 不是任务，请写成 AppName/任务名称 的形式。",
  "There are %d jobs called %q. Name one that there is once.":
    "名为 %2$q 的任务有 %1$d 个，请指定唯一的任务。",
  "There is no module with this digest here. Put it into the bundle, or upload it first.":
    "此处没有该摘要的模块。请将其放入文件，或先上传。",
  "Its digest is %s, and not the one of artifact. Export it again.":
    "其摘要是 %s，与 artifact 不一致。请重新导出。",
  "It is larger than %d bytes. Make it smaller.": "超过 %d 字节，请缩小。",
  "The jobs %d and %d of the group %s have the same name, %q. Rename one.":
    "执行器 %3$s 的任务 %1$d 与 %2$d 同名（%4$q），请为其中一个改名。",
};
