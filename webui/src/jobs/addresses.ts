/** Addresses typed with commas, blanks or line breaks between them. */
export function splitAddresses(typed: string): string[] {
  return typed.split(/[\s,，]+/).filter((address) => address !== "");
}
