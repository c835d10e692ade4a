/** Fields of the forms of pages, with their labels and hints. */
import { type Html, type HtmlValue, html } from '../html.js';

export interface FieldOptions {
  /** Read out with the label. */
  hint?: HtmlValue;
  required?: boolean;
  /** Height of a field of several lines; one line if omitted. */
  lines?: number;
  type?: 'text' | 'date';
  /** Distinguishes fields of several forms; the name if omitted. */
  id?: string;
  /** Id of a list of suggestions. */
  list?: string;
  /** False for ids and symbols, which are in no dictionary. */
  spellcheck?: boolean;
}

export function field(name: string, label: string, value: string, options: FieldOptions = {}): Html {
  const { hint, required = false, lines, type = 'text', id = name, list, spellcheck = true } = options;
  const about = html`id="${id}" name="${name}"${required && html` required`}${hint !== undefined && html` aria-describedby="${id}-hint"`} autocomplete="off"${!spellcheck && html` spellcheck="false"`}`;
  return html`<div class="field"><label for="${id}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${
  lines === undefined
    ? html`<input type="${type}" ${about} value="${value}"${list !== undefined && html` list="${list}"`}>`
    : // A line feed after the tag is not part of the value.
      html`<textarea ${about} rows="${lines}">\n${value}</textarea>`
}</div>`;
}

/** `id` distinguishes fields of several forms. */
export function choice(
  name: string,
  label: string,
  value: string,
  choices: readonly { value: string; text: string }[],
  id: string = name,
): Html {
  return html`<div class="field"><label for="${id}">${label}</label>
<select id="${id}" name="${name}">${choices.map((one) => html`<option value="${one.value}"${one.value === value && html` selected`}>${one.text}</option>`)}</select></div>`;
}

export function hidden(name: string, value: string | number): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}
