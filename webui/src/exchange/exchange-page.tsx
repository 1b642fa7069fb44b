import { Badge, Button, Group, MultiSelect, Paper, Stack, Table, Text, Title } from "@mantine/core";
import { IconCheck, IconDownload } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { ImportPlan } from "../api/types";
import { DropZone } from "../ui/drop-zone";
import { ErrorAlert } from "../ui/error-alert";
import { useNotify } from "../ui/notify";
import { PageHead } from "../ui/page-head";
import { applyBundle, exportAddress, planBundle } from "./bundle";

/** Groups, jobs and their code as one YAML file: out of this installation, and into it. */
export function ExchangePage() {
  const { t } = useTranslation();
  return (
    <>
      <PageHead title={t("nav.exchange")} text={t("exchange.text")} />
      <Stack maw={980}>
        <ExportPanel />
        <ImportPanel />
      </Stack>
    </>
  );
}

function ExportPanel() {
  const { t } = useTranslation();
  const groups = useQuery(queries.groups());
  const [chosen, setChosen] = useState<string[]>([]);
  return (
    <Paper withBorder p="md" component="section" aria-label={t("exchange.export")}>
      <Title order={2} size="h5" mb="sm">
        {t("exchange.export")}
      </Title>
      <Group align="end">
        <MultiSelect
          flex={1}
          label={t("nav.executors")}
          placeholder={chosen.length === 0 ? t("exchange.allGroups") : undefined}
          data={(groups.data?.items ?? []).map((group) => ({
            value: String(group.id),
            label: group.title,
          }))}
          value={chosen}
          onChange={setChosen}
        />
        <Button
          component="a"
          href={exportAddress(chosen)}
          download="gluewheel.yaml"
          leftSection={<IconDownload size={16} />}
        >
          {t("exchange.download")}
        </Button>
      </Group>
    </Paper>
  );
}

function ImportPanel() {
  const { t } = useTranslation();
  const notify = useNotify();
  const queryClient = useQueryClient();
  const [text, setText] = useState("");
  const plan = useMutation({
    mutationFn: async (file: File) => {
      const content = await file.text();
      setText(content);
      return planBundle(content);
    },
  });
  const apply = useMutation({
    mutationFn: () => applyBundle(text),
    onSuccess: async () => {
      notify.done(t("exchange.applied"));
      plan.reset();
      await queryClient.invalidateQueries();
    },
  });
  const error = plan.error ?? apply.error;
  return (
    <Paper withBorder p="md" component="section" aria-label={t("exchange.import")}>
      <Title order={2} size="h5" mb="sm">
        {t("exchange.import")}
      </Title>
      <Stack>
        <DropZone
          accept=".yaml,.yml"
          title={t("exchange.dropTitle")}
          text={t("exchange.dropText")}
          button={t("module.choose")}
          disabled={plan.isPending}
          onFile={(file) => {
            apply.reset();
            plan.mutate(file);
          }}
        />
        <ErrorAlert error={error} />
        {plan.data && (
          <PlanView plan={plan.data} pending={apply.isPending} onApply={() => apply.mutate()} />
        )}
      </Stack>
    </Paper>
  );
}

const actionColors = { create: "teal", update: "blue", none: "gray" } as const;

interface PlanProps {
  plan: ImportPlan;
  pending: boolean;
  onApply: () => void;
}

function PlanView({ plan, pending, onApply }: PlanProps) {
  const { t } = useTranslation();
  const changes = plan.changes.filter((change) => change.action !== "none");
  return (
    <>
      <Text size="sm">
        {t("exchange.plan", { changes: changes.length, all: plan.changes.length })}
      </Text>
      <Table verticalSpacing={6}>
        <Table.Tbody>
          {plan.changes.map((change) => (
            <Table.Tr key={`${change.kind} ${change.key}`}>
              <Table.Td w={110}>
                <Badge variant="light" color={actionColors[change.action]}>
                  {t(`exchange.action.${change.action}`)}
                </Badge>
              </Table.Td>
              <Table.Td w={110}>{t(`exchange.kind.${change.kind}`)}</Table.Td>
              <Table.Td>
                <Text size="sm" fw={600}>
                  {change.key}
                </Text>
                {change.action === "update" &&
                  change.diff.map(({ field, before, after }) => (
                    <Text key={field} size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
                      {field}: {shown(before)} → {shown(after)}
                    </Text>
                  ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group justify="flex-end">
        <Button
          leftSection={<IconCheck size={16} />}
          disabled={changes.length === 0}
          loading={pending}
          onClick={onApply}
        >
          {t("exchange.apply")}
        </Button>
      </Group>
    </>
  );
}

const longest = 300; // characters of a value that are shown

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  return text.length > longest ? `${text.slice(0, longest)} …` : text;
}
