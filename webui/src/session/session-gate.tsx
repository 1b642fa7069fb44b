import { Center, Container, Skeleton, Stack } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { queries } from "../api/queries";
import { ApiError } from "../api/problem";
import type { User } from "../api/types";
import { QueryError } from "../ui/query-error";
import { ZoneProvider } from "../ui/zone";
import { ConnectionBanner } from "./connection-banner";
import { LoginPage } from "./login-page";
import { ReloginModal } from "./relogin-modal";
import { rememberLogin, wasLoggedIn } from "./remember";
import { established } from "./state";
import { useOtherTabs } from "./use-other-tabs";

/** Shows its children to those who are logged in, and the login page to others. */
export function SessionGate({ children }: { children: (user: User) => ReactNode }) {
  const queryClient = useQueryClient();
  const [isReturning] = useState(wasLoggedIn);
  const me = useQuery({ ...queries.me(), enabled: isReturning });
  const userID = me.data?.id;
  useEffect(() => {
    if (userID === undefined) return;
    rememberLogin(userID);
    established.set(true);
  }, [userID]);
  useOtherTabs(userID);

  if (me.data) {
    return (
      <ZoneProvider>
        {children(me.data)}
        <ReloginModal user={me.data} />
      </ZoneProvider>
    );
  }
  if (!isReturning || (me.error instanceof ApiError && me.error.status === 401)) {
    return <LoginPage onDone={(user) => queryClient.setQueryData(queries.me().queryKey, user)} />;
  }
  if (me.error) {
    return (
      <Container size="sm" py="xl">
        <ConnectionBanner />
        <QueryError error={me.error} onRetry={() => void me.refetch()} />
      </Container>
    );
  }
  return (
    <Center mih="100vh" aria-busy="true">
      <Stack w={360}>
        <Skeleton h={28} w={160} />
        <Skeleton h={120} />
      </Stack>
    </Center>
  );
}
