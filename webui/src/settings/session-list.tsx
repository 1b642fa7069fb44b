import { Badge, Button, Group, Skeleton, Table, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { queries } from "../api/queries";
import { Instant } from "../ui/instant";
import { useNotify } from "../ui/notify";
import { QueryError } from "../ui/query-error";

/** Where one is logged in; each but this one can be ended. */
export function SessionList() {
  const { t } = useTranslation();
  const notify = useNotify();
  const queryClient = useQueryClient();
  const sessions = useQuery(queries.sessions());
  const end = useMutation({
    mutationFn: (id: number) =>
      unwrap(api.DELETE("/me/sessions/{id}", { params: { path: { id } } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["sessions"] }),
    onError: notify.failed,
  });
  if (sessions.error) {
    return <QueryError error={sessions.error} onRetry={() => void sessions.refetch()} />;
  }
  if (!sessions.data) return <Skeleton h={80} />;
  return (
    <Table verticalSpacing={6}>
      <Table.Tbody>
        {sessions.data.items.map((session) => (
          <Table.Tr key={session.id}>
            <Table.Td maw={0} w="100%">
              <Text size="sm" className="clip" title={session.user_agent}>
                {session.user_agent || "–"}
              </Text>
              <Group gap="xs">
                <Text size="xs" c="dimmed">
                  {session.address}
                </Text>
                <Text size="xs" c="dimmed" component="div">
                  {t("settings.lastUsed")} <Instant at={session.used_at} size="xs" />
                </Text>
              </Group>
            </Table.Td>
            <Table.Td>
              {session.current ? (
                <Badge color="teal" variant="light">
                  {t("settings.thisSession")}
                </Badge>
              ) : (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  disabled={end.isPending}
                  onClick={() => end.mutate(session.id)}
                >
                  {t("settings.endSession")}
                </Button>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
