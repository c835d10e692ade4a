/** JSON text that is made once and used several times: in an answer and in storage. */

/** On the object itself, where copies and comparisons do not see it: a map of weak references is work for each collection. */
const json = Symbol('json');

interface TextedValue {
  [json]?: string;
}

/** The JSON text of an object, which is made at the first call: the object may not be changed afterwards. */
export function jsonOf(value: object): string {
  const known = (value as TextedValue)[json];
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  knownJson(value, text);
  return text;
}

/** Notes the JSON text of a value that was made together with it, and returns the value. */
export function knownJson<Value extends object>(value: Value, text: string): Value {
  return Object.defineProperty(value, json, { value: text, configurable: true });
}

/** Makes the JSON text of an object, for which it uses the texts of members that exist already; returns the object. */
export function joinedJson<Value extends object>(value: Value): Value {
  let members = '';
  for (const key of Object.keys(value)) {
    const text = textOfMember(value[key as keyof Value]);
    if (text !== undefined) members += `${members === '' ? '' : ','}${keyText(key)}${text}`;
  }
  return knownJson(value, `{${members}}`);
}

/** Undefined for what JSON leaves out. */
function textOfMember(member: unknown): string | undefined {
  if (typeof member === 'number' && Number.isFinite(member)) return `${member}`;
  const known = typeof member === 'object' && member !== null ? (member as TextedValue)[json] : undefined;
  return known ?? JSON.stringify(member);
}

const keyTexts = new Map<string, string>();
const mostKeys = 1000;

function keyText(key: string): string {
  const known = keyTexts.get(key);
  if (known !== undefined) return known;
  const text = `${JSON.stringify(key)}:`;
  if (keyTexts.size < mostKeys) keyTexts.set(key, text);
  return text;
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
