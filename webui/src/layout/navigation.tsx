import { Badge, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import classes from "./navigation.module.css";
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
  const isHere = (to: string) => (to === "/" ? pathname === to : pathname.startsWith(to));
  return (
    <>
      <div>
        {pagesFor(rights).map(({ to, label, icon: Icon }) => (
          <Link
            key={to}
            to={to}
            className={classes.link}
            data-here={isHere(to) || undefined}
            onClick={onNavigate}
          >
            <Icon size={18} stroke={1.7} />
            <span className={classes.label}>{t(label)}</span>
            {to === "/reviews" && <PendingCount />}
          </Link>
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
