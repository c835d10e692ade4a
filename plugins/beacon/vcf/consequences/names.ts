/** The genes that a block names, with their transcripts: beside the lines, so that blocks of a gene are found without reading these. */
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { symbolKey } from '../../genes/contract.js';
import type { GeneIdentity } from './contract.js';
import { identityOfName, ofParts } from './lines.js';

export interface GeneNames {
  /** As a line has it. */
  readonly name: string;
  readonly transcripts: string[];
}

/** Separate the columns, and the texts of one. Texts of annotations do not have them. */
const [ofColumns, ofTexts] = ['\x1d', '\n'] as const;

const wholeId = /^(?:ENST(\d{11})|NM_(\d{6}|00\d{7}))\.(\d+)$/;

/** `ENST00000376590.9` is `376590.9`, `NM_005957.5` is `N005957.5`, `NM_001330358.2` is `M1330358.2`. */
function shortId(id: string): string {
  const [, ensembl, refSeq, version] = wholeId.exec(id) ?? [];
  if (ensembl !== undefined) return `${ensembl.replace(/^0+(?=.)/, '')}.${version}`;
  if (refSeq === undefined) return id === '' ? '' : `=${id}`;
  return refSeq.length === 6 ? `N${refSeq}.${version}` : `M${refSeq.slice(2)}.${version}`;
}

function wholeIdOf(short: string): string {
  const rest = short.slice(1);
  if (short === '' || short[0] === '=') return rest;
  if (short[0] === 'N') return `NM_${rest}`;
  if (short[0] === 'M') return `NM_00${rest}`;
  return `ENST${short.padStart(11 + short.length - short.indexOf('.'), '0')}`;
}

export function packedNames(genes: readonly GeneNames[]): Uint8Array {
  const names = genes.map(({ name }) => name.split(ofParts));
  const transcripts = genes.flatMap((gene) => gene.transcripts.map((one) => one.split(ofParts)));
  const columns = [
    names.map(([hgnc]) => hgnc),
    names.map(([, symbol]) => symbol),
    genes.map((gene) => gene.transcripts.length),
    transcripts.map(([choice]) => choice),
    transcripts.map(([, id = '']) => shortId(id)),
    transcripts.map(([, , mane = '']) => shortId(mane)),
  ];
  const text = Buffer.from(columns.map((one) => one.join(ofTexts)).join(ofColumns));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  return brotliCompressSync(text, { params });
}

const textsBefore = new WeakMap<Uint8Array, string>();

/** Throws an Error if it is damaged. */
function textOf(content: Uint8Array): string {
  const text = textsBefore.get(content) ?? brotliDecompressSync(content).toString('utf8');
  textsBefore.set(content, text);
  return text;
}

/** Whether names can be read; throws an Error if they are damaged. */
export function isReadable(content: Uint8Array): boolean {
  return textOf(content) !== '';
}

/** Whether blocks may have any of the genes, by their names; quicker than reading these. */
export function mayHaveAny(genes: readonly GeneIdentity[]): (content: Uint8Array) => boolean {
  const numbers = new Set(genes.flatMap(({ hgnc }) => (hgnc === undefined ? [] : [String(hgnc)])));
  const symbols = new Set(genes.flatMap(({ symbol }) => (symbol ? [symbolKey(symbol)] : [])));
  return (content) => {
    const [ofNumbers = '', ofSymbols = ''] = textOf(content).split(ofColumns, 2);
    const isAny = (column: string, wanted: ReadonlySet<string>) =>
      wanted.size > 0 && column.split(ofTexts).some((text) => wanted.has(text));
    return isAny(ofNumbers, numbers) || isAny(symbolKey(ofSymbols), symbols);
  };
}

/** The genes of which a transcript, or what MANE has for it, has this accession, without version. */
export function genesWithTranscript(content: Uint8Array, accession: string): GeneIdentity[] {
  const [digits = ''] = /\d{1,6}$/.exec(accession) ?? [];
  if (!textOf(content).includes(digits)) return [];
  const isNamed = (names: string) => names.split(ofParts).some((id) => id.split('.', 1)[0] === accession);
  return namesIn(content).flatMap(({ name, transcripts }) => (transcripts.some(isNamed) ? [identityOfName(name)] : []));
}

/** Throws an Error if it is damaged. */
export function namesIn(content: Uint8Array): GeneNames[] {
  const [hgnc = [], symbols = [], counts = [], choices = [], ids = [], manes = []] = textOf(content)
    .split(ofColumns)
    .map((column) => column.split(ofTexts));
  let at = 0;
  return hgnc.map((number, i) => {
    const own = Array.from({ length: Number(counts[i]) }, (_, n) => at + n);
    at += own.length;
    const transcripts = own.map((n) => [choices[n], wholeIdOf(ids[n] ?? ''), wholeIdOf(manes[n] ?? '')].join(ofParts));
    return { name: number + ofParts + symbols[i], transcripts };
  });
}
