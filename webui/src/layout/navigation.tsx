import { NavLink, Text } from "@mantine/core";
import { IconHistory, IconListDetails, IconServer2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";

const entries = [
  { to: "/jobs", label: "nav.jobs", icon: IconListDetails },
  { to: "/runs", label: "nav.runs", icon: IconHistory },
  { to: "/executors", label: "nav.executors", icon: IconServer2 },
] as const;

/** The menu, in XXL-JOB's words and order. */
export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const system = useQuery(queries.system());
  return (
    <>
      <div>
        {entries.map(({ to, label, icon: Icon }) => (
          <NavLink
            key={to}
            component={Link}
            to={to}
            label={t(label)}
            leftSection={<Icon size={18} stroke={1.7} />}
            active={pathname.startsWith(to)}
            onClick={onNavigate}
            style={{ borderRadius: "var(--mantine-radius-md)" }}
          />
        ))}
      </div>
      <Text c="dimmed" size="xs" mt="auto" px="sm">
        {system.data && `gluewheel ${system.data.version}`}
      </Text>
    </>
  );
}
