import { Alert, Anchor, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Version } from "../api/types";
import { Instant } from "../ui/instant";
import type { EditorText } from "./use-editor";

interface Props {
  editor: EditorText;
  live: Version | undefined;
  onDiscard: () => void;
  onCompareLive: () => void;
  onCompareElsewhere: () => void;
  onCompareOther: (username: string) => void;
}

/** What one must know before typing on: an old draft, and who else is at work. */
export function DraftNotices({ editor, live, ...on }: Props) {
  const { t } = useTranslation();
  const { draft } = editor;
  const isStale = live !== undefined && editor.base !== live.number;
  return (
    <>
      {editor.restoredAt && editor.isDirty && (
        <Notice color="blue" action={t("glue.discardDraft")} onAction={on.onDiscard}>
          {t("glue.restored")} <Instant at={editor.restoredAt} />.
        </Notice>
      )}
      {isStale && (
        <Notice color="yellow" action={t("glue.showDifference")} onAction={on.onCompareLive}>
          {t("glue.stale", { number: live.number, author: live.author })}
        </Notice>
      )}
      {draft.isElsewhere && (
        <Notice color="yellow" action={t("glue.showDifference")} onAction={on.onCompareElsewhere}>
          {t("glue.elsewhere")}
        </Notice>
      )}
      {draft.others.map((other) => (
        <Notice
          key={other.username}
          color="yellow"
          action={t("glue.showDifference")}
          onAction={() => on.onCompareOther(other.username)}
        >
          {t("glue.otherDraft", { name: other.username, number: other.base_version })}{" "}
          <Instant at={other.updated_at} />
        </Notice>
      ))}
    </>
  );
}

interface NoticeProps {
  color: string;
  action?: string;
  onAction?: () => void;
  children: ReactNode;
}

function Notice({ color, action, onAction, children }: NoticeProps) {
  return (
    <Alert color={color} mb="sm" p="xs" role="alert">
      <Text size="sm" component="div">
        {children}{" "}
        {action && (
          <Anchor component="button" type="button" size="sm" onClick={onAction}>
            {action}
          </Anchor>
        )}
      </Text>
    </Alert>
  );
}
