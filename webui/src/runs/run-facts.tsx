import { Alert, Code, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { RunDetail } from "../api/types";
import { AnchorLink } from "../ui/links";
import { Instant } from "../ui/instant";
import { reasonWords } from "./reason";
import { RunRoute } from "./run-route";
import { UsageFacts } from "./usage-facts";

/** What the run was given and what came of it. */
export function RunFacts({ run }: { run: RunDetail }) {
  const { t } = useTranslation();
  return (
    <>
      <Table variant="vertical" withRowBorders={false} verticalSpacing={4} layout="fixed">
        <Table.Tbody>
          <Fact name={t("runs.column.cause")}>
            {t(`cause.${run.cause}`)}
            {run.attempt > 0 && ` · ${t("run.attempt", { attempt: run.attempt })}`}
            {run.parent_id != null && (
              <>
                {" · "}
                <AnchorLink to="/runs/$runID" params={{ runID: run.parent_id }} size="sm">
                  {run.parent_id}
                </AnchorLink>
              </>
            )}
          </Fact>
          <Fact name={t("runs.column.address")}>
            {run.address || "–"}
            <RunRoute run={run} />
          </Fact>
          <Fact name={t("runs.column.version")}>
            {run.glue_version > 0 ? (
              <>
                <AnchorLink
                  to="/jobs/$jobID/glue"
                  params={{ jobID: run.job_id }}
                  search={{ tab: "versions", version: run.glue_version }}
                  size="sm"
                >
                  v{run.glue_version}
                </AnchorLink>
                {run.version_pin != null && run.version_pin > 0 && ` · ${t("run.versionAsked")}`}
              </>
            ) : (
              "–"
            )}
          </Fact>
          {(run.shard_total > 1 || run.shard < 0) && (
            <Fact name={t("run.shard")}>
              {run.shard < 0 ? t("run.shardParent") : `${run.shard} / ${run.shard_total}`}
            </Fact>
          )}
          <Fact name={t("job.param")}>
            {run.param === null || run.param === undefined ? (
              <JobParam jobID={run.job_id} />
            ) : (
              <Param param={run.param} />
            )}
          </Fact>
          <Fact name={t("run.retriesLeft")}>{run.retries_left}</Fact>
          {run.ended_at && (
            <Fact name={t("run.reason")}>
              <Code>{run.reason || "–"}</Code>
              {run.code > 0 && ` ${run.code}`} {reasonWords(t, run)}
            </Fact>
          )}
          {run.usage && (
            <Fact name={t("usage.title")}>
              <UsageFacts usage={run.usage} />
            </Fact>
          )}
          {run.range_count > 0 && (
            <Fact name={t("run.range")}>
              {t("run.rangeText", { fires: run.range_count })} <Instant at={run.range_to} />
            </Fact>
          )}
        </Table.Tbody>
      </Table>
      {run.late_result && (
        <Alert mt="sm" color="yellow" title={t("run.lateResult")}>
          {run.late_result}
        </Alert>
      )}
    </>
  );
}

/** What the job has as its parameter by now, for a run that was given none of its own. */
function JobParam({ jobID }: { jobID: number }) {
  const { t } = useTranslation();
  const job = useQuery(queries.job(jobID));
  return (
    <>
      <Text size="sm">{t(job.data ? "run.paramOfJobNow" : "run.paramOfJob")}</Text>
      {job.data && <Param param={job.data.param} />}
    </>
  );
}

function Param({ param }: { param: string }) {
  const { t } = useTranslation();
  return param === "" ? <Text size="sm">{t("run.paramEmpty")}</Text> : <Code block>{param}</Code>;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th w={150} fw={500} c="dimmed" bg="transparent">
        {name}
      </Table.Th>
      <Table.Td>{children}</Table.Td>
    </Table.Tr>
  );
}
