/** Tables of a page, read from its markup. */

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The cells of the table of this name (`metrics`) by row, without its head. */
export function tableOf(markup: string, name: string): string[][] {
  const begin = markup.indexOf(`aria-labelledby="table-${name}"`);
  if (begin < 0) throw new Error(`the page has no table ${name}`);
  return rowsIn(markup.slice(begin, markup.indexOf('</table>', begin)));
}

/** The cells of the table with this title, which only screen readers announce. */
export function titledTable(markup: string, title: string): string[][] {
  const begin = markup.indexOf(`<caption class="unseen">${title}</caption>`);
  if (begin < 0) throw new Error(`the page has no table titled ${title}`);
  return rowsIn(markup.slice(begin, markup.indexOf('</table>', begin)));
}

function rowsIn(table: string): string[][] {
  const body = table.slice(table.indexOf('<tbody>'));
  return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => read(cell)),
  );
}

function read(cell: string): string {
  return cell
    .replace(/<span class="(sign|badge)"[^>]*>[^<]*<\/span>/g, '')
    .replace(/<[^>]*>/g, '')
    .replace(/&([#\w]+);/g, (whole, name: string) => entities[name] ?? whole)
    .trim();
}

/** As pages show a measured depth: 28×, 22.42×, 1,895×. */
export function shownDepth(value: number): string {
  if (value >= 999.995) return `${Math.round(value).toLocaleString('en')}×`;
  return `${value.toFixed(2).replace(/\.00$/, '')}×`;
}
