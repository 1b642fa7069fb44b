import { Alert } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "../api/problem";
import { useErrorText } from "./error-text";

/**
 * Says above a form why the server refused it; nothing while there is no error. What is
 * said at the fields already is not said again.
 */
export function ErrorAlert({ error }: { error: unknown }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const box = useRef<HTMLDivElement>(null);
  const [marked, setMarked] = useState<unknown>();
  // A form may mark its fields only after this, and takes a mark away when one is edited:
  // once is enough. So it looks again after each drawing, until it has seen it.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  useLayoutEffect(() => {
    if (marked !== error && isMarked(box.current, error)) setMarked(error);
  });
  if (!error) return null;
  return (
    <Alert ref={box} color="red" icon={<IconAlertCircle />} role="alert">
      {marked === error ? t("error.marked") : errorText(error)}
    </Alert>
  );
}

/** Whether all that is wrong stands at fields of the form. */
function isMarked(box: HTMLElement | null, error: unknown): boolean {
  if (!(error instanceof ApiError) || error.fields.length === 0) return false;
  const marks = box?.closest("form")?.querySelectorAll('[class*="-error"]') ?? [];
  const texts = new Set(
    [...marks].filter((mark) => mark.checkVisibility()).map((mark) => mark.textContent),
  );
  return error.fields.every(({ message }) => message !== "" && texts.has(message));
}
