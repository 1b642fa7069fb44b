import { Alert, Button, Checkbox, Group, Stack } from "@mantine/core";
import { IconAlertCircle, IconCloudUpload } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "../api/problem";
import { Dialog } from "../ui/dialog";
import { useErrorText } from "../ui/error-text";
import { CodeDiff } from "./code-diff";
import { RemarkInput } from "./remark-input";
import { isRemark } from "./remark";

interface Props {
  before: { label: string; source: string } | undefined;
  source: string;
  glueType: string;
  runAfter: boolean;
  error: Error | null;
  pending: boolean;
  onPublish: (remark: string, runAfter: boolean) => void;
  onClose: () => void;
}

/** Shows what changes and asks why, before it goes live. */
export function PublishModal({
  before,
  source,
  glueType,
  error,
  pending,
  onPublish,
  onClose,
  ...rest
}: Props) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const [remark, setRemark] = useState("");
  const [runAfter, setRunAfter] = useState(rest.runAfter);
  const fields = fieldErrors(error);
  return (
    <Dialog onClose={onClose} title={t("glue.publishTitle")} size={before ? "80%" : "md"}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isRemark(remark)) onPublish(remark.trim(), runAfter);
        }}
      >
        <Stack>
          {error && !fields.remark && (
            <Alert color="red" icon={<IconAlertCircle />} role="alert">
              {errorText(error)}
            </Alert>
          )}
          <RemarkInput value={remark} onChange={setRemark} error={fields.remark} />
          {before && (
            <CodeDiff
              before={before.source}
              after={source}
              beforeLabel={before.label}
              afterLabel={t("glue.yours")}
              glueType={glueType}
            />
          )}
          <Group justify="space-between">
            <Checkbox
              label={t("glue.runAfter")}
              checked={runAfter}
              onChange={(event) => setRunAfter(event.currentTarget.checked)}
            />
            <Group>
              <Button variant="default" onClick={onClose}>
                {t("action.cancel")}
              </Button>
              <Button
                type="submit"
                loading={pending}
                disabled={!isRemark(remark)}
                leftSection={<IconCloudUpload size={16} />}
              >
                {t("glue.publish")}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
