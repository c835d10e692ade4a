/** Form fields with their labels. The id of each is its name. */
import { type Html, html } from '../../../core/plugin.js';

/** Value and title. */
export type Choice = readonly [string, string];

/** `reason` is the id of the message that explains why the value is not valid. */
export function select(name: string, label: string, value: string, choices: readonly Choice[], reason?: string): Html {
  const all = choices.some(([choice]) => choice === value) ? choices : [...choices, [value, value] as const];
  return html`<p class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}"${reason !== undefined && html` aria-invalid="true" aria-describedby="${reason}"`}>${all.map(([choice, title]) => html`<option value="${choice}"${choice === value && html` selected`}>${title}</option>`)}</select></p>`;
}

export function text(
  name: string,
  label: string,
  value: string,
  { numeric = false, list = [] as readonly (number | Choice)[] } = {},
): Html {
  const options =
    list.length === 0
      ? undefined
      : html`<datalist id="${name}-list">${list.map((one) => (typeof one === 'number' ? html`<option value="${one}">` : html`<option value="${one[0]}" label="${one[1]}">`))}</datalist>`;
  return html`<p class="field"><label for="${name}">${label}</label>
<input type="text" id="${name}" name="${name}" value="${value}" autocomplete="off" spellcheck="false"${numeric && html` inputmode="numeric"`}${options && html` list="${name}-list"`}>${options}</p>`;
}

/** HTML ignores the line break after the start tag. */
export function area(name: string, label: string, value: string, rows: number): Html {
  return html`<p class="field"><label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" rows="${rows}" spellcheck="false" autocomplete="off">
${value}</textarea></p>`;
}
