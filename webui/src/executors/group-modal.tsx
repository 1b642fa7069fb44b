import { Checkbox, Radio, Stack, Textarea, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import type { Group as ExecutorGroup, GroupInput } from "../api/types";
import { splitAddresses } from "../jobs/addresses";
import { Dialog } from "../ui/dialog";
import { DialogForm } from "../ui/dialog-form";
import { useFirst } from "../ui/use-first";
import { useSave } from "../ui/use-save";

interface Props {
  /** The group to edit; absent for a new one. */
  group?: ExecutorGroup;
  onClose: () => void;
}

/** XXL-JOB's executor dialog: app name, title, type, addresses. */
export function GroupModal({ group: shown, onClose }: Props) {
  const { t } = useTranslation();
  const group = useFirst(shown);
  const form = useForm({
    initialValues: {
      app_name: group?.app_name ?? "",
      title: group?.title ?? "",
      address_type: String(group?.address_type ?? 0),
      address_list: group?.address_list.join("\n") ?? "",
      require_review: group?.require_review ?? false,
    },
    validate: {
      app_name: isNotEmpty(t("jobForm.required")),
      title: isNotEmpty(t("jobForm.required")),
    },
  });
  const save = useSave({
    save: (values: typeof form.values) => {
      const isManual = values.address_type === "1";
      const body: GroupInput = {
        ...values,
        app_name: values.app_name.trim(),
        title: values.title.trim(),
        address_type: isManual ? 1 : 0,
        address_list: isManual ? splitAddresses(values.address_list) : [],
      };
      return group
        ? unwrap(
            api.PUT("/groups/{id}", {
              params: { path: { id: group.id } },
              body: { ...body, version: group.version },
            }),
          )
        : unwrap(api.POST("/groups", { body }));
    },
    queryKey: ["groups"],
    form,
    onSaved: onClose,
  });

  return (
    <Dialog onClose={onClose} title={t(group ? "executors.editTitle" : "executors.add")}>
      <DialogForm
        mutation={save}
        onSubmit={form.onSubmit((values) => save.mutate(values))}
        onCancel={onClose}
      >
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
          {...form.getInputProps("address_list")}
        />
        <Checkbox
          label={t("executors.requireReview")}
          description={t("executors.requireReviewHint")}
          {...form.getInputProps("require_review", { type: "checkbox" })}
        />
      </DialogForm>
    </Dialog>
  );
}
