import { Alert, Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { Job, VersionInfo } from "../api/types";
import { holds } from "../session/rights";
import { useErrorText } from "../ui/error-text";
import { useReview } from "./use-publish";

interface Props {
  job: Job;
  version: VersionInfo;
  onDone: () => void;
}

/** What somebody else has decided on a version, or the way to decide. */
export function ReviewPanel({ job, version, onDone }: Props) {
  const { t } = useTranslation();
  const me = useQuery(queries.me());
  if (version.review === "none" || !me.data) return null;
  if (version.review !== "pending") {
    return (
      <Text size="sm">
        {t("review.by", { state: t(`review.state.${version.review}`), name: version.reviewed_by })}
        {version.review_note && `: ${version.review_note}`}
      </Text>
    );
  }
  if (version.author === me.data.username || !holds(me.data, "glue.publish", job.group_id)) {
    return (
      <Alert color="yellow">
        {t(version.author === me.data.username ? "review.own" : "review.state.pending")}
      </Alert>
    );
  }
  return <Decision job={job} version={version} onDone={onDone} />;
}

function Decision({ job, version, onDone }: Props) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const review = useReview(job, version.number);
  const [note, setNote] = useState("");
  const isOutdated = version.base_version !== job.glue_version;
  const decide = (verb: "approve" | "reject") =>
    review.mutate({ verb, note: note.trim() }, { onSuccess: onDone });
  return (
    <Stack gap="xs">
      {review.error && (
        <Alert color="red" role="alert">
          {errorText(review.error)}
        </Alert>
      )}
      {isOutdated && <Alert color="yellow">{t("review.outdated")}</Alert>}
      <Textarea
        label={t("review.note")}
        description={t("review.noteHint")}
        autosize
        maxLength={1000}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      <Group justify="flex-end">
        <Button
          variant="light"
          color="red"
          leftSection={<IconX size={16} />}
          disabled={note.trim() === "" || review.isPending}
          onClick={() => decide("reject")}
        >
          {t("review.reject")}
        </Button>
        <Button
          leftSection={<IconCheck size={16} />}
          disabled={isOutdated || review.isPending}
          onClick={() => decide("approve")}
        >
          {t("review.approve")}
        </Button>
      </Group>
    </Stack>
  );
}
