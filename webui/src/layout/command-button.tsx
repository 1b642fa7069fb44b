import { Button, Kbd } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";

const CommandPalette = lazy(() => import("./command-palette"));

/** Opens the command palette, as Ctrl-K does everywhere. */
export function CommandButton({ rights }: { rights: string[] }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  // Also while one types in a field.
  useHotkeys([["mod+K", () => setOpen(true)]], []);
  return (
    <>
      <Button
        variant="default"
        size="compact-md"
        leftSection={<IconSearch size={15} />}
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
        visibleFrom="sm"
        onClick={() => setOpen(true)}
      >
        {t("palette.short")}
      </Button>
      {isOpen && (
        <Suspense>
          <CommandPalette rights={rights} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
