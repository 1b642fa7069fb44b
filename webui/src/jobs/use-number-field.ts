import type { JobInput } from "../api/types";
import type { JobFormState } from "./job-form";

type NumberField = {
  [Name in keyof JobInput]: JobInput[Name] extends number ? Name : never;
}[keyof JobInput];

/** The properties of an input of whole numbers from 0 on. */
export function useNumberField(form: JobFormState) {
  return (name: NumberField) => ({
    min: 0,
    allowDecimal: false,
    value: form.values[name],
    onChange: (value: string | number) => form.setFieldValue(name, Number(value)),
    error: form.errors[name],
  });
}
