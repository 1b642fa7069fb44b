import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { Manifest, ServerDraft } from "../api/types";
import type { CodeLanguage } from "./code-language";
import { DraftModal } from "./draft-modal";

interface Props {
  jobID: number;
  username: string;
  mine: { source: string; manifest: Manifest };
  language: CodeLanguage;
  onTakeOther: (other: ServerDraft) => void;
  onKeepMine: (other: ServerDraft) => void;
  onClose: () => void;
}

/** The same person types in two windows: shows what the other one has and lets one choose. */
export function ElsewhereModal({ jobID, username, mine, language, ...on }: Props) {
  const { t } = useTranslation();
  const other = useQuery({ ...queries.draft(jobID, username), refetchOnMount: "always" });
  return (
    <DraftModal
      title={t("glue.elsewhereTitle")}
      other={other}
      otherLabel={t("glue.otherWindow")}
      gone={t("glue.elsewhereGone")}
      mine={mine}
      mineLabel={t("glue.thisWindow")}
      language={language}
      takeLabel={t("glue.takeOther")}
      onTake={on.onTakeOther}
      keepLabel={t("glue.keepThis")}
      onKeep={on.onKeepMine}
      onClose={on.onClose}
    />
  );
}
