/** Example queries, as links. */
import { type Html, html } from '../../../../../core/plugin.js';
import type { Sent } from '../parameters.js';
import { linkOf } from './request.js';

/** The parameters of a query that has a hit. */
export type Example = Sent['parameters'];

export function exampleLinks(examples: readonly Example[]): Html | undefined {
  const links = examples.flatMap((example) => {
    const link = linkOf({ parameters: example, form: true });
    return link === undefined ? [] : [html`<a href="${link}">${nameOf(example)}</a>`];
  });
  if (links.length === 0) return undefined;
  return html`<p class="examples">Examples: ${links.map((link) => html`${link} `)}</p>`;
}

function nameOf({ referenceName, start, referenceBases, alternateBases, variantType }: Example): string {
  const change = variantType ?? `${short(referenceBases)}>${short(alternateBases)}`;
  return `chromosome ${referenceName}, ${start}, ${change}`;
}

function short(bases: unknown): string {
  const text = String(bases);
  return text.length > 12 ? `${text.slice(0, 12)}…` : text;
}
