import { Badge, NavLink, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import { pagesFor } from "./pages";

interface Props {
  rights: string[];
  onNavigate: () => void;
}

/** The menu, in XXL-JOB's words and order. */
export function Navigation({ rights, onNavigate }: Props) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const system = useQuery(queries.system());
  return (
    <>
      <div>
        {pagesFor(rights).map(({ to, label, icon: Icon }) => (
          <NavLink
            key={to}
            component={Link}
            to={to}
            label={t(label)}
            leftSection={<Icon size={18} stroke={1.7} />}
            rightSection={to === "/reviews" && <PendingCount />}
            active={to === "/" ? pathname === to : pathname.startsWith(to)}
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

/** How many versions wait for approval. */
function PendingCount() {
  const reviews = useQuery(queries.reviews({}));
  const total = reviews.data?.total ?? 0;
  return total > 0 && <Badge size="sm">{total}</Badge>;
}
