import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Job, ServerDraft, User, Version } from "../api/types";
import { EditorPage } from "./editor-page";
import { ModulePage } from "./module-page";
import { templateFor } from "./templates";

interface Props {
  job: Job;
  user: User;
  live: Version | undefined;
  stored: ServerDraft | null;
}

/** WebAssembly: a module is uploaded, or written here and compiled in the browser. */
export function WasmPage(props: Props) {
  const { t } = useTranslation();
  const { live, stored } = props;
  const [mode, setMode] = useState<"upload" | "source">(
    (stored?.source ?? live?.source) ? "source" : "upload",
  );
  const choice = (
    <SegmentedControl
      size="xs"
      mb="sm"
      aria-label={t("module.mode")}
      value={mode}
      onChange={(value) => setMode(value as typeof mode)}
      data={[
        { value: "upload", label: t("module.modeUpload") },
        { value: "source", label: t("module.modeSource") },
      ]}
    />
  );
  if (mode === "upload") {
    return (
      <ModulePage job={props.job} live={live}>
        {choice}
      </ModulePage>
    );
  }
  return (
    <EditorPage {...props} first={templateFor("ASSEMBLYSCRIPT")}>
      {choice}
    </EditorPage>
  );
}
