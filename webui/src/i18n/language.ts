export const languages = ["zh-CN", "en"] as const;
export type Language = (typeof languages)[number];

/** The language to begin with: the one stored, else the first of the browser's that exists. */
export function chooseLanguage(stored: string | null, preferred: readonly string[]): Language {
  const known = languages.find((language) => language === stored);
  if (known) return known;
  for (const tag of preferred) {
    const primary = tag.toLowerCase().split("-")[0];
    if (primary === "zh") return "zh-CN";
    if (primary === "en") return "en";
  }
  return "en";
}
