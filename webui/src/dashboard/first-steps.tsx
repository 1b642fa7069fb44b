import { IconListDetails, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import { useRight } from "../session/use-right";
import { Empty } from "../ui/empty";
import { ButtonLink } from "../ui/links";

/** Says how to begin, as long as there is no job. */
export function FirstSteps() {
  const { t } = useTranslation();
  const summary = useQuery(queries.summary());
  const mayEdit = useRight("job.edit");
  if (summary.data?.jobs.total !== 0) return null;
  return (
    <Empty
      icon={<IconListDetails />}
      title={t("jobs.emptyTitle")}
      text={t(mayEdit ? "jobs.emptyText" : "jobs.noneSeen")}
      actions={
        mayEdit && (
          <ButtonLink to="/jobs/new" leftSection={<IconPlus size={16} />}>
            {t("jobs.add")}
          </ButtonLink>
        )
      }
    />
  );
}
