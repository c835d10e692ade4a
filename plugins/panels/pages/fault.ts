/** Errors for browsers as a page; programs get the default body. */
import { type ErrorShape, html, preferred } from '../../../core/plugin.js';
import { framed } from './frame.js';

const headings: Readonly<Record<number, string>> = {
  401: 'Sign in, or give an API token',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Not possible any more',
};

export function pageFault(base: string): ErrorShape {
  return (fault, status, { headers, nonceOf }) => {
    if (preferred(headers, ['application/json', 'text/html']) !== 'text/html') return undefined;
    const body = framed(
      { base, nonce: nonceOf() },
      {
        title: headings[status] ?? (status < 500 ? 'This cannot be done' : 'The server failed'),
        above: [],
        body: html`<p class="note bad" role="alert">${fault.message}</p>
<p>Your browser’s way back keeps what you have typed.</p>`,
      },
    );
    return { type: 'text/html; charset=utf-8', body };
  };
}
