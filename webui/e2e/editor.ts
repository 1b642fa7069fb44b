import type { Locator, Page } from "playwright-core";

/** The text of the GLUE editor. */
export function editor(page: Page): Locator {
  return page.getByRole("textbox", { name: "Source code" });
}

/** Types a new source in the place of the old one. */
export async function replaceSource(page: Page, source: string): Promise<void> {
  await editor(page).click();
  await page.keyboard.press("Control+a");
  // Not typed key by key: the editor would close brackets and indent.
  await page.keyboard.insertText(source);
}

/** Publishes what is in the editor with Ctrl-S. */
export async function publishWith(page: Page, text: string): Promise<void> {
  await page.keyboard.press("Control+s");
  const remark = page.getByRole("textbox", { name: "Remark" });
  await remark.fill(text);
  await remark.press("Enter");
}
