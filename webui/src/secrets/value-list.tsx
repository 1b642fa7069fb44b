import { Skeleton, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { QueryError } from "../ui/query-error";
import { ValueForm } from "./value-form";
import { ValueRow } from "./value-row";
import { type NamedValue, type ValueKind, valuesQuery } from "./values";

interface Props {
  groupID: number;
  kind: ValueKind;
}

/** Names with what is kept under them; a secret's value is written and never read. */
export function ValueList({ groupID, kind }: Props) {
  const { t } = useTranslation();
  const query = valuesQuery(groupID, kind);
  const values = useQuery(query);
  const [edited, setEdited] = useState<NamedValue>();
  const place = { groupID, kind };
  return (
    <Stack>
      {values.error && <QueryError error={values.error} onRetry={() => void values.refetch()} />}
      {values.isPending && <Skeleton h={60} />}
      {values.data?.length === 0 && <Text size="sm">{t("secrets.none")}</Text>}
      {values.data && values.data.length > 0 && (
        <Table verticalSpacing={6}>
          <Table.Tbody>
            {values.data.map((item) => (
              <ValueRow key={item.name} {...place} item={item} onEdit={() => setEdited(item)} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      <ValueForm
        key={`${edited?.name} ${edited?.version}`}
        {...place}
        edited={edited}
        known={values.data ?? []}
        onDone={() => setEdited(undefined)}
      />
    </Stack>
  );
}
