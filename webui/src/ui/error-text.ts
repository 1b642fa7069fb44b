import { useTranslation } from "react-i18next";
import { ApiError, UnreachableError } from "../api/problem";

/** Words for an error: what the server said, or what to do when it said nothing. */
export function useErrorText(): (error: unknown) => string {
  const { t } = useTranslation();
  return (error) => {
    if (error instanceof UnreachableError) return t("error.unreachable");
    if (!(error instanceof ApiError)) return t("error.unexpected");
    if (error.status === 403) return t("error.forbidden");
    if (error.status === 404) return t("error.notFound");
    const fields = error.fields.map((field) => field.message).filter(Boolean);
    // The server's sentence repeats its fields, with their paths in the JSON.
    return fields.length > 0 ? fields.join(" · ") : error.message;
  };
}
