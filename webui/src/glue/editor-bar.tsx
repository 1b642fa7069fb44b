import { Button, Group, HoverCard, Kbd, Menu, Table, Text } from "@mantine/core";
import type { EditorView } from "@codemirror/view";
import { openSearchPanel } from "@codemirror/search";
import {
  IconAlertTriangle,
  IconBraces,
  IconCheck,
  IconKeyboard,
  IconSearch,
  IconTemplate,
} from "@tabler/icons-react";
import type { RefObject } from "react";
import { useTranslation } from "react-i18next";
import { Instant } from "../ui/instant";
import type { CodeLanguage } from "./code-language";
import type { CodeProblem } from "./compile/problem";
import { templatesOf } from "./templates";
import type { CheckState } from "./use-check";
import type { DraftKeeper } from "./use-draft";

interface Props {
  language: CodeLanguage;
  draft: DraftKeeper;
  /** How far the look at the text is. */
  check: CheckState;
  problems: CodeProblem[];
  isDirty: boolean;
  view: RefObject<EditorView | null>;
  onTemplate: (source: string) => void;
  /** Absent where the language cannot be formatted. */
  onFormat: (() => void) | undefined;
}

/** What can be done with the text, and how it stands. */
export function EditorBar({ language, draft, check, problems, isDirty, view, ...on }: Props) {
  const { t } = useTranslation();
  return (
    <Group justify="space-between" mb={4} gap="xs">
      <Group gap={2}>
        <Menu position="bottom-start">
          <Menu.Target>
            <Button size="compact-xs" variant="subtle" leftSection={<IconTemplate size={14} />}>
              {t("template.menu")}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {templatesOf(language).map(({ kind, source }) => (
              <Menu.Item key={kind} onClick={() => on.onTemplate(source)}>
                {t(`template.${kind}`)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        {on.onFormat && (
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<IconBraces size={14} />}
            onClick={on.onFormat}
          >
            {t("glue.format")}
          </Button>
        )}
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconSearch size={14} />}
          onClick={() => view.current && openSearchPanel(view.current)}
        >
          {t("glue.search")}
        </Button>
        <Shortcuts canFormat={on.onFormat !== undefined} />
      </Group>
      <Group gap="md">
        <Findings check={check} problems={problems} />
        <Text size="xs" c={draft.isLocal ? "orange" : "dimmed"} role="status" component="div">
          {draft.isLocal && t("glue.draftLocal")}
          {!draft.isLocal && isDirty && draft.savedAt && (
            <>
              {t("glue.draftSaved")} <Instant at={draft.savedAt} size="xs" />
            </>
          )}
        </Text>
      </Group>
    </Group>
  );
}

function Findings({ check, problems }: { check: CheckState; problems: CodeProblem[] }) {
  const { t } = useTranslation();
  const first = problems[0];
  if (!first && check === "done") {
    return (
      <IconCheck
        size={15}
        color="var(--mantine-color-teal-text)"
        role="img"
        aria-label={t("glue.check.done")}
      />
    );
  }
  if (!first) {
    return (
      <Text size="xs" c="dimmed">
        {t(`glue.check.${check}`)}
      </Text>
    );
  }
  return (
    <Group gap={4} wrap="nowrap">
      <IconAlertTriangle size={15} color="var(--mantine-color-red-text)" aria-hidden="true" />
      <Text size="xs" c="red" className="clip" maw={420} title={first.message}>
        {t("glue.errorAt", { line: first.line })} {first.message}
      </Text>
    </Group>
  );
}

const shortcuts = [
  ["Ctrl ⏎", "test"],
  ["Ctrl S", "publish"],
  ["Ctrl Space", "complete"],
  ["Ctrl F", "search"],
  ["Shift Alt F", "format"],
  ["F8", "nextProblem"],
  ["Ctrl /", "comment"],
  ["Alt ↑ ↓", "moveLine"],
  ["Esc, Tab", "leave"],
] as const;

function Shortcuts({ canFormat }: { canFormat: boolean }) {
  const { t } = useTranslation();
  const offered = shortcuts.filter(([, action]) => canFormat || action !== "format");
  return (
    <HoverCard position="bottom-start" withinPortal>
      <HoverCard.Target>
        <Button size="compact-xs" variant="subtle" leftSection={<IconKeyboard size={14} />}>
          {t("shortcut.title")}
        </Button>
      </HoverCard.Target>
      <HoverCard.Dropdown>
        <Table verticalSpacing={3} withRowBorders={false}>
          <Table.Tbody>
            {offered.map(([keys, action]) => (
              <Table.Tr key={action}>
                <Table.Td>
                  <Kbd size="xs">{keys}</Kbd>
                </Table.Td>
                <Table.Td>
                  <Text size="xs">{t(`shortcut.${action}`)}</Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </HoverCard.Dropdown>
    </HoverCard>
  );
}
