/** Errors for browsers as a page; programs get the default body. */
import { type ErrorShape, html, preferred } from '../../../../core/plugin.js';
import { textsFor } from '../texts/texts.js';
import { framed } from './frame.js';

export function pageFault(base: string): ErrorShape {
  return (fault, status, { headers, nonceOf }) => {
    if (preferred(headers, ['application/json', 'text/html']) !== 'text/html') return undefined;
    const texts = textsFor(undefined, headers);
    const { faults } = texts;
    const known = status === 401 || status === 403 || status === 404 || status === 409 ? faults[status] : undefined;
    const title = known ?? (status < 500 ? faults.other : faults.server);
    const body = html`<p class="note bad" role="alert" lang="en">${fault.message}</p>
${fault.fields.length > 0 && html`<ul lang="en">${fault.fields.map(({ path, message }) => html`<li>${path}: ${message}</li>`)}</ul>`}
<p>${faults.back}</p>`;
    return {
      type: 'text/html; charset=utf-8',
      body: framed({ base, nonce: nonceOf(), texts }, { title, above: [], body }),
    };
  };
}
