import { Badge, Button, Group, Paper, Skeleton, Stack, Text } from "@mantine/core";
import { IconBell, IconPlus } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { queries } from "../api/queries";
import type { AlarmRule } from "../api/types";
import { Empty } from "../ui/empty";
import { useNotify } from "../ui/notify";
import { QueryError } from "../ui/query-error";
import { RuleModal } from "./rule-modal";

/** When an alarm is raised. */
export function RuleList() {
  const { t } = useTranslation();
  const rules = useQuery(queries.alarmRules());
  const [isAdding, setAdding] = useState(false);
  const addButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      {t("alarms.addRule")}
    </Button>
  );
  if (rules.error) {
    return <QueryError error={rules.error} onRetry={() => void rules.refetch()} />;
  }
  if (!rules.data) return <Skeleton h={120} />;
  return (
    <Stack>
      {rules.data.items.length === 0 ? (
        <Empty
          icon={<IconBell />}
          title={t("alarms.noRuleTitle")}
          text={t("alarms.noRuleText")}
          actions={addButton}
        />
      ) : (
        <Group>{addButton}</Group>
      )}
      {rules.data.items.map((rule) => (
        <RuleCard key={rule.id} rule={rule} />
      ))}
      {isAdding && <RuleModal onClose={() => setAdding(false)} />}
    </Stack>
  );
}

function RuleCard({ rule }: { rule: AlarmRule }) {
  const { t } = useTranslation();
  const notify = useNotify();
  const queryClient = useQueryClient();
  const [isEditing, setEditing] = useState(false);
  const remove = useMutation({
    mutationFn: () =>
      unwrap(api.DELETE("/alarm-rules/{id}", { params: { path: { id: rule.id } } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["alarm-rules"] }),
    onError: notify.failed,
  });
  const button = { size: "compact-sm", variant: "subtle" } as const;
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between">
        <Group gap="xs">
          <Text fw={600}>{rule.name}</Text>
          {rule.on.map((event) => (
            <Badge key={event} variant="default">
              {t(`alarms.event.${event}`)}
            </Badge>
          ))}
          {!rule.enabled && <Badge color="gray">{t("users.disabled")}</Badge>}
        </Group>
        <Group gap={4}>
          <Button {...button} onClick={() => setEditing(true)}>
            {t("action.edit")}
          </Button>
          <Button
            {...button}
            color="red"
            loading={remove.isPending}
            onClick={() => remove.mutate()}
          >
            {t("action.delete")}
          </Button>
        </Group>
      </Group>
      {isEditing && <RuleModal rule={rule} onClose={() => setEditing(false)} />}
    </Paper>
  );
}
