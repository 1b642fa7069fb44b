import { AppShell, Burger, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Outlet } from "@tanstack/react-router";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { ConnectionBanner } from "../session/connection-banner";
import { SessionGate } from "../session/session-gate";
import { ColorSchemeToggle } from "./color-scheme-toggle";
import { LanguageMenu } from "./language-menu";
import { CommandButton } from "./command-button";
import { Logo } from "./logo";
import { Navigation } from "./navigation";
import { UserMenu } from "./user-menu";

/** The frame around every page. */
export function Root() {
  const { t } = useTranslation();
  const content = useRef<HTMLElement>(null);
  const [isOpen, { toggle, close }] = useDisclosure();
  return (
    <SessionGate>
      {(user) => (
        <AppShell
          header={{ height: 52 }}
          navbar={{ width: 208, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
          padding="md"
        >
          <a
            className="skip"
            href="#content"
            onClick={(event) => {
              // The address keeps what it says about the page.
              event.preventDefault();
              content.current?.focus();
            }}
          >
            {t("nav.skip")}
          </a>
          <AppShell.Header>
            <Group h="100%" px="md" justify="space-between" wrap="nowrap">
              <Group gap="sm" wrap="nowrap">
                <Burger
                  opened={isOpen}
                  onClick={toggle}
                  hiddenFrom="sm"
                  size="sm"
                  aria-label={t("nav.toggle")}
                />
                <Logo />
              </Group>
              <Group gap={4} wrap="nowrap">
                <CommandButton rights={user.rights} />
                <LanguageMenu />
                <ColorSchemeToggle />
                <UserMenu user={user} />
              </Group>
            </Group>
          </AppShell.Header>
          <AppShell.Navbar p="xs" aria-label={t("nav.label")}>
            <Navigation rights={user.rights} onNavigate={close} />
          </AppShell.Navbar>
          <AppShell.Main id="content" ref={content} tabIndex={-1}>
            <ConnectionBanner />
            <Outlet />
          </AppShell.Main>
        </AppShell>
      )}
    </SessionGate>
  );
}
