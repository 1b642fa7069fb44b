import { Badge, Button, Grid, Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconPlayerStop, IconRepeat } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { queries } from "../api/queries";
import type { RunDetail } from "../api/types";
import { RunNowModal } from "../jobs/run-now-modal";
import { ConfirmModal } from "../ui/confirm-modal";
import { AnchorLink } from "../ui/links";
import { useNotify } from "../ui/notify";
import { PageHead } from "../ui/page-head";
import { QueryError } from "../ui/query-error";
import { RunFacts } from "./run-facts";
import { RunLog } from "./run-log";
import { RunTimeline } from "./run-timeline";
import { isOpen } from "./state";
import { StateBadge } from "./state-badge";

/** One run: how it went, what it was given, and its log while it is written. */
export function RunPage() {
  const { t } = useTranslation();
  const { runID } = useParams({ from: "/runs/$runID" });
  const run = useQuery(queries.run(runID));

  if (run.error && !run.data) {
    return <QueryError error={run.error} onRetry={() => void run.refetch()} />;
  }
  if (!run.data) {
    return (
      <Stack aria-busy="true">
        <Skeleton h={28} w={280} />
        <Skeleton h={160} />
        <Skeleton h={300} />
      </Stack>
    );
  }
  return (
    <>
      <PageHead
        title={t("run.title", { id: run.data.id })}
        badge={
          <>
            <StateBadge state={run.data.state} size="lg" />
            {run.data.is_test && <Badge variant="outline">{t("run.test")}</Badge>}
          </>
        }
        actions={<RunActions run={run.data} />}
      />
      <Text mb="md">
        <AnchorLink to="/runs" search={{ job_id: run.data.job_id }}>
          【{run.data.job_id}】{run.data.job_name}
        </AnchorLink>
        {run.data.message && (
          <Text span c={run.data.state === "succeeded" ? "dimmed" : "red"}>
            {" "}
            · {run.data.message}
          </Text>
        )}
      </Text>
      <Grid>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Paper withBorder p="md" h="100%">
            <Title order={2} size="h5" mb="md">
              {t("run.timeline")}
            </Title>
            <RunTimeline run={run.data} />
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Paper withBorder p="md" h="100%">
            <Title order={2} size="h5" mb="md">
              {t("run.facts")}
            </Title>
            <RunFacts run={run.data} />
          </Paper>
        </Grid.Col>
        <Grid.Col span={12}>
          <Paper withBorder p="md">
            <RunLog key={run.data.id} runID={run.data.id} />
          </Paper>
        </Grid.Col>
      </Grid>
    </>
  );
}

function RunActions({ run }: { run: RunDetail }) {
  const { t } = useTranslation();
  const notify = useNotify();
  const queryClient = useQueryClient();
  const [dialog, setDialog] = useState<"kill" | "again">();
  const close = () => setDialog(undefined);
  const job = useQuery(queries.job(run.job_id));
  const kill = useMutation({
    mutationFn: () => unwrap(api.POST("/runs/{id}/kill", { params: { path: { id: run.id } } })),
    onSuccess: () => notify.done(t("run.killSent")),
    onError: notify.failed,
    onSettled: () => {
      close();
      void queryClient.invalidateQueries({ queryKey: ["run", run.id] });
    },
  });

  return (
    <Group gap="xs">
      {isOpen(run.state) && (
        <Button
          color="red"
          variant="light"
          leftSection={<IconPlayerStop size={16} />}
          onClick={() => setDialog("kill")}
        >
          {t("run.kill")}
        </Button>
      )}
      {job.data && (
        <Button
          variant="light"
          leftSection={<IconRepeat size={16} />}
          onClick={() => setDialog("again")}
        >
          {t("run.again")}
        </Button>
      )}
      {dialog === "kill" && (
        <ConfirmModal
          title={t("run.killTitle")}
          text={t("run.killText")}
          confirm={t("run.kill")}
          danger
          pending={kill.isPending}
          onConfirm={() => kill.mutate()}
          onClose={close}
        />
      )}
      {dialog === "again" && job.data && (
        <RunNowModal job={{ ...job.data, param: run.param ?? job.data.param }} onClose={close} />
      )}
    </Group>
  );
}
