import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { GroupSelect } from "../ui/group-select";

/** Chooses the executor group that the dashboard is about; no part of the first load. */
export default function GroupFilter() {
  const { t } = useTranslation();
  const { group_id } = useSearch({ from: "/" });
  const navigate = useNavigate({ from: "/" });
  return (
    <GroupSelect
      size="xs"
      w={170}
      clearable
      aria-label={t("job.group_id")}
      placeholder={t("job.group_id")}
      value={group_id}
      onChange={(chosen) =>
        void navigate({ search: (old) => ({ ...old, group_id: chosen }), replace: true })
      }
    />
  );
}
