/** The words by which kept reports are found. */

import { placeOf } from '../../../core/plugin.js';
import { geneName } from '../intervals/gene-name.js';

/**
 * `gene`: a gene that was measured, by HGNC id, or by symbol if it has none. `missing`: a name for which nothing was measured.
 * `left`: a gene of the panel whose confidence was not asked for. `sample`: each name of a sample; `person`: the one by which the
 * audit and erasures know it. `file`: the place of a coverage file (`placeOf`).
 */
export type WordKind = 'gene' | 'missing' | 'left' | 'panel' | 'sample' | 'person' | 'file';

/** Characters of a word, so that an index takes it. */
const longest = 250;

/** Text that no index takes is replaced; the end of a long one is left out. */
export function word(kind: WordKind, text: string): string {
  const plain = [...text.replace(/[\0\p{Surrogate}]/gu, '\u{fffd}')].slice(0, longest).join('');
  return `${kind}:${plain}`;
}

/** `HGNC:7436`, `ENSG00000177000` or `MTHFR`, however the name is written. */
export function nameKey(asked: string): string {
  const name = geneName(asked);
  if (name === undefined) return asked.trim().toUpperCase();
  return name.kind === 'hgnc' ? `HGNC:${name.id}` : name.kind === 'ensembl' ? name.id : name.key;
}

/** Without case: people type the names of panels. */
export function panelWord(text: string): string {
  return word('panel', text.trim().toLowerCase());
}

/** The text of a word of this kind; undefined for other words. */
export function textOf(kind: WordKind, found: string): string | undefined {
  return found.startsWith(`${kind}:`) ? found.slice(kind.length + 1) : undefined;
}

/** Characters of the beginning of a place that words are compared by. */
const longestBegin = 200;

export function fileWord(file: string): string {
  return word('file', placeOf(file));
}

/** Such beginnings of places that the words of longer ones, which have no end, begin with them as well. */
export function fileBegins(begins: readonly string[] | undefined): readonly string[] | undefined {
  return begins?.map((begin) => begin.slice(0, longestBegin));
}
