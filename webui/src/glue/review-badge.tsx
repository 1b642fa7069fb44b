import { Badge } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { VersionInfo } from "../api/types";

/** That a version has never been live; nothing for others. */
export function ReviewBadge({ review }: Pick<VersionInfo, "review">) {
  const { t } = useTranslation();
  if (review !== "pending" && review !== "rejected") return null;
  return (
    <Badge size="xs" variant="light" color={review === "pending" ? "yellow" : "red"}>
      {t(`review.state.${review}`)}
    </Badge>
  );
}
