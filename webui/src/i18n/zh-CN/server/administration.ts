/** What the server says of users, tokens, alarms and secrets. */
export const administration: Record<string, string> = {
  // Users and passwords: admin/api/problem.go, user.go; admin/auth; admin/store
  "Another user has this name. Choose another one.": "该账号已存在，请更换。",
  "Nobody else could administer gluewheel then. Make another admin first.":
    "这样就没有管理员了，请先设置另一位管理员。",
  "A user name has 1 to %d characters, and no spaces at its ends. Correct it.":
    "账号须为 1 到 %d 个字符，首尾不能有空格，请修改。",
  "This is not accepted: %s.": "不符合要求：%m。",
  "the password is not valid UTF-8": "密码不是有效的 UTF-8，请更换",
  "the password has %d characters; choose at least %d": "密码有 %d 个字符，至少需要 %d 个",
  "the password has %d characters; choose at most %d": "密码有 %d 个字符，最多 %d 个",
  "This is not your password. Enter the one that you logged in with.":
    "密码不正确，请输入您登录时使用的密码。",
  "The group stands there twice. Keep one of its roles.": "该执行器重复，请只保留一个角色。",
  "One of the groups does not exist. Choose existing ones.":
    "其中有执行器不存在，请选择已有的执行器。",

  // API tokens: admin/api/token.go, admin/store/token.go
  "A name has 1 to %d characters, and no spaces at its ends. Correct it.":
    "名称须为 1 到 %d 个字符，首尾不能有空格，请修改。",
  "The role %s is for all groups. Leave the groups out, or choose another role.":
    "角色 %s 适用于全部执行器。请不要选择执行器，或更换角色。",
  "%d is no group's id. Take it out, or name an existing group.":
    "%d 不是有效的执行器 ID，请去掉，或选择已有的执行器。",
  "Group %d stands there twice. Name it once.": "执行器 %d 重复，请只保留一个。",
  "There is no group %d. Take it out, or name an existing group.":
    "执行器 %d 不存在，请去掉，或选择已有的执行器。",
  "This is past. Choose a later instant.": "该时间已过，请选择更晚的时间。",
  "You have %d tokens, which is the most. Delete one that you no longer use.":
    "您已有 %d 个令牌，达到上限。请删除不再使用的令牌。",

  // Tokens of executors: admin/job/token.go, admin/api/group_token.go, admin/store, admin/access
  "It has %d characters. Use %d to %d, or leave it out to have one generated.":
    "现有 %d 个字符，请使用 %d 到 %d 个，或留空由系统生成。",
  "It travels in an HTTP header: use visible ASCII characters only, without blanks.":
    "令牌通过 HTTP 请求头传输，只能使用可见的 ASCII 字符，不能有空格。",
  "This token is a well-known default: whoever reaches the admin or an executor can use it. Replace it by a generated one.":
    "该令牌是众所周知的默认值，任何能访问调度中心或执行器的人都可以使用它。请换成系统生成的令牌。",
  "This token is short enough to be guessed. Replace it by a generated one.":
    "该令牌过短，容易被猜到。请换成系统生成的令牌。",
  "This admin has no key to keep it with. Start every admin with the same --seal-key-file or GLUEWHEEL_SEAL_KEY.":
    "调度中心没有用于保存令牌的密钥。请以相同的 --seal-key-file 或 GLUEWHEEL_SEAL_KEY 启动所有调度中心。",
  "The group has this token already. Choose another one, or leave it out to have one generated.":
    "该执行器已有此令牌。请更换，或留空由系统生成。",
  "The group has %d tokens already. Delete one that is not used any more.":
    "该执行器已有 %d 个令牌。请删除不再使用的令牌。",
  "The global executor token: %s": "全局接入令牌：%m",
  "The token %q of the group %s: %s": "执行器 %2$s 的令牌 %1$q：%3$m",
  "The token %q of the group %s cannot be read with this admin's seal key: executors that use it refuse what is sent to them. Give the admin the key that it was sealed with, or make a new token.":
    "调度中心的密钥无法读取执行器 %2$s 的令牌 %1$q，使用它的执行器会拒绝请求。请提供加密时使用的密钥，或新建令牌。",

  // Alarms: admin/api/problem.go, alarm_channel.go; admin/job/alarm_channel.go; admin/store
  "Another one has this name. Choose another name.": "该名称已被使用，请更换。",
  "Alarm rules use this channel. Take it out of them first.":
    "有报警规则正在使用该渠道，请先从规则中去掉。",
  "One of the channels does not exist. Choose existing ones.": "其中有渠道不存在，请选择已有的渠道。",
  "The kind cannot be changed. Create another channel.": "类型不能修改，请新增渠道。",
  "Enter the password again: it was for another server.":
    "请重新输入密码：原密码属于另一个邮件服务器。",
  "This is not an address such as https://example.com/hook.":
    "地址格式不正确，请写成 https://example.com/hook 的形式。",
  "Only url and secret belong to this kind of channel. Take the others out.":
    "此类渠道只有推送地址和签名密钥，请去掉其他项。",
  "url and secret do not belong to an e-mail channel. Take them out.":
    "邮件渠道没有推送地址和签名密钥，请去掉。",
  "Name the mail server, such as smtp.example.com.": "请填写邮件服务器，如 smtp.example.com。",
  "Without TLS the password would go over the wire as it is. Use starttls or tls.":
    "不使用 TLS 时密码会明文传输，请使用 starttls 或 tls。",
  "This is not an e-mail address.": "不是有效的邮件地址，请修改。",
  "Name a recipient, or let it write to the jobs' own addresses with job_emails.":
    "请填写收件人，或勾选“同时发送到任务的报警邮件”。",
  "There are %d recipients. Use at most %d.": "共有 %d 个收件人，最多 %d 个，请减少。",
  "%q is not an e-mail address.": "%q 不是有效的邮件地址，请修改。",
  "Choose at least one event.": "请至少选择一个触发条件。",
  "Name the group of the jobs in group_id as well.": "请同时选择这些任务所属的执行器。",
  "There are %d jobs. Name at most %d, or none for the whole group.":
    "共有 %d 个任务，最多 %d 个；留空表示该执行器的全部任务。",
  "There are %d channels. Use 1 to %d.": "共有 %d 个渠道，请选择 1 到 %d 个。",

  // How a delivery went: admin/api/alarm_channel.go, admin/alarm, admin/seal
  "It was delivered.": "已送达。",
  "It was not delivered: %s": "未送达：%m",
  "the channel was deleted": "渠道已被删除",
  "the channel's address is not a URL": "渠道的地址不是有效的 URL，请修改",
  "channels of kind %q are not known": "不支持 %q 类型的渠道",
  "no answer within %s": "%s 内没有应答，请检查地址和网络",
  "the admin stopped before there was an answer": "调度中心在收到应答前已停止",
  "link-local and multicast addresses are not allowed": "不允许使用链路本地地址或组播地址，请更换",
  "check address: %w": "地址有误：%s",
  "write message: %w": "生成消息失败：%s",
  "read message %d: %w": "读取消息 %d 失败：%s",
  "make test message: %w": "生成测试消息失败：%s",
  "post to %s: %w": "发送到 %s 失败：%m",
  "read answer of %s: %w": "读取 %s 的应答失败：%m",
  "%s answered %s: %s": "%s 的应答为 %s：%s",
  "the answer is not JSON: %s": "应答不是 JSON：%s",
  "refused with %s %v: %v": "被拒绝，%s 为 %s：%s",
  "send mail through %s: %w": "通过 %s 发送邮件失败：%m",
  "set up mail through %s: %w": "连接邮件服务器 %s 失败：%m",
  "set sender: %w": "发件人有误：%s",
  "set recipients: %w": "收件人有误：%s",
  "no recipient": "没有收件人",
  "read settings of channel %q: %w": "读取渠道 %q 的配置失败：%s",
  "open secrets of channel %q: %w": "无法解密渠道 %q 的密钥：%m",
  "read secrets of channel %q: %w": "读取渠道 %q 的密钥失败：%s",
  "no key for sealed values: start the admin with --seal-key-file":
    "没有加密密钥，请以 --seal-key-file 启动调度中心",
  "sealed with a key that this admin does not have: add the old key to the key file":
    "加密时使用的密钥不在此调度中心，请将旧密钥加入密钥文件",
  "sealed value is damaged or belongs elsewhere": "加密的内容已损坏，或属于其他位置",

  // Secrets and variables: admin/api/problem.go, admin/job/secret.go
  "The group has 500 of them, which is the most. Delete some first.":
    "该执行器已有 500 个，达到上限。请先删除一些。",
  "This admin has no key to keep secrets with. Start it with --seal-key-file.":
    "调度中心没有用于保存密钥的加密密钥，请以 --seal-key-file 启动。",
  "It has less than %d bytes. So short a value cannot be hidden in logs: use a variable, or a longer secret.":
    "少于 %d 字节。过短的值无法在日志中隐藏，请改用变量，或使用更长的密钥。",
  "Use 1 to 64 letters, digits and underscores, not a digit first, such as API_KEY.":
    "请使用 1 到 64 个字母、数字和下划线，且不以数字开头，如 API_KEY。",
  "It contains NUL characters or is not valid UTF-8.":
    "内容含有 NUL 字符或不是有效的 UTF-8，请修改。",
};
