import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";

interface Props {
  /** What the button does: "Delete". */
  words: string;
  /** The same with what it does it to, for screen readers. */
  label?: string;
  /** What comes of it, which cannot be taken back. */
  text: string;
  pending: boolean;
  onConfirm: () => void;
}

// Each of the two stands where the other had the focus.
const focus = (button: HTMLElement | null) => button?.focus();

const small = { size: "compact-sm" } as const;

/** A button that asks in its own place before it acts: inside dialogs, which open no others. */
export function SureButton({ words, label, text, pending, onConfirm }: Props) {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState<boolean>();
  if (!isAsking) {
    return (
      <Button
        {...small}
        ref={isAsking === false ? focus : undefined}
        variant="subtle"
        color="red"
        aria-label={label}
        onClick={() => setAsking(true)}
      >
        {words}
      </Button>
    );
  }
  return (
    <Group gap={6} justify="flex-end" role="group" aria-label={label ?? words}>
      <Text size="xs">{text}</Text>
      <Group gap={6} wrap="nowrap">
        <Button {...small} ref={focus} variant="default" onClick={() => setAsking(false)}>
          {t("action.cancel")}
        </Button>
        <Button {...small} color="red" loading={pending} onClick={onConfirm}>
          {words}
        </Button>
      </Group>
    </Group>
  );
}
