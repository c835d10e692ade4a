/** Names of a panel's versions: dotted whole numbers, compared number by number, so that 1.10 is after 1.9. */

/** Up to six numbers without leading zeros: one version has one name. */
const form = /^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){0,5}$/;

export const versionNameForm = 'dotted whole numbers, such as 3 or 1.10';

export function isVersionName(name: string): boolean {
  return form.test(name);
}

/** Negative if `one` is before `two`; 0 only if they are the same name. Of 2 and 2.0, the shorter name is first. */
export function compareVersionNames(one: string, two: string): number {
  const [these, those] = [one, two].map((name) => name.split('.').map(Number)) as [number[], number[]];
  for (const [place, number] of these.entries()) {
    const difference = number - (those[place] ?? -1);
    if (difference !== 0) return difference;
  }
  return these.length - those.length;
}

/** The name after this one: its last number and one more. */
export function nextVersionName(name: string): string {
  const numbers = name.split('.');
  const last = Number(numbers.pop());
  return [...numbers, last + 1].join('.');
}
