/** Parts of pages: form fields with their labels and hints, and alerts. */
import { type Html, html } from '../../../core/plugin.js';

export interface Field {
  name: string;
  label: string;
  value: string;
  hint?: string;
}

export interface Choice {
  value: string;
  label?: string;
}

export function textField({ name, label, value, hint }: Field, kind: 'position' | 'bases'): Html {
  const size = kind === 'position' ? html` inputmode="numeric"` : html` autocapitalize="characters"`;
  return html`<div class="field ${kind}">
<label for="${name}">${label}</label>
<input type="text" id="${name}" name="${name}" value="${value}" autocomplete="off" spellcheck="false"${size}${described(name, hint)}>
${hinted(name, hint)}</div>`;
}

/** A value that is not among the choices is added to them: the client sent it, and the answer depends on it. */
export function selectField(
  { name, label, value, hint }: Field,
  choices: readonly Choice[],
  required: boolean = false,
): Html {
  const all = choices.some((choice) => choice.value === value) ? choices : [...choices, { value }];
  return html`<div class="field">
<label for="${name}">${label}</label>
<select id="${name}" name="${name}"${required && html` required`}${described(name, hint)}>
${all.map((choice) => html`<option value="${choice.value}"${choice.value === value && html` selected`}>${choice.label ?? choice.value}</option>\n`)}</select>
${hinted(name, hint)}</div>`;
}

export function checkField(
  type: 'checkbox' | 'radio',
  name: string,
  value: string,
  checked: boolean,
  label: Html | string,
): Html {
  return html`<label class="check"><input type="${type}" name="${name}" value="${value}"${checked && html` checked`}><span>${label}</span></label>\n`;
}

function described(name: string, hint: string | undefined): Html | undefined {
  return hint === undefined ? undefined : html` aria-describedby="${name}-hint"`;
}

function hinted(name: string, hint: string | undefined): Html | undefined {
  return hint === undefined ? undefined : html`<p class="hint" id="${name}-hint">${hint}</p>\n`;
}

export function alert(kind: 'success' | 'secondary' | 'danger' | 'warning', sentence: string): Html {
  return html`<p class="alert alert-${kind}">${sentence}</p>`;
}
