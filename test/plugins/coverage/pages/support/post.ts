/** Forms as sent by browsers and Scout. */

import { demoSamples } from '../../../../../plugins/coverage/demo/demo.js';
import { request } from '../../../../support/http.js';

export type Fields = Record<string, string | readonly string[]>;

/** The demo trio by file name, which a server in demo mode finds. */
export const trio = demoSamples.map(({ name, sex, coverageFile }) => ({
  name,
  sex,
  coverage_file_path: coverageFile,
  case_name: 'trio',
  analysis_date: '2026-04-23T10:20:30.400+02:30',
}));

export const demoForm: Fields = {
  build: 'GRCh38',
  samples: JSON.stringify(trio),
  interval_type: 'transcripts',
  hgnc_gene_ids: 'MTHFR,DHFR,FOLR1,SLC46A1',
  default_level: '20',
};

export const post = (url: string, form: Fields, headers: Record<string, string> = {}) =>
  request(url, { form, headers: { accept: 'text/html', ...headers } });

/** The page's content as JSON; throws if it is refused. */
export async function data<Shape>(url: string, fields: Fields): Promise<Shape> {
  const { status, text } = await post(url, { ...fields, format: 'json' });
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return JSON.parse(text) as Shape;
}

/** Rows of CSV (RFC 4180) as objects by column. */
export function rowsOf(csv: string): Record<string, string>[] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\r\n') rows.push([]);
    if (end === '') break;
  }
  const [head = [], ...body] = rows.filter((row) => row.length > 1 || row[0] !== '');
  return body.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i] ?? ''])));
}
