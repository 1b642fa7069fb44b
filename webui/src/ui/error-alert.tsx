import { Alert } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { useErrorText } from "./error-text";

/** Says above a form why the server refused it; nothing while there is no error. */
export function ErrorAlert({ error }: { error: unknown }) {
  const errorText = useErrorText();
  if (!error) return null;
  return (
    <Alert color="red" icon={<IconAlertCircle />} role="alert">
      {errorText(error)}
    </Alert>
  );
}
