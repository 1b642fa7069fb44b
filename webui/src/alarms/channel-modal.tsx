import {
  Checkbox,
  Group,
  NumberInput,
  PasswordInput,
  Select,
  TagsInput,
  TextInput,
} from "@mantine/core";
import { isNotEmpty, useForm, type UseFormReturnType } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { queries } from "../api/queries";
import type { AlarmChannel, AlarmChannelInput } from "../api/types";
import { Dialog } from "../ui/dialog";
import { DialogForm } from "../ui/dialog-form";
import { useFirst } from "../ui/use-first";
import { useSave } from "../ui/use-save";
import { channelKinds } from "./choices";

interface Props {
  /** The channel to edit; absent for a new one. */
  channel?: AlarmChannel;
  onClose: () => void;
}

/** A mail server or an address to post to. */
export function ChannelModal({ channel: shown, onClose }: Props) {
  const { t } = useTranslation();
  const channel = useFirst(shown);
  const form = useForm<AlarmChannelInput>({
    initialValues: {
      name: channel?.name ?? "",
      kind: channel?.kind ?? "webhook",
      language: channel?.language ?? "en",
      config: channel?.config ?? {},
    },
    validate: { name: isNotEmpty(t("jobForm.required")) },
  });
  const save = useSave({
    save: (body: AlarmChannelInput) =>
      channel
        ? unwrap(
            api.PUT("/alarm-channels/{id}", {
              params: { path: { id: channel.id } },
              body: { ...body, version: channel.version },
            }),
          )
        : unwrap(api.POST("/alarm-channels", { body })),
    queryKey: queries.alarmChannels().queryKey,
    form,
    onSaved: onClose,
  });
  return (
    <Dialog onClose={onClose} title={t(channel ? "alarms.editChannel" : "alarms.addChannel")}>
      <DialogForm
        mutation={save}
        onSubmit={form.onSubmit((values) => save.mutate(values))}
        onCancel={onClose}
      >
        <TextInput
          label={t("tokens.name")}
          required
          data-autofocus
          {...form.getInputProps("name")}
        />
        <Select
          label={t("alarms.channelKind")}
          allowDeselect={false}
          disabled={channel !== undefined}
          data={channelKinds.map((value) => ({ value, label: t(`alarms.kind.${value}`) }))}
          {...form.getInputProps("kind")}
        />
        <Select
          label={t("nav.language")}
          allowDeselect={false}
          data={[
            { value: "en", label: "English" },
            { value: "zh", label: "简体中文" },
          ]}
          {...form.getInputProps("language")}
        />
        {form.values.kind === "email" ? (
          <MailFields form={form} kept={channel?.secrets_set ?? []} />
        ) : (
          <PostFields form={form} kept={channel?.secrets_set ?? []} />
        )}
      </DialogForm>
    </Dialog>
  );
}

interface FieldsProps {
  form: UseFormReturnType<AlarmChannelInput>;
  /** Secret fields that have a value already. */
  kept: string[];
}

function PostFields({ form, kept }: FieldsProps) {
  const { t } = useTranslation();
  const hasSecret = ["webhook", "dingtalk", "feishu"].includes(form.values.kind);
  return (
    <>
      <TextInput
        label={t("alarms.url")}
        description={kept.includes("url") ? t("alarms.kept") : undefined}
        placeholder="https://"
        {...form.getInputProps("config.url")}
      />
      {hasSecret && (
        <PasswordInput
          label={t("alarms.secret")}
          description={t(kept.includes("secret") ? "alarms.kept" : "alarms.secretHint")}
          autoComplete="off"
          {...form.getInputProps("config.secret")}
        />
      )}
    </>
  );
}

function MailFields({ form, kept }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Group grow align="start">
        <TextInput label={t("alarms.host")} {...form.getInputProps("config.host")} />
        <NumberInput
          label={t("alarms.port")}
          min={1}
          max={65_535}
          {...form.getInputProps("config.port")}
        />
        <Select
          label="TLS"
          data={["starttls", "tls", "none"]}
          {...form.getInputProps("config.tls")}
        />
      </Group>
      <Group grow align="start">
        <TextInput
          label={t("login.username")}
          autoComplete="off"
          {...form.getInputProps("config.username")}
        />
        <PasswordInput
          label={t("login.password")}
          description={kept.includes("password") ? t("alarms.kept") : undefined}
          autoComplete="off"
          {...form.getInputProps("config.password")}
        />
      </Group>
      <TextInput label={t("alarms.from")} {...form.getInputProps("config.from")} />
      <TagsInput label={t("alarms.to")} {...form.getInputProps("config.to")} />
      <Checkbox
        label={t("alarms.jobEmails")}
        {...form.getInputProps("config.job_emails", { type: "checkbox" })}
      />
    </>
  );
}
