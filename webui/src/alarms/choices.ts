export const alarmTabs = ["rules", "channels", "history"] as const;

/** How far a message is. */
export const alarmStates = ["pending", "delivered", "failed"] as const;

export const channelKinds = ["email", "webhook", "slack", "dingtalk", "feishu", "wecom"] as const;

export const alarmEvents = [
  "failure",
  "failure_rate",
  "late",
  "misfire",
  "no_executor",
  "lost",
  "recovery",
] as const;
