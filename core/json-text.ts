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
