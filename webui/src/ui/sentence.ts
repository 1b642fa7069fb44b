import { useTranslation } from "react-i18next";
import type { Sentence } from "../api/types";

/** Words that the server says in both languages, in the page's. */
export function useSentence(): (sentence: Sentence) => string {
  const { i18n } = useTranslation();
  return ({ en, zh_cn }) => (i18n.language === "zh-CN" ? zh_cn : en);
}
