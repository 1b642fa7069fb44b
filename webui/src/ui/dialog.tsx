import { Modal, type ModalProps } from "@mantine/core";
import { useEffect, useState } from "react";

/** A dialog that is open while it is mounted, and then gives the focus back. */
export function Dialog(props: Omit<ModalProps, "opened">) {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (before instanceof HTMLElement) before.focus();
    },
    [before],
  );
  return <Modal opened centered {...props} />;
}
