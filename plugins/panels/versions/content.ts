/** What a version of a panel contains, and what differs between two, gene by gene. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { assemblies, contigNamed, lengthOf } from '../../../core/genome.js';
import { isStorableText } from '../../../core/plugin.js';
import type { PanelPlaceOfReport } from '../../services/panels.js';

// What a version of a panel contains. It is stored as one text, which is never changed after the version was signed: the
// digest of that text is what people sign.

/** How sure the source is that the gene causes the disorder, in PanelApp's colours; `unrated` in sources without levels. */
export const confidences = ['green', 'amber', 'red', 'unrated'] as const;
export type Confidence = (typeof confidences)[number];

const storable = z.string().refine(isStorableText, 'expected text without NUL characters and unpaired surrogates');

const text = storable.min(1).max(2000);
const texts = z.array(text).max(200);
const hgnc = z.int().min(1).max(999_999_999);

const gene = z.strictObject({
  /** 950 of HGNC:950. */
  hgnc,
  /** The approved symbol when the entry was made. */
  symbol: storable.min(1).max(40),
  confidence: z.enum(confidences),
  /** As the source words it. */
  inheritance: text.optional(),
  /** Transcripts that are wanted instead of the preferred one, with or without their version. */
  transcripts: texts.optional(),
  /** A core gene: reports ask for all of its bases, whatever part the panel requires of the others. */
  core: z.literal(true).optional(),
  /** As the source words them: complete or incomplete penetrance, how variants act, tags, phenotypes. */
  penetrance: text.optional(),
  mode: text.optional(),
  tags: texts.optional(),
  phenotypes: texts.optional(),
  comment: text.optional(),
  /** Of a superpanel: the panels that list it, each with its confidence there; the highest first. */
  from: texts.optional(),
});

export const countedBases = ['exons', 'coding'] as const;

/** What the laboratory promises of a report with this panel: `percent` of its bases at `depth` or more. */
const requirement = z.strictObject({
  depth: z.int().min(1).max(100_000),
  percent: z.number().gt(0).max(100),
  /** Which bases count: all exonic ones, or coding bases with splice bases. Versions of before this was stated mean exons. */
  bases: z.enum(countedBases).optional(),
});

/** A region or short tandem repeat, of which reports show the depth, apart from the genes. */
const other = z.strictObject({
  kind: z.enum(['region', 'str']),
  name: text,
  confidence: z.enum(confidences),
  /** Genes that the source names with it. */
  genes: z.array(hgnc).max(100).optional(),
  /** In the form of `placesOf`, or as the source writes it: then no report looks at it. */
  place: text.optional(),
  detail: text.optional(),
  /** Whether reports ask for all of its bases, as of a core gene. */
  core: z.literal(true).optional(),
  from: texts.optional(),
});

const placeForm = /^([^\s:]{1,10}):([1-9]\d{0,8})-([1-9]\d{0,8}) \((GRCh3[78])\)$/;

/**
 * The places that a text names in the form `4:3076604-3076660 (GRCh37); 4:3074877-3074933 (GRCh38)`: bases count from 1, first and
 * last included, as PanelApp has them (these are the 57 bases of HTT's 19 CAG in the reference). None if any part has another
 * form, is not on its chromosome, or names a build again.
 */
export function placesOf(text = ''): PanelPlaceOfReport['places'] {
  const found: PanelPlaceOfReport['places'] = {};
  for (const part of text.split(';')) {
    const [, name = '', first, last, written] = placeForm.exec(part.trim()) ?? [];
    const build = assemblies.find((one) => one === written);
    const chromosome = contigNamed(name);
    if (build === undefined || chromosome === undefined || found[build] !== undefined) return {};
    const [start, end] = [Number(first) - 1, Number(last)];
    if (end <= start || end > lengthOf(build, chromosome)) return {};
    Object.assign(found, { [build]: { chromosome, start, end } });
  }
  return found;
}

/** What a source lists and no gene could be found for. A version with any cannot be signed. */
const unmapped = z.strictObject({
  /** As the source names it: a symbol, an id, or both. */
  given: text,
  /** Where: a line of a file, or the place in an answer. */
  at: text.optional(),
  why: text,
  /** Genes that may be meant. */
  candidates: z.array(hgnc).max(100).optional(),
  confidence: z.enum(confidences),
});

const source = z.strictObject({
  kind: z.enum(['panelapp', 'scout', 'list', 'bed', 'person', 'version']),
  /** Host and path of an address, the name of a file, or the version that it was copied from. */
  name: text,
  /** Of the file or answer, lower-case hex. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  /** PanelApp's id and version, and the day on which that version was signed off there. */
  id: text.optional(),
  version: text.optional(),
  signedOff: text.optional(),
  /** When it was read. */
  read: z.iso.datetime(),
});

export const panelContent = z.strictObject({
  /** For people: the id of the panel never changes, its name may. */
  name: text,
  description: storable.max(20_000).optional(),
  /** Disorders and codes of test directories, such as R254. */
  disorders: texts.optional(),
  requirement: requirement.optional(),
  genes: z.array(gene).max(30_000),
  others: z.array(other).max(5000).optional(),
  unmapped: z.array(unmapped).max(30_000).optional(),
  source,
  /** The release of gene names by which genes were found. */
  names: text.optional(),
});

/** What a person writes of a version. The symbol of a gene may be omitted: it is looked up. */
export const editableContent = panelContent
  .omit({ source: true, names: true })
  .extend({ genes: z.array(gene.partial({ symbol: true })).max(30_000) });

export type EditableContent = z.infer<typeof editableContent>;
export type PanelContent = z.infer<typeof panelContent>;
export type PanelRequirement = z.infer<typeof requirement>;
export type PanelGene = PanelContent['genes'][number];
export type OtherEntry = NonNullable<PanelContent['others']>[number];
export type UnmappedEntry = NonNullable<PanelContent['unmapped']>[number];
export type PanelSource = PanelContent['source'];

/** With the bases that its requirement counts: every version that is written now states them. */
export function withCountedBases(content: PanelContent): PanelContent {
  const { requirement: required } = content;
  if (required === undefined || required.bases !== undefined) return content;
  return { ...content, requirement: { ...required, bases: 'exons' } };
}

/** Which bases a requirement counts, for people. */
export function basesWords(bases: PanelRequirement['bases']): string {
  return bases === 'coding' ? 'coding and splice bases' : 'exonic bases';
}

/** One text for one content: members by name, genes by HGNC id, without spaces. Throws a RangeError if a gene is there twice. */
export function contentText(content: PanelContent): string {
  const genes = [...content.genes].sort((one, two) => one.hgnc - two.hgnc);
  const twice = genes.find((one, place) => genes[place + 1]?.hgnc === one.hgnc);
  if (twice) throw new RangeError(`HGNC:${twice.hgnc} is there twice`);
  return JSON.stringify({ ...content, genes }, byName);
}

/** SHA-256 of the text in UTF-8, lower-case hex. */
export function contentDigest(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** Of a text that `contentText` made. */
export function parseContent(text: string): PanelContent {
  return panelContent.parse(JSON.parse(text));
}

function byName(_: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [two]) => (one < two ? -1 : 1)));
}

// What differs between two versions of a panel, or two panels, gene by gene.

export interface PanelGeneDifference {
  hgnc: number;
  /** In the later version, or the earlier if it was removed. */
  symbol: string;
  /**
   * `promoted` and `demoted` speak of the confidence, of which `unrated` has none: from or to it, a gene is `changed`. A gene
   * can be renamed and promoted at once; `changed` is any other difference, with the names of what differs.
   */
  what: ('added' | 'removed' | 'promoted' | 'demoted' | 'renamed' | 'changed')[];
  before?: PanelGene;
  after?: PanelGene;
  /** Names of the members that differ besides symbol and a confidence that was promoted or demoted. */
  changed: (keyof PanelGene)[];
}

/** Whether the two require the same of a report. */
export function sameRequirement(
  before: Pick<PanelContent, 'requirement'>,
  after: Pick<PanelContent, 'requirement'>,
): boolean {
  const [one, two] = [before.requirement, after.requirement];
  const basesOf = (required: typeof one) => required && (required.bases ?? 'exons');
  return one?.depth === two?.depth && one?.percent === two?.percent && basesOf(one) === basesOf(two);
}

/** Genes that differ, by HGNC id. */
export function differences(
  before: Pick<PanelContent, 'genes'>,
  after: Pick<PanelContent, 'genes'>,
): PanelGeneDifference[] {
  const [earlier, later] = [byId(before), byId(after)];
  const ids = [...new Set([...earlier.keys(), ...later.keys()])].sort((one, two) => one - two);
  return ids.flatMap((id) => geneDifference(earlier.get(id), later.get(id)) ?? []);
}

function geneDifference(before: PanelGene | undefined, after: PanelGene | undefined): PanelGeneDifference | undefined {
  const shown = after ?? before;
  if (shown === undefined) return undefined;
  const { hgnc, symbol } = shown;
  if (before === undefined || after === undefined) {
    const one =
      before === undefined ? { what: ['added' as const], after: shown } : { what: ['removed' as const], before };
    return { hgnc, symbol, changed: [], ...one };
  }
  const what: PanelGeneDifference['what'] = [];
  const moved = confidenceChange(before.confidence, after.confidence);
  if (moved) what.push(moved);
  if (before.symbol !== after.symbol) what.push('renamed');
  const named = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof PanelGene)[]);
  named.delete('symbol');
  if (moved) named.delete('confidence');
  const changed = [...named].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).sort();
  if (changed.length > 0) what.push('changed');
  return what.length === 0 ? undefined : { hgnc, symbol, what, before, after, changed };
}

function confidenceChange(before: Confidence, after: Confidence): 'promoted' | 'demoted' | undefined {
  if (before === after || before === 'unrated' || after === 'unrated') return undefined;
  return confidences.indexOf(after) < confidences.indexOf(before) ? 'promoted' : 'demoted';
}

function byId({ genes }: Pick<PanelContent, 'genes'>): Map<number, PanelGene> {
  return new Map(genes.map((gene) => [gene.hgnc, gene]));
}
