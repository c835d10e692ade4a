/** Error responses from before a form is read: a page for browsers, JSON for programs. */
import { type ErrorBody, type Fault, type FaultyRequest, html, preferred } from '../../../core/plugin.js';
import { mediaTypes } from '../pages/format.js';
import { footer, framed } from '../pages/frame.js';
import type { CoverageServices } from '../services.js';
import { textsFor } from '../texts/texts.js';
import { detailBody } from './input.js';

export function pageFault({
  base,
  docs,
}: Pick<CoverageServices, 'base' | 'docs'>): (fault: Fault, status: number, request: FaultyRequest) => ErrorBody {
  return (fault, status, request) => {
    if (preferred(request.headers, [mediaTypes.json, mediaTypes.html]) !== mediaTypes.html) {
      return detailBody(fault, status, request);
    }
    const texts = textsFor(undefined, request.headers);
    const { title, statuses } = texts.refusals;
    const around = { texts, nonce: request.nonceOf(), base, docs, levels: [], hasPanels: false, mostSamples: 0 };
    const body = html`<header class="top"><div><h1>${title}</h1></div></header>
<main id="content"><section class="notices bad" role="alert"><p>${statuses[status] ?? fault.message}</p></section></main>
${footer(undefined, around, false)}`;
    return { type: `${mediaTypes.html}; charset=utf-8`, body: framed(around, title, body) };
  };
}
