import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { Box, Group, SegmentedControl, Text } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { CodeLanguage } from "./code-language";
import { editorTheme } from "./editor-theme";
import { loadLanguage } from "./languages";

const collapseUnchanged = { margin: 3, minSize: 6 }; // lines

interface Props {
  before: string;
  after: string;
  beforeLabel: string;
  afterLabel: string;
  language: CodeLanguage;
  height?: string;
}

/** The difference of two texts, side by side or in one column. */
export function CodeDiff({
  before,
  after,
  beforeLabel,
  afterLabel,
  language,
  height = "40vh",
}: Props) {
  const { t } = useTranslation();
  const parent = useRef<HTMLDivElement>(null);
  const [layout, setLayout] = useState<"split" | "unified">("split");

  useEffect(() => {
    let destroy: (() => void) | undefined;
    let stopped = false;
    void loadLanguage(language).then((highlighting) => {
      if (stopped || !parent.current) return;
      const extensions = (label: string) => [
        EditorView.contentAttributes.of({ "aria-label": label }),
        lineNumbers(),
        editorTheme,
        highlighting,
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        EditorView.lineWrapping,
      ];
      const view =
        layout === "split"
          ? new MergeView({
              parent: parent.current,
              a: { doc: before, extensions: extensions(beforeLabel) },
              b: { doc: after, extensions: extensions(afterLabel) },
              collapseUnchanged,
              gutter: true,
            })
          : new EditorView({
              parent: parent.current,
              doc: after,
              extensions: [
                ...extensions(`${beforeLabel} → ${afterLabel}`),
                unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged }),
              ],
            });
      destroy = () => view.destroy();
    });
    return () => {
      stopped = true;
      destroy?.();
    };
  }, [before, after, beforeLabel, afterLabel, language, layout]);

  return (
    <Box>
      <Group justify="space-between" mb={6}>
        <Text size="sm" c="dimmed">
          {beforeLabel} → {afterLabel}
        </Text>
        {before === after ? (
          <Text size="sm">{t("glue.noDifference")}</Text>
        ) : (
          <SegmentedControl
            size="xs"
            value={layout}
            onChange={(value) => setLayout(value as typeof layout)}
            data={[
              { value: "split", label: t("glue.split") },
              { value: "unified", label: t("glue.unified") },
            ]}
          />
        )}
      </Group>
      <div
        ref={parent}
        className="code-frame"
        role="region"
        aria-label={t("glue.difference")}
        style={{ maxHeight: height, overflow: "auto" }}
        // A scrolling region must be reachable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
      />
    </Box>
  );
}
