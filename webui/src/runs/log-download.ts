import { readLog } from "./log-query";

const maxChars = 256 << 20; // what a browser holds in one file without trouble

/** Reads a log from its first line to its end and saves it as a file. */
export async function downloadLog(runID: number): Promise<void> {
  const parts: string[] = [];
  let size = 0;
  let line = 1;
  while (size < maxChars) {
    const part = await readLog(runID, line);
    if (part.content === "" || part.to_line < line) break;
    parts.push(part.content);
    size += part.content.length;
    line = part.to_line + 1;
    if (part.end) break;
  }
  saveFile(new Blob(parts, { type: "text/plain" }), `run-${runID}.log`);
}

/** Hands a file to the browser's downloads. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}
