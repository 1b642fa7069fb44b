import { Modal, type ModalProps } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

/** A dialog that is open while it is mounted, and then gives the focus back. */
export function Dialog(props: Omit<ModalProps, "opened">) {
  const { t } = useTranslation();
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (before instanceof HTMLElement) before.focus();
    },
    [before],
  );
  const closeButtonProps = { "aria-label": t("action.close") };
  return <Modal opened centered closeButtonProps={closeButtonProps} {...props} />;
}
