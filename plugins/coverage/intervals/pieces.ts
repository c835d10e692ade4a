/** The rows of a load as the reference of coverage@1 keeps them: repeated ones once. */
import { isDeepStrictEqual } from 'node:util';
import { Fault } from '../../../core/storage.js';
import {
  type Batch,
  type Chromosome,
  chromosomes,
  type Exon,
  type GeneNames,
  type IntervalSet,
  type NameRow,
  type References,
  type SetKind,
  symbolKey,
  type Transcript,
} from '../contract.js';

/** A gene, a transcript, the exons of a transcript on one chromosome, or a name, with what it is looked up by. */
export interface Piece {
  transcript?: string;
  gene?: string | undefined;
  hgnc?: number | undefined;
  symbol?: string | undefined;
  content: readonly unknown[];
}

export function piecesOf(kind: SetKind, { genes, transcripts, exons, names }: Batch): Piece[] {
  switch (kind) {
    case 'genes':
      return (genes ?? []).map((gene) => {
        const symbol = gene.symbol === undefined ? undefined : symbolKey(gene.symbol);
        return { gene: gene.ensembl, hgnc: gene.hgnc, symbol, content: [gene] };
      });
    case 'transcripts':
      return together(transcripts ?? [], ({ ensembl, chromosome }) => [ensembl, chromosome]).map((all) => {
        const one = joinedTranscript(all);
        return { transcript: one.ensembl, gene: one.gene, content: [one] };
      });
    case 'exons':
      return together(exons ?? [], ({ gene, transcript, chromosome }) => [gene, transcript, chromosome]).map((all) => {
        return { gene: all[0]?.gene, content: together(all, ({ rank }) => [rank]).map(sameExon) };
      });
    case 'names':
      return (names ?? []).flatMap(piecesOfNames);
  }
}

function piecesOfNames({ hgnc, symbol, previous, aliases, ensembl }: GeneNames): Piece[] {
  const piece = (kind: NameRow['kind']) => (name: string) => {
    const row: NameRow = { key: symbolKey(name), kind, hgnc, ...(ensembl !== undefined && { ensembl }) };
    return { gene: ensembl, hgnc, symbol: row.key, content: [row] };
  };
  return [piece('symbol')(symbol), ...previous.map(piece('previous')), ...aliases.map(piece('alias'))];
}

/** Items with the same key, in the order of the first of them. */
function together<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): [Item, ...Item[]][] {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const key = JSON.stringify(keyOf(item));
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}

function joinedTranscript(all: readonly [Transcript, ...Transcript[]]): Transcript {
  const [first] = all;
  const fields = ({ start, end, strand, gene }: Transcript) => [start, end, strand, gene];
  if (all.some((one) => !isDeepStrictEqual(fields(one), fields(first)))) throw contradiction(first.ensembl);
  const lists = Object.keys(first.references) as (keyof References)[];
  const joined = lists.map((list) => [list, [...new Set(all.flatMap(({ references }) => references[list]))]]);
  return {
    ...first,
    references: Object.fromEntries(joined),
    isManeSelect: all.some((one) => one.isManeSelect),
    isManePlusClinical: all.some((one) => one.isManePlusClinical),
  };
}

function sameExon([first, ...others]: readonly [Exon, ...Exon[]]): Exon {
  if (others.some((one) => !isDeepStrictEqual(one, first)))
    throw contradiction(`exon ${first.rank} of ${first.transcript}`);
  return first;
}

function contradiction(what: string): Fault {
  return new Fault('unprocessable', `${what} occurs more than once with different content`);
}

export function countOf(
  kind: SetKind,
  { names }: Batch,
  pieces: readonly Piece[],
): Pick<IntervalSet, 'rows' | 'chromosomes'> {
  if (kind === 'names') return { rows: names?.length ?? 0, chromosomes: [] };
  const all = pieces.flatMap(({ content }) => content as { chromosome: Chromosome }[]);
  const counted = chromosomes.map((chromosome) => {
    return { chromosome, rows: all.filter((one) => one.chromosome === chromosome).length };
  });
  return { rows: all.length, chromosomes: counted.filter((each) => each.rows > 0) };
}
