import { Alert, Group, Loader, Text } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useSignal } from "./signal";
import { reachable } from "./state";

const probeInterval = 2000; // ms between two looks for the admin
const probeTimeout = 5000; // ms that one look may take

/** Says that the admin does not answer, looks for it, and reloads what is shown when it is back. */
export function ConnectionBanner() {
  const { t } = useTranslation();
  const isReachable = useSignal(reachable);
  const queryClient = useQueryClient();

  useEffect(() => {
    if (isReachable) return;
    let stopped = false;
    const probe = async () => {
      const alive = await isAlive();
      if (stopped) return;
      if (!alive) {
        timer = setTimeout(probe, probeInterval);
        return;
      }
      reachable.set(true);
      void queryClient.invalidateQueries();
    };
    let timer = setTimeout(probe, probeInterval);
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [isReachable, queryClient]);

  if (isReachable) return null;
  return (
    <Alert color="orange" variant="filled" icon={<IconPlugConnectedX />} role="alert" mb="md">
      <Group justify="space-between" wrap="nowrap">
        <div>
          <Text fw={600}>{t("connection.title")}</Text>
          <Text size="sm">{t("connection.text")}</Text>
        </div>
        <Loader color="white" size="sm" type="dots" />
      </Group>
    </Alert>
  );
}

async function isAlive(): Promise<boolean> {
  try {
    const response = await fetch("/healthz", { signal: AbortSignal.timeout(probeTimeout) });
    return response.ok;
  } catch {
    return false;
  }
}
