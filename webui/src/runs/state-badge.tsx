import { Badge } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { State } from "../api/types";
import { stateColors } from "./state";

export function StateBadge({ state, size }: { state: State; size?: string }) {
  const { t } = useTranslation();
  return (
    <Badge color={stateColors[state]} variant="light" size={size} style={{ cursor: "inherit" }}>
      {t(`state.${state}`)}
    </Badge>
  );
}
