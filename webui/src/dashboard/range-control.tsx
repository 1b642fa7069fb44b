import { Button, Group, SegmentedControl } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { formatInstant } from "../time/zone";
import { word } from "../ui/search";
import { useZone } from "../ui/zone";
import { ranges } from "./range";

/** Chooses what time the dashboard is about, and gives up what was chosen in its chart. */
export function RangeControl() {
  const { t } = useTranslation();
  const zone = useZone();
  const { range = "24h", from, to, group_id } = useSearch({ from: "/" });
  const navigate = useNavigate({ from: "/" });
  const shown = (at: string) => formatInstant(new Date(at), zone).slice(5, 16);
  return (
    <Group gap="xs">
      {from && to && (
        <Button
          size="compact-sm"
          variant="light"
          rightSection={<IconX size={14} />}
          title={t("dashboard.resetRange")}
          onClick={() => void navigate({ search: { group_id } })}
        >
          {shown(from)} – {shown(to)}
        </Button>
      )}
      <SegmentedControl
        size="xs"
        aria-label={t("dashboard.range")}
        value={from && to ? "" : range}
        data={ranges.map((value) => ({ value, label: t(`dashboard.ranges.${value}`) }))}
        onChange={(value) =>
          void navigate({ search: { range: word(value, ranges), group_id }, replace: true })
        }
      />
    </Group>
  );
}
