import { Paper, Tabs } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Job, Manifest } from "../api/types";
import { LatestRun } from "../runs/latest-run";
import { word } from "../ui/search";
import { ManifestFields } from "./manifest-fields";
import { sideTabs } from "./side-tabs";
import { TestPanel } from "./test-panel";
import { useSidePanel } from "./use-side-panel";
import type { useTestRun } from "./use-test-run";
import { VersionsPanel } from "./versions-panel";

interface Props {
  job: Job;
  /** What is in the editor, to compare with; absent for modules. */
  source?: string;
  manifest: Manifest;
  test: ReturnType<typeof useTestRun>;
  /** A run of the version that was just published. */
  runID: number | undefined;
  onManifest: (manifest: Manifest) => void;
  onTest: () => void;
}

/** Beside the code: trying it, its versions, what it may use. */
export function SidePanel({ job, source, manifest, test, runID, ...on }: Props) {
  const { t } = useTranslation();
  const { tab, setTab } = useSidePanel();
  return (
    <Paper withBorder p="sm" miw={0}>
      <Tabs value={tab} onChange={(value) => setTab(word(value, sideTabs) ?? "test")} keepMounted={false}>
        <Tabs.List mb="sm">
          {sideTabs.map((value) => (
            <Tabs.Tab key={value} value={value} px="xs">
              {t(`glue.tab.${value}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="test">
          <TestPanel
            job={job}
            input={test.input}
            runID={runID === undefined ? test.runID : undefined}
            pending={test.isPending}
            onChange={test.setInput}
            onStart={on.onTest}
          />
          {runID !== undefined && <LatestRun key={runID} runID={runID} />}
        </Tabs.Panel>
        <Tabs.Panel value="versions">
          <VersionsPanel job={job} source={source} />
        </Tabs.Panel>
        <Tabs.Panel value="manifest">
          <ManifestFields
            job={job}
            manifest={manifest}
            onChange={on.onManifest}
          />
        </Tabs.Panel>
      </Tabs>
    </Paper>
  );
}
