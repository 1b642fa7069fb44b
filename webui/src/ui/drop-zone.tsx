import { Button, FileButton, Stack, Text } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { useState } from "react";

interface Props {
  accept: string;
  title: string;
  text: string;
  button: string;
  disabled?: boolean;
  onFile: (file: File) => void;
}

/** Takes a file that is dropped on it or chosen with its button. */
export function DropZone({ accept, title, text, button, disabled, onFile }: Props) {
  const [isOver, setOver] = useState(false);
  return (
    <div
      className="drop-zone"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const file = event.dataTransfer.files[0];
        if (file && !disabled) onFile(file);
      }}
    >
      <Stack align="center" gap="xs">
        <IconUpload size={32} stroke={1.5} />
        <Text fw={600}>{title}</Text>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
        <FileButton accept={accept} onChange={(file) => file && onFile(file)} disabled={disabled}>
          {(props) => (
            <Button variant="light" disabled={disabled} {...props}>
              {button}
            </Button>
          )}
        </FileButton>
      </Stack>
    </div>
  );
}
