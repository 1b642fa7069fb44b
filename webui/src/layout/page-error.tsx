import { Button } from "@mantine/core";
import { IconBug, IconMapQuestion } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "../ui/links";
import { Empty } from "../ui/empty";

export function NotFound() {
  const { t } = useTranslation();
  return (
    <Empty
      icon={<IconMapQuestion />}
      title={t("error.pageTitle")}
      text={t("error.pageText")}
      actions={<ButtonLink to="/jobs">{t("nav.jobs")}</ButtonLink>}
    />
  );
}

/** Shown when a page itself breaks, such as a chunk that an upgrade has replaced. */
export function PageError() {
  const { t } = useTranslation();
  return (
    <Empty
      icon={<IconBug />}
      title={t("error.brokenTitle")}
      text={t("error.brokenText")}
      actions={<Button onClick={() => location.reload()}>{t("error.reload")}</Button>}
    />
  );
}
