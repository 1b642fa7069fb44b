import { SimpleGrid, TagsInput, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { GroupSelect } from "../ui/group-select";
import type { JobFormState } from "./job-form";

export function BaseFields({ form }: { form: JobFormState }) {
  const { t } = useTranslation();
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <GroupSelect
        label={t("job.group_id")}
        description={t("jobForm.groupHint")}
        required
        allowDeselect={false}
        value={form.values.group_id || undefined}
        onChange={(groupID) => form.setFieldValue("group_id", groupID ?? 0)}
        error={form.errors.group_id}
      />
      <TextInput
        label={t("job.name")}
        description={t("jobForm.nameHint")}
        required
        maxLength={255}
        data-autofocus
        {...form.getInputProps("name")}
      />
      <TextInput
        label={t("job.author")}
        description={t("jobForm.authorHint")}
        required
        maxLength={64}
        {...form.getInputProps("author")}
      />
      <TextInput
        label={t("job.alarm_email")}
        description={t("jobForm.alarmEmailHint")}
        placeholder={t("job.alarm_emailHint")}
        {...form.getInputProps("alarm_email")}
      />
      <TextInput
        label={t("job.description")}
        style={{ gridColumn: "1 / -1" }}
        {...form.getInputProps("description")}
      />
      <TagsInput
        label={t("job.tags")}
        description={t("jobForm.tagsHint")}
        style={{ gridColumn: "1 / -1" }}
        {...form.getInputProps("tags")}
      />
    </SimpleGrid>
  );
}
