/** How adapters keep what triage knows. */

/** A person's visit to the rows of a submission. */
export interface Visit {
  /** The end of the visit before; undefined if there was none. */
  since?: Date | undefined;
  /** The last look. */
  at: Date;
}

export const visitMinutes = 30;

/** The visit after a look, which goes on with the known one if that is not long ago. */
export function visitAt(known: Visit | undefined, at: Date): Visit {
  const goesOn = known !== undefined && at.getTime() - known.at.getTime() < visitMinutes * 60_000;
  return { since: goesOn ? known.since : known?.at, at };
}

/** Gives a list in a value that was stored as JSON its times back. */
export function revived<Value, Key extends keyof Value>(value: Value, key: Key): Value {
  const list = value[key] as unknown as { at: string }[];
  return { ...value, [key]: list.map((one) => ({ ...one, at: new Date(one.at) })) };
}
