import { Menu, type MenuProps } from "@mantine/core";
import { cloneElement, type ReactElement, type ReactNode, useState } from "react";

interface Props {
  position: MenuProps["position"];
  /** The button that opens it. */
  target: ReactElement<{ onClick?: () => void }>;
  /** The items. */
  children: () => ReactNode;
}

/**
 * A menu that is made when it is opened for the first time: its machinery of places and
 * focus costs more than all else in a row of a list.
 */
export function LazyMenu({ position, target, children }: Props) {
  const [isMade, setMade] = useState(false);
  if (!isMade) {
    const closed = { "aria-haspopup": "menu", "aria-expanded": false } as const;
    return cloneElement(target, { ...closed, onClick: () => setMade(true) });
  }
  return (
    <Menu position={position} defaultOpened>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>{children()}</Menu.Dropdown>
    </Menu>
  );
}
