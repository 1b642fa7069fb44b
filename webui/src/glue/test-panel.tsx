import { Button, Group, NumberInput, Select, Stack, Text, Textarea } from "@mantine/core";
import { IconFlask } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { Job } from "../api/types";
import { LatestRun } from "../runs/latest-run";
import type { TestInput } from "./use-test-run";

interface Props {
  job: Job;
  input: TestInput;
  runID: number | undefined;
  pending: boolean;
  onChange: (input: TestInput) => void;
  onStart: () => void;
}

/** Tries the code as it stands in the editor; nothing is published. */
export function TestPanel({ job, input, runID, pending, onChange, onStart }: Props) {
  const { t } = useTranslation();
  const nodes = useQuery(queries.groupExecutors(job.group_id));
  const addresses = (nodes.data?.items ?? []).map((node) => node.address);
  return (
    <Stack gap="xs">
      <Text size="xs" c="dimmed">
        {t("test.text")}
      </Text>
      <Select
        size="xs"
        label={t("test.executor")}
        data={[{ value: "", label: t("test.anyExecutor") }, ...addresses]}
        value={input.address}
        allowDeselect={false}
        onChange={(address) => onChange({ ...input, address: address ?? "" })}
      />
      <Textarea
        size="xs"
        label={t("job.param")}
        autosize
        minRows={1}
        maxRows={6}
        value={input.param}
        onChange={(event) => onChange({ ...input, param: event.currentTarget.value })}
      />
      <Group gap="xs" align="end" wrap="nowrap">
        <NumberInput
          size="xs"
          label={t("test.shard")}
          min={0}
          max={input.shardTotal - 1}
          allowDecimal={false}
          value={input.shardIndex}
          onChange={(value) => onChange({ ...input, shardIndex: Number(value) || 0 })}
        />
        <NumberInput
          size="xs"
          label={t("test.shards")}
          min={1}
          max={1000}
          allowDecimal={false}
          value={input.shardTotal}
          onChange={(value) => {
            const shardTotal = Math.max(Number(value) || 1, 1);
            const shardIndex = Math.min(input.shardIndex, shardTotal - 1);
            onChange({ ...input, shardTotal, shardIndex });
          }}
        />
        <Button
          size="xs"
          variant="light"
          miw="max-content"
          leftSection={<IconFlask size={15} />}
          loading={pending}
          onClick={onStart}
        >
          {t("test.start")}
        </Button>
      </Group>
      {runID !== undefined && <LatestRun key={runID} runID={runID} />}
    </Stack>
  );
}
