import { Button, Group } from "@mantine/core";
import { IconEdit, IconLogout, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import type { Account } from "../api/types";
import { ConfirmModal } from "../ui/confirm-modal";
import { useNotify } from "../ui/notify";
import { AccountModal } from "./account-modal";

/** Edits an account, ends its sessions, deletes it; nobody deletes themselves. */
export function AccountActions({ account, isSelf }: { account: Account; isSelf: boolean }) {
  const { t } = useTranslation();
  const notify = useNotify();
  const queryClient = useQueryClient();
  const [dialog, setDialog] = useState<"edit" | "logout" | "delete">();
  const close = () => setDialog(undefined);
  const path = { params: { path: { id: account.id } } };
  const remove = useMutation({
    mutationFn: () => unwrap(api.DELETE("/users/{id}", path)),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["users"] });
      close();
    },
    onError: notify.failed,
  });
  const logout = useMutation({
    mutationFn: () => unwrap(api.DELETE("/users/{id}/sessions", path)),
    onSuccess: () => {
      notify.done(t("users.loggedOut", { name: account.username }));
      close();
    },
    onError: notify.failed,
  });
  const button = { size: "compact-sm", variant: "subtle" } as const;
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <Button {...button} leftSection={<IconEdit size={15} />} onClick={() => setDialog("edit")}>
        {t("action.edit")}
      </Button>
      {!isSelf && (
        <>
          <Button
            {...button}
            color="gray"
            leftSection={<IconLogout size={15} />}
            onClick={() => setDialog("logout")}
          >
            {t("users.logOut")}
          </Button>
          <Button
            {...button}
            color="red"
            leftSection={<IconTrash size={15} />}
            onClick={() => setDialog("delete")}
          >
            {t("action.delete")}
          </Button>
        </>
      )}
      {dialog === "edit" && <AccountModal account={account} onClose={close} />}
      {dialog === "logout" && (
        <ConfirmModal
          title={t("users.logOutTitle")}
          text={t("users.logOutText", { name: account.username })}
          confirm={t("users.logOut")}
          danger
          pending={logout.isPending}
          onConfirm={() => logout.mutate()}
          onClose={close}
        />
      )}
      {dialog === "delete" && (
        <ConfirmModal
          title={t("users.deleteTitle")}
          text={t("users.deleteText", { name: account.username })}
          confirm={t("action.delete")}
          danger
          pending={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={close}
        />
      )}
    </Group>
  );
}
