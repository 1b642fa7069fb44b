import { TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useState } from "react";

const typingPause = 200; // ms without a key after which the filter is applied

interface Props extends Omit<TextInputProps, "value" | "onChange"> {
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** A text filter that is applied when the typing pauses. */
export function FilterInput({ value, onChange, ...rest }: Props) {
  const [typed, setTyped] = useState(value ?? "");
  const [applied, setApplied] = useState(value);
  const apply = useDebouncedCallback((text: string) => {
    const next = text.trim() || undefined;
    setApplied(next);
    onChange(next);
  }, typingPause);
  // The address bar changed by other means, such as the back button or a reset.
  if (value !== applied) {
    setApplied(value);
    setTyped(value ?? "");
  }
  return (
    <TextInput
      {...rest}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        apply(event.currentTarget.value);
      }}
    />
  );
}
