import {
  Group,
  Modal,
  ScrollArea,
  Text,
  TextInput,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { Job } from "../api/types";
import { isLive } from "../jobs/choices";
import { id } from "../ui/search";
import { pagesFor } from "./pages";

const mostJobID = 2 ** 31 - 1;
const leastRunID = 2 ** 39; // the day stands in its upper bits

const typingPause = 150; // ms without a key after which jobs are searched

interface Command {
  key: string;
  kind: string;
  label: string;
  run: () => unknown;
}

interface Props {
  rights: string[];
  onClose: () => void;
}

/** Goes to any page, job or run, and does what is needed often, by typing. */
export default function CommandPalette({ rights, onClose }: Props) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const commands = useCommands(rights, typed);
  const chosen = Math.min(at, commands.length - 1);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((chosen + step + commands.length) % Math.max(commands.length, 1));
    } else if (event.key === "Enter") {
      run(commands[chosen]);
    }
  };
  return (
    <Modal.Root opened onClose={onClose} padding={0} yOffset="12vh">
      <Modal.Overlay />
      <Modal.Content aria-label={t("palette.open")}>
        <Modal.Body>
      <TextInput
        size="md"
        variant="unstyled"
        px="md"
        py={4}
        role="combobox"
        aria-expanded
        aria-controls="commands"
        aria-activedescendant={commands[chosen] && `command ${commands[chosen].key}`}
        aria-label={t("palette.open")}
        placeholder={t("palette.placeholder")}
        leftSection={<IconSearch size={17} />}
        data-autofocus
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ScrollArea.Autosize mah="50vh" type="auto">
        <div role="listbox" id="commands" aria-label={t("palette.open")}>
          {commands.map((command, index) => (
            <UnstyledButton
              key={command.key}
              id={`command ${command.key}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              className="command"
              onClick={() => run(command)}
              onMouseEnter={() => setAt(index)}
            >
              <Group justify="space-between" wrap="nowrap">
                <Text size="sm" className="clip">
                  {command.label}
                </Text>
                <Text size="xs" c="dimmed" className="nowrap">
                  {command.kind}
                </Text>
              </Group>
            </UnstyledButton>
          ))}
        </div>
        {commands.length === 0 && (
          <Text size="sm" c="dimmed" p="md">
            {t("palette.nothing")}
          </Text>
        )}
      </ScrollArea.Autosize>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function useCommands(rights: string[], typed: string): Command[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme("light") === "dark";
  const query = typed.trim();
  const [q] = useDebouncedValue(query, typingPause);
  const jobs = useQuery({ ...queries.jobs({ q }), enabled: q !== "", refetchInterval: false });
  const number = id(q);
  const isJobID = number !== undefined && number <= mostJobID;
  const named = useQuery({ ...queries.job(number ?? 0), enabled: isJobID });

  const pages = pagesFor(rights).map(({ to, label }) => ({
    key: to,
    kind: t("palette.page"),
    label: t(label),
    run: () => navigate({ to }),
  }));
  const newJob = {
    key: "new",
    kind: t("palette.action"),
    label: t("jobs.add"),
    run: () => navigate({ to: "/jobs/new" }),
  };
  const actions = [
    ...(rights.includes("job.edit") ? [newJob] : []),
    {
      key: "scheme",
      kind: t("palette.action"),
      label: t(isDark ? "nav.light" : "nav.dark"),
      run: () => setColorScheme(isDark ? "light" : "dark"),
    },
  ];
  const fits = (command: Command) => command.label.toLowerCase().includes(query.toLowerCase());
  const runID = id(query);
  const runs: Command[] = runID !== undefined && runID >= leastRunID
    ? [
        {
          key: `run ${runID}`,
          kind: t("palette.run"),
          label: t("run.title", { id: runID }),
          run: () => navigate({ to: "/runs/$runID", params: { runID } }),
        },
      ]
    : [];
  const open = (job: Job) =>
    navigate({
      to: isLive(job.glue_type) ? "/jobs/$jobID/glue" : "/jobs/$jobID/edit",
      params: { jobID: job.id },
    });
  const toCommand = (job: Job) => ({
    key: `job ${job.id}`,
    kind: t("palette.job"),
    label: job.name,
    run: () => open(job),
  });
  const byID = isJobID && named.data ? [named.data] : [];
  const byName = (q === "" ? [] : (jobs.data?.items ?? [])).filter((job) => job.id !== number);
  return [
    ...byID.map((job) => ({ ...toCommand(job), label: `【${job.id}】${job.name}` })),
    ...[...pages, ...actions].filter(fits),
    ...runs,
    ...byName.map(toCommand),
  ];
}
