import { useState } from "react";

/**
 * What an editor began with: lists are fetched anew behind a form, and the version that
 * they have then is not the one that its user has seen.
 */
export function useFirst<T>(value: T): T {
  const [first] = useState(value);
  return first;
}
