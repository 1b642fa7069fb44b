import i18next from "i18next";

/** The server's text in the reader's language. What it takes is loaded when it is first needed. */
export async function inReadersLanguage(text: string): Promise<string> {
  if (i18next.language !== "zh-CN" || text === "") return text;
  try {
    const { serverText } = await import("./server-text");
    return serverText(text, "zh-CN");
  } catch {
    return text; // English says more than that its translation could not be loaded
  }
}
