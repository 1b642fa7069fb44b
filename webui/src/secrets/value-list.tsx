import {
  ActionIcon,
  Button,
  Group,
  PasswordInput,
  Skeleton,
  Stack,
  Table,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "../api/problem";
import { ErrorAlert } from "../ui/error-alert";
import { Instant } from "../ui/instant";
import { useNotify } from "../ui/notify";
import { QueryError } from "../ui/query-error";
import { deleteValue, putValue, valuesQuery, type ValueKind } from "./values";

interface Props {
  groupID: number;
  kind: ValueKind;
}

/** Names with what is kept under them; a secret's value is written and never read. */
export function ValueList({ groupID, kind }: Props) {
  const { t } = useTranslation();
  const notify = useNotify();
  const queryClient = useQueryClient();
  const values = useQuery(valuesQuery(groupID, kind));
  const refresh = () =>
    queryClient.invalidateQueries({ queryKey: valuesQuery(groupID, kind).queryKey });
  const remove = useMutation({
    mutationFn: (name: string) => deleteValue(groupID, kind, name),
    onSuccess: refresh,
    onError: notify.failed,
  });
  return (
    <Stack>
      {values.error && <QueryError error={values.error} onRetry={() => void values.refetch()} />}
      {values.isPending && <Skeleton h={60} />}
      {values.data?.length === 0 && <Text size="sm">{t("secrets.none")}</Text>}
      {values.data && values.data.length > 0 && (
        <Table verticalSpacing={6}>
          <Table.Tbody>
            {values.data.map((item) => (
              <Table.Tr key={item.name}>
                <Table.Td>
                  <Text size="sm" ff="monospace" fw={600}>
                    {item.name}
                  </Text>
                </Table.Td>
                <Table.Td maw={0} w="100%">
                  <Text size="sm" className="clip">
                    {item.value ?? "••••••"}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <Text size="xs" c="dimmed" className="nowrap" component="div">
                    {item.updated_by} · <Instant at={item.updated_at} size="xs" />
                  </Text>
                </Table.Td>
                <Table.Td>
                  <ActionIcon
                    variant="subtle"
                    color="red"
                    aria-label={t("secrets.deleteNamed", { name: item.name })}
                    disabled={remove.isPending}
                    onClick={() => remove.mutate(item.name)}
                  >
                    <IconTrash size={16} />
                  </ActionIcon>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <NewValue groupID={groupID} kind={kind} onSaved={refresh} />
    </Stack>
  );
}

function NewValue({ groupID, kind, onSaved }: Props & { onSaved: () => void }) {
  const { t } = useTranslation();
  const form = useForm({
    initialValues: { name: "", value: "" },
    validate: {
      name: isNotEmpty(t("jobForm.required")),
      value: (value) => (kind === "secrets" && value === "" ? t("jobForm.required") : null),
    },
  });
  const save = useMutation({
    mutationFn: ({ name, value }: typeof form.values) =>
      putValue(groupID, kind, name.trim(), value),
    onSuccess: () => {
      form.reset();
      onSaved();
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack gap="xs">
        <ErrorAlert error={save.error} />
        <Group align="start" grow>
          <TextInput label={t("secrets.name")} required {...form.getInputProps("name")} />
          {kind === "secrets" ? (
            <PasswordInput
              label={t("secrets.value")}
              required
              autoComplete="off"
              {...form.getInputProps("value")}
            />
          ) : (
            <Textarea
              label={t("secrets.value")}
              autosize
              maxRows={6}
              {...form.getInputProps("value")}
            />
          )}
        </Group>
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            {t("secrets.save")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
