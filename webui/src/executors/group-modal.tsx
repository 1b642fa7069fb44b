import { Alert, Button, Checkbox, Group, Radio, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconAlertCircle } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { fieldErrors } from "../api/problem";
import type { Group as ExecutorGroup, GroupInput } from "../api/types";
import { splitAddresses } from "../jobs/addresses";
import { Dialog } from "../ui/dialog";
import { useErrorText } from "../ui/error-text";

interface Props {
  /** The group to edit; absent for a new one. */
  group?: ExecutorGroup;
  onClose: () => void;
}

/** XXL-JOB's executor dialog: app name, title, type, addresses. */
export function GroupModal({ group, onClose }: Props) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: {
      app_name: group?.app_name ?? "",
      title: group?.title ?? "",
      address_type: String(group?.address_type ?? 0),
      addresses: group?.address_list.join("\n") ?? "",
      require_review: group?.require_review ?? false,
    },
    validate: {
      app_name: (value) => (value.trim() === "" ? t("jobForm.required") : null),
      title: (value) => (value.trim() === "" ? t("jobForm.required") : null),
    },
  });
  const save = useMutation({
    mutationFn: (input: GroupInput) =>
      group
        ? unwrap(
            api.PUT("/groups/{id}", {
              params: { path: { id: group.id } },
              body: { ...input, version: group.version },
            }),
          )
        : unwrap(api.POST("/groups", { body: input })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["groups"] });
      onClose();
    },
    onError: (error) => {
      const { address_list, ...fields } = fieldErrors(error);
      form.setErrors({ ...fields, addresses: address_list });
    },
  });
  const submit = form.onSubmit(({ addresses, address_type, app_name, title, require_review }) => {
    const isManual = address_type === "1";
    save.mutate({
      app_name: app_name.trim(),
      title: title.trim(),
      address_type: isManual ? 1 : 0,
      address_list: isManual ? splitAddresses(addresses) : [],
      require_review,
    });
  });

  return (
    <Dialog onClose={onClose} title={t(group ? "executors.editTitle" : "executors.add")}>
      <form onSubmit={submit}>
        <Stack>
          {save.error && (
            <Alert color="red" icon={<IconAlertCircle />} role="alert">
              {errorText(save.error)}
            </Alert>
          )}
          <TextInput
            label="AppName"
            description={t("executors.appNameHint")}
            required
            data-autofocus
            {...form.getInputProps("app_name")}
          />
          <TextInput label={t("executors.title")} required {...form.getInputProps("title")} />
          <Radio.Group label={t("executors.type")} {...form.getInputProps("address_type")}>
            <Stack gap={6} mt={6}>
              <Radio value="0" label={t("executors.automatic")} />
              <Radio value="1" label={t("executors.manual")} />
            </Stack>
          </Radio.Group>
          <Textarea
            label={t("executors.addresses")}
            description={t("executors.addressesHint")}
            autosize
            minRows={2}
            disabled={form.values.address_type === "0"}
            {...form.getInputProps("addresses")}
          />
          <Checkbox
            label={t("executors.requireReview")}
            description={t("executors.requireReviewHint")}
            {...form.getInputProps("require_review", { type: "checkbox" })}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {t("action.save")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
