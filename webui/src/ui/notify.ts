import { notifications } from "@mantine/notifications";
import { useErrorText } from "./error-text";

/** Short messages in the corner: what was done, or why it was not. */
export function useNotify() {
  const errorText = useErrorText();
  return {
    done: (message: string) => notifications.show({ color: "teal", message }),
    warn: (message: string) => notifications.show({ color: "yellow", message, autoClose: 8000 }),
    failed: (error: unknown) =>
      notifications.show({ color: "red", message: errorText(error), autoClose: 8000 }),
  };
}
