import { Button, Group, Stack } from "@mantine/core";
import type { FormEventHandler, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ErrorAlert } from "./error-alert";

interface Props {
  /** What the form is sent with. */
  mutation: { error: unknown; isPending: boolean };
  /** Words on the button that submits; "Save" by default. */
  submit?: string;
  onSubmit: FormEventHandler<HTMLFormElement>;
  onCancel: () => void;
  /** The fields. */
  children: ReactNode;
}

/** The form in a dialog: why it was refused, its fields, and the way out. */
export function DialogForm({ mutation, submit, onSubmit, onCancel, children }: Props) {
  const { t } = useTranslation();
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        <ErrorAlert error={mutation.error} />
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" loading={mutation.isPending}>
            {submit ?? t("action.save")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
