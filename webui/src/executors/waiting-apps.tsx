import { Alert, Button, Group, Table, Text } from "@mantine/core";
import { IconPlugConnected } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { queries } from "../api/queries";
import { Instant } from "../ui/instant";
import { useNotify } from "../ui/notify";

/** Executors that register under an AppName that no group has; nothing while there are none. */
export function WaitingApps() {
  const { t } = useTranslation();
  const notify = useNotify();
  const queryClient = useQueryClient();
  const waiting = useQuery(queries.waitingApps());
  const accept = useMutation({
    mutationFn: (app_name: string) =>
      unwrap(
        api.POST("/executors/waiting/{app_name}/accept", {
          params: { path: { app_name } },
          body: { title: app_name },
        }),
      ),
    onSuccess: async (group) => {
      notify.done(t("waiting.accepted", { name: group.title }));
      await Promise.all(
        [["groups"], ["executors"], ["waiting"]].map((queryKey) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      );
    },
    onError: notify.failed,
  });
  if (!waiting.data || waiting.data.items.length === 0) return null;
  return (
    <Alert color="blue" icon={<IconPlugConnected />} title={t("waiting.title")} mb="md">
      <Text size="sm">{t("waiting.text")}</Text>
      <Table verticalSpacing={6} mt="xs">
        <Table.Tbody>
          {waiting.data.items.map((app) => (
            <Table.Tr key={app.app_name}>
              <Table.Td>
                <Text size="sm" ff="monospace" fw={600}>
                  {app.app_name}
                </Text>
              </Table.Td>
              <Table.Td>
                <Text size="sm">{app.addresses.join(", ")}</Text>
              </Table.Td>
              <Table.Td>
                <Instant at={app.last_seen_at} />
              </Table.Td>
              <Table.Td>
                <Group justify="flex-end">
                  <Button
                    size="compact-sm"
                    loading={accept.isPending && accept.variables === app.app_name}
                    onClick={() => accept.mutate(app.app_name)}
                  >
                    {t("waiting.accept")}
                  </Button>
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Alert>
  );
}
