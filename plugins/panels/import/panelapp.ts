/**
 * Panels of PanelApp (England or Australia), as its API answers, as files of JSON lines, one panel a line, and as the table that it
 * offers for download.
 */
import { z } from 'zod';
import { eachLine, fileFault, quoted, type TextFile } from '../../../core/files.js';
import { Fault } from '../../../core/plugin.js';
import type { Confidence, OtherEntry } from '../versions/content.js';
import type { DraftEntry, PanelDraft } from './drafts.js';
import { cellsOfLine } from './gene-list.js';

const text = z.string().nullish();
const texts = z.array(z.string()).nullish();

/**
 * 3 is green, and so is 4 in old data (several sources); 2 is amber, 1 red. Reviewers give 0 to a gene that they took off the panel:
 * it has no evidence that would count for a report, as if it were red.
 */
const levels: ReadonlyMap<string, Confidence> = new Map([
  ['4', 'green'],
  ['3', 'green'],
  ['2', 'amber'],
  ['1', 'red'],
  ['0', 'red'],
  ['', 'unrated'],
]);
const level = z
  .union([z.string(), z.number()])
  .nullish()
  .refine((given) => levels.has(String(given ?? '')), 'expected a level from 0 to 4');

const entity = z.looseObject({
  gene_data: z.looseObject({ hgnc_id: text, gene_symbol: text, hgnc_symbol: text }).nullish(),
  entity_name: text,
  confidence_level: level,
  penetrance: text,
  mode_of_pathogenicity: text,
  mode_of_inheritance: text,
  phenotypes: texts,
  tags: texts,
  transcript: texts,
  /** In superpanels. */
  panel: z.looseObject({ id: z.union([z.number(), z.string()]).optional(), name: z.string(), version: text }).nullish(),
});
type Entity = z.infer<typeof entity>;

const place = z.array(z.union([z.number(), z.string()])).nullish();
const other = z.looseObject({
  ...entity.shape,
  verbose_name: text,
  repeated_sequence: text,
  chromosome: text,
  grch37_coordinates: place,
  grch38_coordinates: place,
  normal_repeats: z.number().nullish(),
  pathogenic_repeats: z.number().nullish(),
  type_of_variants: text,
  required_overlap_percentage: z.union([z.number(), z.string()]).nullish(),
  haploinsufficiency_score: text,
  triplosensitivity_score: text,
});
type OtherEntity = z.infer<typeof other>;

const panelAppPanel = z.looseObject({
  id: z.union([z.number(), z.string()]),
  name: z.string().min(1),
  version: z.union([z.string(), z.number()]),
  relevant_disorders: texts,
  disease_group: text,
  disease_sub_group: text,
  status: text,
  signed_off: text,
  genes: z.array(entity),
  strs: z.array(other).nullish(),
  regions: z.array(other).nullish(),
});

/** One panel. Throws an `unprocessable` fault that names the field, after `at`: the file and line, or the address. */
export function readPanelApp(value: unknown, at: string): PanelDraft {
  const parsed = panelAppPanel.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Fault(
      'unprocessable',
      `${at}: not a panel of PanelApp: ${issue?.path.join('.') || 'the value'}: ${issue?.message}`,
    );
  }
  const { id, name, version, relevant_disorders, disease_group, disease_sub_group, signed_off, ...lists } = parsed.data;
  const group = [disease_group, disease_sub_group].filter(Boolean).join(', ');
  return {
    id: `panelapp-${id}`,
    version: String(version),
    name,
    ...(group === '' ? {} : { description: group }),
    ...unlessEmptyList('disorders', filled(relevant_disorders)),
    entries: lists.genes.map((one, place) => entryOfEntity(one, `gene ${place + 1}`)),
    others: [
      ...(lists.strs ?? []).map((one) => otherOf(one, 'str')),
      ...(lists.regions ?? []).map((one) => otherOf(one, 'region')),
    ],
    notes: [...lists.genes, ...(lists.strs ?? []), ...(lists.regions ?? [])].flatMap(takenOff),
    source: {
      kind: 'panelapp',
      id: String(id),
      version: String(version),
      ...(signed_off ? { signedOff: signed_off } : {}),
    },
  };
}

/** Whether the text is the table that a page of PanelApp offers for download. */
export function isPanelAppTable(text: string): boolean {
  const titles = text.slice(0, text.indexOf('\n')).split('\t');
  return titles.includes('Gene Symbol') && titles.includes('GEL_Status');
}

/**
 * That table: genes, short tandem repeats and regions, one a line. It does not state the id of the panel. The lines of a superpanel
 * name its panels, with their versions. Throws an `unprocessable` fault with file and line.
 */
export function readPanelAppTable(file: TextFile): PanelDraft {
  const entries: DraftEntry[] = [];
  const rows: { row: OtherEntity; type: string; at: string }[] = [];
  let titles: string[] | undefined;
  eachLine(file, (line, number) => {
    if (line.trim() === '') return;
    const cells = cellsOfLine(line, '\t');
    titles ??= cells;
    if (titles === cells) return;
    if (cells.length > titles.length) throw new Error(`expected ${titles.length} cells, found ${cells.length}`);
    const known = titles;
    const { row, type } = rowOfTable((title) => cells[known.indexOf(title)] ?? '');
    rows.push({ row, type, at: `line ${number}` });
  });
  if (rows.length === 0) throw fileFault(file.name, 'there are no genes in it');
  const only = (name: 'name' | 'version') => {
    const [first, ...more] = new Set(rows.flatMap(({ row }) => row.panel?.[name] || []));
    return more.length === 0 ? first : undefined;
  };
  const [name, version] = [only('name'), only('version')];
  const isSuper = name === undefined;
  const others: OtherEntry[] = [];
  for (const { row, type, at } of rows) {
    const one = isSuper ? row : { ...row, panel: null };
    if (type === 'gene') entries.push(entryOfEntity(one, at));
    else others.push(otherOf(one, type === 'str' ? 'str' : 'region'));
  }
  return {
    ...(name === undefined ? {} : { name }),
    ...(version === undefined || isSuper ? {} : { version }),
    entries,
    others,
    notes: rows.flatMap(({ row }) => takenOff(row)),
    source: { kind: 'panelapp', ...(version === undefined || isSuper ? {} : { version }) },
  };
}

/** A line of the table, as the API would have it. */
function rowOfTable(cell: (title: string) => string): { row: OtherEntity; type: string } {
  const type = cell('Entity type') || 'gene';
  if (!['gene', 'str', 'region'].includes(type))
    throw new Error(`Entity type: expected gene, str or region, found ${quoted(type)}`);
  const number = (title: string) => (/^\d+$/.test(cell(title)) ? Number(cell(title)) : null);
  const row = {
    gene_data: { hgnc_id: cell('HGNC'), hgnc_symbol: cell('Gene Symbol') },
    entity_name: cell('Entity Name'),
    confidence_level: cell('GEL_Status'),
    mode_of_inheritance: cell('Model_Of_Inheritance'),
    mode_of_pathogenicity: cell('Mode of pathogenicity'),
    phenotypes: cell('Phenotypes').split(';'),
    panel: cell('Level4') === '' ? null : { name: cell('Level4'), version: cell('version') },
    verbose_name: cell('Region Verbose Name'),
    chromosome: cell('Position Chromosome'),
    grch37_coordinates: [cell('Position GRCh37 Start'), cell('Position GRCh37 End')].filter(Boolean),
    grch38_coordinates: [cell('Position GRCh38 Start'), cell('Position GRCh38 End')].filter(Boolean),
    repeated_sequence: cell('STR Repeated Sequence'),
    normal_repeats: number('STR Normal Repeats'),
    pathogenic_repeats: number('STR Pathogenic Repeats'),
    type_of_variants: cell('Region Variant Type'),
    required_overlap_percentage: cell('Region Required Overlap Percentage'),
    haploinsufficiency_score: cell('Region Haploinsufficiency Score'),
    triplosensitivity_score: cell('Region Triplosensitivity Score'),
  };
  const { data, error } = other.safeParse(row);
  if (data === undefined) throw new Error(`GEL_Status: ${error.issues[0]?.message}`);
  return { row: data, type };
}

function entryOfEntity(one: Entity, at: string): DraftEntry {
  const hgnc = idOfEntity(one);
  const symbol = one.gene_data?.hgnc_symbol || one.gene_data?.gene_symbol || one.entity_name || undefined;
  return {
    at,
    ...(hgnc === undefined ? {} : { hgnc }),
    ...(symbol === undefined ? {} : { symbol }),
    confidence: confidenceOf(one.confidence_level),
    ...(one.mode_of_inheritance ? { inheritance: one.mode_of_inheritance } : {}),
    ...(one.penetrance ? { penetrance: one.penetrance } : {}),
    ...(one.mode_of_pathogenicity ? { mode: one.mode_of_pathogenicity } : {}),
    ...unlessEmptyList('phenotypes', filled(one.phenotypes)),
    ...unlessEmptyList('tags', filled(one.tags)),
    ...unlessEmptyList('transcripts', filled(one.transcript)),
    ...unlessEmptyList('from', panelsOf(one)),
  };
}

/** `Epilepsy 3.2 (panelapp-402): green` */
function panelsOf({ panel, confidence_level }: Entity): string[] {
  if (!panel) return [];
  const { id, name, version } = panel;
  const where = id === undefined ? '' : ` (panelapp-${id})`;
  return [`${[name, version].filter(Boolean).join(' ')}${where}: ${confidenceOf(confidence_level)}`];
}

function takenOff({ confidence_level, entity_name }: Entity): string[] {
  return String(confidence_level) === '0'
    ? [`${entity_name} was taken off the panel in PanelApp: it is kept as red`]
    : [];
}

/** PanelApp's types of variants of regions. */
const variantTypes: Readonly<Record<string, string>> = {
  cnv_loss: 'copy number loss',
  cnv_gain: 'copy number gain',
  cnv_both: 'copy number loss or gain',
  small: 'small variants',
};

function otherOf(one: OtherEntity, kind: OtherEntry['kind']): OtherEntry {
  const hgnc = idOfEntity(one);
  const where = [placeIn(one, 'GRCh37'), placeIn(one, 'GRCh38')].filter(Boolean).join('; ');
  const { type_of_variants: type, required_overlap_percentage: overlap } = one;
  const details = [
    one.repeated_sequence ? `repeat ${one.repeated_sequence}` : '',
    typeof one.normal_repeats === 'number' ? `normal up to ${one.normal_repeats}` : '',
    typeof one.pathogenic_repeats === 'number' ? `pathogenic from ${one.pathogenic_repeats}` : '',
    type ? (variantTypes[type] ?? type) : '',
    String(overlap ?? '') === '' ? '' : `overlap of ${overlap} % required`,
    one.haploinsufficiency_score ? `haploinsufficiency score ${one.haploinsufficiency_score}` : '',
    one.triplosensitivity_score ? `triplosensitivity score ${one.triplosensitivity_score}` : '',
  ].filter(Boolean);
  return {
    kind,
    name: one.verbose_name || one.entity_name || kind,
    confidence: confidenceOf(one.confidence_level),
    ...(hgnc === undefined ? {} : { genes: [hgnc] }),
    ...(where === '' ? {} : { place: where }),
    ...(details.length === 0 ? {} : { detail: details.join(', ') }),
    ...unlessEmptyList('from', panelsOf(one)),
  };
}

/** In the form of `placesOf`: PanelApp counts bases from 1, and includes the last. */
function placeIn(one: OtherEntity, build: 'GRCh37' | 'GRCh38'): string {
  const [from, to] = (build === 'GRCh37' ? one.grch37_coordinates : one.grch38_coordinates) ?? [];
  return one.chromosome && from !== undefined ? `${one.chromosome}:${from}-${to ?? from} (${build})` : '';
}

function idOfEntity({ gene_data }: Entity): number | undefined {
  const digits = /^(?:HGNC:)?([1-9]\d{0,8})$/.exec(gene_data?.hgnc_id ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Of a level that was accepted. */
function confidenceOf(given: z.infer<typeof level>): Confidence {
  return levels.get(String(given ?? '')) ?? 'unrated';
}

function filled(list: readonly string[] | null | undefined): string[] {
  return (list ?? []).flatMap((one) => one.trim() || []);
}

function unlessEmptyList<Name extends string>(name: Name, list: string[]): { [key in Name]?: string[] } {
  return list.length === 0 ? {} : ({ [name]: list } as { [key in Name]: string[] });
}
