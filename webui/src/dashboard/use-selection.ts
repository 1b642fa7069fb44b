import { useWindowEvent } from "@mantine/hooks";
import { type KeyboardEvent, type PointerEvent, useState } from "react";

/** A stretch of bars, from the one where it began to the one where it is now. */
interface Stretch {
  begin: number;
  end: number;
  isDragged: boolean;
}

/** The first and the last of some bars. */
export interface Selection {
  first: number;
  last: number;
}

/**
 * Chooses neighbouring bars: by dragging over them, or with Shift and the arrow keys and
 * Enter. A single bar is no selection, so that a click stays a click.
 */
export function useSelection(count: number, onSelect: (selection: Selection) => void) {
  const [stretch, setStretch] = useState<Stretch>();
  const selection = stretch && normal(stretch);

  const place = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return clamp(Math.floor(((event.clientX - left) / width) * count), count);
  };
  const finish = () => {
    setStretch(undefined);
    if (selection && selection.first < selection.last) onSelect(selection);
  };
  useWindowEvent("pointerup", () => stretch?.isDragged && finish());
  useWindowEvent("pointercancel", () => setStretch(undefined));

  const area = {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return;
      setStretch({ begin: place(event), end: place(event), isDragged: true });
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (!stretch?.isDragged) return;
      const end = place(event);
      if (end !== stretch.end) setStretch({ ...stretch, end });
    },
    // What the keys began ends where the focus goes.
    onBlur: () => setStretch((old) => (old?.isDragged ? old : undefined)),
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      if (event.key === "Escape") setStretch(undefined);
      if (event.key === "Enter" && selection) {
        event.preventDefault(); // it would open the bar
        finish();
      }
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step || !event.shiftKey) return;
      event.preventDefault();
      const bar = [...event.currentTarget.children].findIndex((child) =>
        child.contains(event.target as Node),
      );
      const old = stretch ?? { begin: bar, end: bar };
      setStretch({ ...old, end: clamp(old.end + step, count), isDragged: false });
    },
  };
  return { selection, area };
}

function normal({ begin, end }: Stretch): Selection {
  return { first: Math.min(begin, end), last: Math.max(begin, end) };
}

function clamp(place: number, count: number): number {
  return Math.min(Math.max(place, 0), count - 1);
}
