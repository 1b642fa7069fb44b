import { Alert, Button, Divider } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";

/** Why the provider's login did not end in a session: words of the server. */
const refusals = ["failed", "disabled", "name_taken", "unavailable"] as const;

/** The provider's login, where the admin has one, and why the last one was refused. */
export function SingleSignOn() {
  const { t } = useTranslation();
  const [refused] = useState(() => {
    const said = new URLSearchParams(window.location.search).get("sso_error");
    return refusals.find((word) => word === said);
  });
  return (
    <>
      {refused && <Alert color="red">{t(`login.sso.${refused}`)}</Alert>}
      <ProviderButton />
    </>
  );
}

interface Props {
  /** In a tab of its own, so that this page keeps its state. */
  elsewhere?: boolean;
  onClick?: () => void;
}

/** Leads to the provider's login, where the admin has one. */
export function ProviderButton({ elsewhere, onClick }: Props) {
  const { t } = useTranslation();
  const options = useQuery({
    queryKey: ["login-options"],
    queryFn: ({ signal }) => unwrap(api.GET("/login/options", { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const provider = options.data?.oidc;
  if (!provider?.enabled) return null;
  return (
    <>
      <Divider label={t("login.sso.or")} />
      <Button
        component="a"
        href="/api/v1/oidc/login"
        target={elsewhere ? "_blank" : undefined}
        variant="default"
        onClick={onClick}
      >
        {t("login.sso.with", { name: provider.name || "SSO" })}
      </Button>
    </>
  );
}
