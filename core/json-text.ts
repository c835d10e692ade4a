/** JSON text that is made once and used several times: in an answer and in storage. */

const texts = new WeakMap<object, string>();

/** The JSON text of an object, which is made at the first call: the object may not be changed afterwards. */
export function jsonOf(value: object): string {
  let text = texts.get(value);
  if (text === undefined) {
    text = JSON.stringify(value);
    texts.set(value, text);
  }
  return text;
}

/** Notes the JSON text of a value that was made together with it, and returns the value. */
export function knownJson<Value extends object>(value: Value, text: string): Value {
  texts.set(value, text);
  return value;
}

/** Makes the JSON text of an object, for which it uses the texts of members that exist already; returns the object. */
export function joinedJson<Value extends object>(value: Value): Value {
  const members: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    const known = typeof member === 'object' && member !== null ? texts.get(member) : undefined;
    const text: string | undefined = known ?? JSON.stringify(member);
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`);
  }
  return knownJson(value, `{${members.join(',')}}`);
}

const brand = Symbol.for('trefoil.json-text');

/** The body of a JSON answer whose text exists already. */
export class JsonText {
  readonly [brand] = true;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function isJsonText(value: unknown): value is JsonText {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true;
}
