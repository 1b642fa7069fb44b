import { Alert, Button, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "./error-text";

/** Stands where data should be: what went wrong and a way to try again. */
export function QueryError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  return (
    <Alert color="red" icon={<IconAlertTriangle />} title={t("error.loadTitle")}>
      <Stack align="flex-start" gap="sm">
        <Text size="sm">{errorText(error)}</Text>
        <Button size="xs" variant="light" color="red" onClick={onRetry}>
          {t("error.retry")}
        </Button>
      </Stack>
    </Alert>
  );
}
