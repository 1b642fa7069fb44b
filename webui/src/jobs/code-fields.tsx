import { Autocomplete, Select, SimpleGrid, Text, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import { AnchorLink } from "../ui/links";
import { glueTitles, glueTypes } from "./choices";
import type { JobFormState } from "./job-form";

interface Props {
  form: JobFormState;
  /** The job being edited; absent for a new one. As in XXL-JOB its type cannot change. */
  existingID: number | undefined;
}

export function CodeFields({ form, existingID }: Props) {
  const { t } = useTranslation();
  const isBean = form.values.glue_type === "BEAN";
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Select
        label={t("job.glue_type")}
        description={existingID === undefined ? undefined : t("jobForm.typeFixed")}
        required
        disabled={existingID !== undefined}
        allowDeselect={false}
        data={glueTypes.map((value) => ({ value, label: glueTitles[value] }))}
        {...form.getInputProps("glue_type")}
      />
      {isBean ? (
        <HandlerInput form={form} />
      ) : (
        <Text size="sm" c="dimmed" mt={28}>
          {t(existingID === undefined ? "jobForm.codeNext" : "jobForm.codeElsewhere")}{" "}
          {existingID !== undefined && (
            <AnchorLink to="/jobs/$jobID/glue" params={{ jobID: existingID }} size="sm">
              GLUE IDE
            </AnchorLink>
          )}
        </Text>
      )}
      <Textarea
        label={t("job.param")}
        description={t("jobForm.paramHint")}
        autosize
        minRows={2}
        maxRows={12}
        style={{ gridColumn: "1 / -1" }}
        {...form.getInputProps("param")}
      />
    </SimpleGrid>
  );
}

/** The handler's name, completed from those that the group's executors have told. */
function HandlerInput({ form }: { form: JobFormState }) {
  const { t } = useTranslation();
  const { group_id } = form.values;
  const nodes = useQuery({ ...queries.groupExecutors(group_id), enabled: group_id > 0 });
  const handlers = new Set(nodes.data?.items.flatMap((node) => node.handlers));
  return (
    <Autocomplete
      label={t("job.handler")}
      description={t("jobForm.handlerHint")}
      required
      data={[...handlers].toSorted()}
      {...form.getInputProps("handler")}
    />
  );
}
