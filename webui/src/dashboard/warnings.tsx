import { Alert, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import { ServerText } from "../ui/server-text";

const fresh = 60_000; // ms after which a visit asks again whether something is still so

/** What the installation's admins should do something about; others get none. */
export function Warnings() {
  const { t } = useTranslation();
  const system = useQuery({ ...queries.system(), staleTime: fresh });
  if (!system.data || system.data.warnings.length === 0) return null;
  return (
    <Alert color="yellow" icon={<IconAlertTriangle />} title={t("dashboard.warnings")} mb="md">
      {system.data.warnings.map((warning) => (
        <Text key={warning} size="sm">
          <ServerText text={warning} />
        </Text>
      ))}
    </Alert>
  );
}
