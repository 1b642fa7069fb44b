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
  onTake: (other: ServerDraft) => void;
  onClose: () => void;
}

/** Somebody else writes for the same job: shows their draft beside one's own. */
export function OtherDraftModal({ jobID, username, mine, language, ...on }: Props) {
  const { t } = useTranslation();
  const other = useQuery({ ...queries.draftOf(jobID, username), refetchOnMount: "always" });
  return (
    <DraftModal
      title={t("glue.otherDraftTitle", { name: username })}
      other={other}
      otherLabel={username}
      gone={t("glue.otherDraftGone", { name: username })}
      mine={mine}
      mineLabel={t("glue.yours")}
      language={language}
      takeLabel={t("glue.takeDraft", { name: username })}
      onTake={on.onTake}
      keepLabel={t("glue.decideLater")}
      onKeep={on.onClose}
      onClose={on.onClose}
    />
  );
}
