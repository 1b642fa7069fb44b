import { Button, Menu } from "@mantine/core";
import { IconLogout, IconSettings, IconUserCircle } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import type { User } from "../api/types";
import { rememberLogin } from "../session/remember";
import { LazyMenu } from "../ui/lazy-menu";
import { MenuItemLink } from "../ui/links";
import { useNotify } from "../ui/notify";

export function UserMenu({ user }: { user: User }) {
  const { t } = useTranslation();
  const notify = useNotify();
  const logout = useMutation({
    mutationFn: () => unwrap(api.POST("/logout")),
    onSuccess: () => {
      rememberLogin(false);
      location.assign("/"); // a fresh page holds nothing of the person who left
    },
    onError: notify.failed,
  });
  return (
    <LazyMenu
      position="bottom-end"
      target={
        <Button
          variant="subtle"
          color="gray"
          size="compact-md"
          leftSection={<IconUserCircle size={20} stroke={1.7} />}
        >
          {user.username}
        </Button>
      }
    >
      {() => (
        <>
          <MenuItemLink leftSection={<IconSettings size={16} />} to="/settings">
            {t("nav.settings")}
          </MenuItemLink>
          <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => logout.mutate()}>
            {t("nav.logout")}
          </Menu.Item>
        </>
      )}
    </LazyMenu>
  );
}
