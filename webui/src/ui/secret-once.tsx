import { Alert, Button, Code, CopyButton, Group, Stack, Text } from "@mantine/core";
import { IconCheck, IconCopy, IconKey } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { ServerText } from "./server-text";

/** A token that is shown this one time. */
export function SecretOnce({ token, warning }: { token: string; warning?: string }) {
  const { t } = useTranslation();
  return (
    <Stack gap="xs">
      <Alert color="yellow" icon={<IconKey />}>
        {t("tokens.once")}
      </Alert>
      {warning && (
        <Alert color="red" role="alert">
          <ServerText text={warning} />
        </Alert>
      )}
      <Group gap="xs" wrap="nowrap">
        <Code flex={1} style={{ overflowWrap: "anywhere" }} data-testid="token">
          {token}
        </Code>
        <CopyButton value={token}>
          {({ copied, copy }) => (
            <Button
              size="xs"
              variant="light"
              leftSection={copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
              onClick={copy}
            >
              {t(copied ? "tokens.copied" : "action.copy")}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Text size="xs" c="dimmed">
        {t("tokens.onceText")}
      </Text>
    </Stack>
  );
}
