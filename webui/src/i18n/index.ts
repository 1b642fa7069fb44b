import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { en } from "./en";
import { chooseLanguage, type Language } from "./language";
import { zhCN } from "./zh-CN";

const storageKey = "gw.language";

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    resources: { translation: typeof en };
    // Plain keys only: the tables hold no plurals.
    returnNull: false;
  }
}

/** Starts i18next in the language that was chosen before, else in the browser's. */
export async function startI18n(): Promise<void> {
  const language = chooseLanguage(localStorage.getItem(storageKey), navigator.languages);
  i18next.on("languageChanged", (code) => {
    document.documentElement.lang = code;
  });
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: "en",
    resources: { en: { translation: en }, "zh-CN": { translation: zhCN } },
    interpolation: { escapeValue: false }, // React escapes
  });
}

/** Switches the language now and for later visits. */
export async function switchLanguage(language: Language): Promise<void> {
  localStorage.setItem(storageKey, language);
  await i18next.changeLanguage(language);
}
