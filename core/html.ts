/** A tagged template for HTML that escapes every value by default. */

const safe = Symbol.for('trefoil.html');

/** Markup that needs no further escaping. */
export interface Html {
  readonly [safe]: true;
  toString(): string;
}

/** A value in a template: text is escaped, markup kept, lists joined; booleans, null and undefined are omitted. */
export type HtmlValue = string | number | boolean | null | undefined | Html | readonly HtmlValue[];

/** Trusts a string as markup: for our own constants only, never for input. */
export function raw(markup: string): Html {
  return { [safe]: true, toString: () => markup };
}

export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  let markup = parts[0] ?? '';
  values.forEach((value, i) => {
    markup += render(value) + (parts[i + 1] ?? '');
  });
  return raw(markup);
}

function render(value: HtmlValue): string {
  if (value === null || value === undefined || value === false || value === true) return '';
  if (Array.isArray(value)) return value.map(render).join('');
  if (typeof value === 'object') return value.toString();
  return escaped(String(value));
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
