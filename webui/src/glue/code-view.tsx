import { Alert, Paper } from "@mantine/core";
import { IconEye } from "@tabler/icons-react";
import type { EditorView } from "@codemirror/view";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Job, Version } from "../api/types";
import { PageHead } from "../ui/page-head";
import { CodeEditor } from "./code-editor";
import { codeLanguage } from "./code-language";
import classes from "./glue.module.css";
import { JobBadges } from "./job-badges";
import { JobLinks } from "./job-links";
import { ModuleFacts } from "./module-facts";
import { VersionsPanel } from "./versions-panel";

interface Props {
  job: Job;
  /** The version that runs now; absent while none was published. */
  live: Version | undefined;
}

const noProblems = [] as const;
const nothing = () => {};

/** A job's code for those who may see it, and may not change it. */
export function CodeView({ job, live }: Props) {
  const { t } = useTranslation();
  const view = useRef<EditorView>(null);
  return (
    <>
      <PageHead
        title={job.name}
        badge={<JobBadges job={job} isDirty={false} />}
        actions={<JobLinks job={job} />}
      />
      <Alert icon={<IconEye />} variant="light" mb="md" p="xs">
        {t("glue.readOnly")}
      </Alert>
      <div className={classes.columns}>
        {live?.artifact ? (
          <ModuleFacts digest={live.artifact} />
        ) : (
          <div className={classes.editor}>
            <CodeEditor
              value={live?.source ?? ""}
              language={codeLanguage(job.glue_type, live?.source ?? "")}
              label={t("glue.source")}
              focused={false}
              isReadOnly
              problems={noProblems}
              target={undefined}
              viewRef={view}
              onChange={nothing}
              onPublish={nothing}
              onRun={nothing}
              onFormat={nothing}
            />
          </div>
        )}
        <Paper withBorder p="sm" miw={0}>
          <VersionsPanel job={job} />
        </Paper>
      </div>
    </>
  );
}
