import {
  ActionIcon,
  type ActionIconProps,
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  MenuItem,
  type MenuItemProps,
} from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentPropsWithRef } from "react";

// Mantine's components as links of the router, with its checks of addresses.

type With<Props> = Props & Omit<ComponentPropsWithRef<"a">, keyof Props>;

export const AnchorLink = createLink((props: With<AnchorProps>) => <Anchor {...props} />);

export const ButtonLink = createLink((props: With<ButtonProps>) => (
  <Button component="a" {...props} />
));

/** An icon without words: its title is what screen readers say, unless aria-label says more. */
export const ActionIconLink = createLink((props: With<ActionIconProps> & { title: string }) => (
  <ActionIcon component="a" variant="subtle" aria-label={props.title} {...props} />
));

export const MenuItemLink = createLink((props: With<MenuItemProps>) => (
  <MenuItem component="a" {...props} />
));
