import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { inReadersLanguage } from "../i18n/server-words";

/** A text of the server in the reader's language. */
export function ServerText({ text }: { text: string }) {
  const { i18n } = useTranslation();
  const [known, setKnown] = useState<{ of: string; words: string }>();
  const of = `${i18n.language} ${text}`;
  useEffect(() => {
    let isWanted = true;
    void inReadersLanguage(text).then((words) => {
      if (isWanted) setKnown({ of, words });
    });
    return () => {
      isWanted = false;
    };
  }, [text, of]);
  if (i18n.language === "en") return text;
  return known?.of === of ? known.words : "";
}
