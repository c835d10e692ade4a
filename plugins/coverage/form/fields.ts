/** The fields of a form or a query string as they were sent: each with all its values, unchecked. */

export type Sent = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A form with the file that was uploaded with it: the BED file. */
export interface SentForm {
  fields: Sent;
  file?: Buffer | undefined;
}

/** Most characters in the name of a sample, a group, a panel or a case. */
export const longestName = 200;

/** All values of a field, in order. */
export function valuesOf(sent: Sent, name: string): readonly string[] {
  const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}

/** The last value that is not empty: a pressed button comes after the field that it overrides. */
export function lastOf(sent: Sent, name: string): string | undefined {
  return valuesOf(sent, name)
    .findLast((value) => value.trim() !== '')
    ?.trim();
}

/** The items of a list field: separated by commas, semicolons or white space, or as JSON. */
export function itemsOf(sent: Sent, name: string): string[] {
  return valuesOf(sent, name).flatMap((value) =>
    value
      .replace(/^\s*\[|\]\s*$/g, '')
      .split(/[\s,;]+/)
      .map((item) => item.replace(/^(['"])(.*)\1$/, '$2'))
      .filter((item) => item !== ''),
  );
}
