import type { Page } from "playwright-core";

/** Drops a file on the page's drop zone. */
export async function dropFile(page: Page, name: string, content: Uint8Array): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([fileName, bytes]) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(bytes)], fileName));
      return data;
    },
    [name, [...content]] as const,
  );
  const zone = page.locator(".drop-zone");
  await zone.dispatchEvent("dragover", { dataTransfer: transfer });
  await zone.dispatchEvent("drop", { dataTransfer: transfer });
}
