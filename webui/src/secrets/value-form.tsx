import { Button, Group, PasswordInput, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { ErrorAlert } from "../ui/error-alert";
import { useSave } from "../ui/use-save";
import { type NamedValue, putValue, type ValueKind, valuesQuery } from "./values";

interface Props {
  groupID: number;
  kind: ValueKind;
  /** What is given a new value, as it was when editing began; nothing for a new name. */
  edited?: NamedValue;
  known: NamedValue[];
  onDone: () => void;
}

/** Keeps a value under a new name, or a new one in place of what its editor has seen. */
export function ValueForm({ groupID, kind, edited, known, onDone }: Props) {
  const { t } = useTranslation();
  const form = useForm({
    initialValues: { name: edited?.name ?? "", value: edited?.value ?? "" },
    validate: {
      name: (name) => {
        if (name.trim() === "") return t("jobForm.required");
        const isTaken = !edited && known.some((item) => item.name === name.trim());
        return isTaken ? t("secrets.taken") : null;
      },
      value: (value) => (kind === "secrets" && value === "" ? t("jobForm.required") : null),
    },
  });
  const save = useSave({
    save: ({ name, value }: typeof form.values) =>
      putValue(groupID, kind, name.trim(), { value, version: edited?.version ?? 0 }),
    queryKey: valuesQuery(groupID, kind).queryKey,
    form,
    onSaved: () => {
      form.reset();
      onDone();
    },
  });
  const valueInput = {
    label: t("secrets.value"),
    autoFocus: Boolean(edited),
    ...form.getInputProps("value"),
  };
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack gap="xs">
        <ErrorAlert error={save.error} />
        <Group align="start" grow>
          <TextInput
            label={t("secrets.name")}
            required
            readOnly={Boolean(edited)}
            {...form.getInputProps("name")}
          />
          {kind === "secrets" ? (
            <PasswordInput required autoComplete="off" {...valueInput} />
          ) : (
            <Textarea autosize maxRows={6} {...valueInput} />
          )}
        </Group>
        <Group justify="flex-end">
          {edited && (
            <Button variant="default" onClick={onDone}>
              {t("action.cancel")}
            </Button>
          )}
          <Button type="submit" loading={save.isPending}>
            {t("secrets.save")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
