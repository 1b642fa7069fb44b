import { useEffect, useState } from "react";

/**
 * Whether somebody reads: the pointer rests in an area or the page is scrolled, so that
 * nothing must move under their eyes.
 */
export function useReading() {
  const [isOver, setOver] = useState(false);
  const [isScrolled, setScrolled] = useState(false);
  useEffect(() => {
    const look = () => setScrolled(scrollY > 60);
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, []);
  const area = {
    onMouseEnter: () => setOver(true),
    onMouseLeave: () => setOver(false),
  };
  return { isReading: isOver || isScrolled, area };
}
