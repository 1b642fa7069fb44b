import { Paper, Tabs } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Job, Manifest } from "../api/types";
import { LatestRun } from "../runs/latest-run";
import { word } from "../ui/search";
import { ManifestFields } from "./manifest-fields";
import { TestPanel } from "./test-panel";
import type { useTestRun } from "./use-test-run";
import { VersionsPanel } from "./versions-panel";

const tabs = ["test", "versions", "manifest"] as const;
export type SideTab = (typeof tabs)[number];

interface Props {
  job: Job;
  /** What is in the editor, to compare with; absent for modules. */
  source?: string;
  manifest: Manifest;
  test: ReturnType<typeof useTestRun>;
  /** A run of the version that was just published. */
  runID: number | undefined;
  tab: SideTab;
  onTab: (tab: SideTab) => void;
  onManifest: (manifest: Manifest) => void;
  onTest: () => void;
}

/** Beside the code: trying it, its versions, what it may use. */
export function SidePanel({ job, source, manifest, test, runID, tab, ...on }: Props) {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="sm" miw={0}>
      <Tabs value={tab} onChange={(value) => on.onTab(word(value, tabs) ?? "test")} keepMounted={false}>
        <Tabs.List mb="sm">
          {tabs.map((value) => (
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
          <ManifestFields manifest={manifest} onChange={on.onManifest} />
        </Tabs.Panel>
      </Tabs>
    </Paper>
  );
}
