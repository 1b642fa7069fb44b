import { TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { isRemark, maxRemark, minRemark } from "./remark";

interface Props {
  value: string;
  onChange: (value: string) => void;
  /** What the server said about it. */
  error?: string;
}

export function RemarkInput({ value, onChange, error }: Props) {
  const { t } = useTranslation();
  const isWrong = value !== "" && !isRemark(value);
  return (
    <TextInput
      label={t("glue.remark")}
      description={t("glue.remarkHint", { min: minRemark, max: maxRemark })}
      placeholder={t("glue.remarkExample")}
      required
      data-autofocus
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error ?? (isWrong ? t("glue.remarkLength", { min: minRemark, max: maxRemark }) : null)}
    />
  );
}
