/** What the server says of requests as such: who asks, what for, and in what form. */
export const requests: Record<string, string> = {
  // admin/api/problem.go
  "The user name or the password is wrong.": "账号或密码错误，请检查后重试。",
  "You are not logged in, or the session has expired. Log in.": "您尚未登录，或登录已过期。请重新登录。",
  "You do not have the right to do this. Ask an admin for it.": "您没有权限执行此操作，请联系管理员。",
  "There is no such object; it may have been deleted.": "该对象不存在，可能已被删除。",
  "Somebody else has changed it since you read it. Read it again and repeat your change.":
    "在您打开之后，他人已修改此内容。请重新打开后再次修改。",
  "There were too many failed logins. Try again in %d seconds.":
    "登录失败次数过多，请在 %d 秒后重试。",
  "The database does not answer. Nothing was changed; try again in a moment.":
    "数据库没有响应。未做任何修改，请稍后重试。",
  "This took too long and was given up. Look whether it happened, then try again.":
    "操作耗时过长，已放弃。请先查看是否已生效，再重试。",
  "Something went wrong in the server. Its log says what.": "服务器内部出错，原因请查看其日志。",
  "Something went wrong in the server. Its log says what. Look for request_id=%s there.":
    "服务器内部出错，请在其日志中查找 request_id=%s。",
  "The input is not accepted.": "提交的内容有误，请修改后重试。",
  // Where it stands is a path in the JSON, which means nothing to people.
  "The input is not accepted. %s: %s": "提交的内容有误：%2$m",
  "This is required. Fill it in.": "此项必填，请填写。",
  "There is no such field. Take it out.": "没有此字段，请去掉。",
  "There is no such parameter. Take it out.": "没有此参数，请去掉。",

  // admin/api: app.go, guard.go, refuse.go, etag.go, system.go
  "Jobs cannot fire at present: %s.": "目前无法触发任务：%s。",
  "There is nothing at this path.": "此路径下没有内容，请检查地址。",
  "This path does not take this method. See the Allow header.":
    "此路径不支持该方法，可用的方法见响应头 Allow。",
  "The body could not be read to its end.": "请求正文未能完整读取，请重新发送。",
  "The body is larger than %d bytes. Send less.": "请求正文超过 %d 字节，请减少内容。",
  "This cannot be told at present. Try again in a moment.": "目前无法判断，请稍后重试。",
  "The address is not a valid URL.": "地址不是有效的 URL，请检查。",
  "The address contains NUL characters or is not valid UTF-8.":
    "地址中含有 NUL 字符或不是有效的 UTF-8，请修改。",
  "The query of the address is not well encoded.": "地址的查询参数编码有误，请修改。",
  "This contains NUL characters or is not valid UTF-8.":
    "内容含有 NUL 字符或不是有效的 UTF-8，请修改。",
  "This stands there more than once. Separate several values by commas.":
    "该参数出现了多次，多个值请以逗号分隔。",
  "This operation takes no If-Match. Leave it out.": "该操作不支持 If-Match，请去掉。",
  "It is not looked at here.": "此处不会检查该项。",
  "Requests from other sites are refused.": "已拒绝来自其他网站的请求。",
  "Requests from other origins are refused. If a proxy stands before gluewheel, it must pass on the Host header.":
    "已拒绝来自其他来源的请求。如果 gluewheel 前面有代理，代理必须转发 Host 请求头。",
  "Send the body as %s, and say so in the Content-Type header.":
    "请以 %s 格式发送正文，并在 Content-Type 请求头中注明。",
  "The object's version is %d.": "该对象当前的版本号是 %d。",
  "There is no such object.": "该对象不存在。",

  // admin/api/format.go, admin/api/time.go
  "This is not valid UTF-8. Send it in that encoding.": "内容不是有效的 UTF-8，请以该编码发送。",
  "This is not JSON: line %d: %s.": "内容不是 JSON，第 %d 行：%s。",
  "A %s does not fit here. Use a smaller one.": "%s 超出此处的范围，请改小。",
  "This contains a NUL character. Remove it.": "内容含有 NUL 字符，请删除。",
  "There is no such field: names are in small letters. Correct it.":
    "没有此字段：字段名均为小写，请更正。",
  "%q is not an instant such as 2026-01-02T15:04:05.000Z":
    "%q 不是有效的时间，请写成 2026-01-02T15:04:05.000Z 的形式",
  "%s is not an instant in quotes": "%s 不是带引号的时间",

  // admin/api/report.go, admin/store/page.go, admin/store/job_list.go
  "This is not before to. Choose an earlier instant.": "开始时间须早于结束时间，请选择更早的时间。",
  "This is more than %s before to. Choose a later instant, or a longer step.":
    "开始时间比结束时间早了不止 %m，请选择更晚的开始时间，或更大的间隔。",
  "%d days": "%d 天",
  "This is not a cursor of this list. Begin again without one.":
    "翻页位置不属于此列表，请从第一页重新开始。",
  "%q is not known.": "%q 不是有效的选项。",
};
