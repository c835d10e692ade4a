/** The query page over HTTP, as text. */
import { request } from '../../../support/http.js';

export type FormParameters = Record<string, string | number | readonly string[]>;

export const getForm = (url: string, query: FormParameters = {}, headers: Record<string, string> = {}) =>
  request(`${url}/apiv1.0/query_form`, { query, headers });

export const postForm = (url: string, form: FormParameters, type = 'application/x-www-form-urlencoded') =>
  request(`${url}/apiv1.0/query_form`, { form, headers: { 'content-type': type } });

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

/** Visible text of markup: without tags, entities resolved. */
export function plain(markup: string): string {
  return markup.replace(/<[^>]*>/g, '').replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);
}

/** The alerts of a page: kind and sentence, in their order. */
export function alerts(text: string): string[] {
  return [...text.matchAll(/class="alert alert-(\w+)">([^<]*)</g)].map(
    ([, kind, sentence]) => `${kind}: ${plain(sentence ?? '')}`,
  );
}

/** The shell command that the page shows. */
export function curl(text: string): string {
  const found = /<pre><code>(.*?)<\/code><\/pre>/s.exec(text);
  return plain(found?.[1] ?? '');
}

/** Texts of the cells of the first table, by row. */
export function rows(text: string): string[][] {
  const body = /<tbody[^>]*>(.*?)<\/tbody>/s.exec(text)?.[1] ?? '';
  return [...body.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => plain(cell)),
  );
}
