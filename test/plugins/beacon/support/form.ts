/** The query page over HTTP, as text. */

export interface FormReply {
  status: number;
  headers: Headers;
  text: string;
}

export type FormParameters = Record<string, string | number | readonly string[]>;

export function formSearch(parameters: FormParameters): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  return search;
}

async function reply(response: Response): Promise<FormReply> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export async function getForm(
  url: string,
  parameters: FormParameters = {},
  headers: Record<string, string> = {},
): Promise<FormReply> {
  return reply(await fetch(`${url}/apiv1.0/query_form?${formSearch(parameters)}`, { headers }));
}

export async function postForm(
  url: string,
  parameters: FormParameters,
  type = 'application/x-www-form-urlencoded',
): Promise<FormReply> {
  const body = formSearch(parameters).toString();
  return reply(await fetch(`${url}/apiv1.0/query_form`, { method: 'POST', body, headers: { 'content-type': type } }));
}

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
