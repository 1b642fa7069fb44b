import { Box } from "@mantine/core";
import { type ReactNode, useDeferredValue } from "react";

/**
 * False while a component is drawn for the first time, true as soon as that is seen: for
 * parts that cost much and may come a moment after what one looks for first.
 */
export function useLater(): boolean {
  return useDeferredValue(true, false);
}

interface Props {
  /** What the children take in px, so that nothing moves when they come. */
  height: number;
  children: ReactNode;
}

/** Shows its children when the rest of the page has been seen. */
export function Later({ height, children }: Props) {
  return useLater() ? children : <Box h={height} mb="md" />;
}

const firstItems = 8;

interface ListProps<T> {
  items: T[];
  children: (item: T) => ReactNode;
}

/** Shows the first items of a list, and the others when these have been seen. */
export function LaterRest<T>({ items, children }: ListProps<T>) {
  const isLater = useLater();
  return items.slice(0, isLater ? items.length : firstItems).map(children);
}
