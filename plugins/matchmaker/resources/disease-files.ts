/** Reads files about diseases: OBO Graphs, MONDO's mappings of their ids, and their phenotypes. */
import { z } from 'zod';
import { eachLine, fileFault, quoted, releaseDate, rowsOf, type TextFile } from '../../../core/files.js';
import { diseaseCode, disorderKey } from './diseases.js';
import { pack } from './packed.js';
import {
  type HpoTerm,
  type HpoTerms,
  neededTerm,
  offsetsOfLists,
  type TermNumber,
  termId,
  termNumber,
} from './terms.js';

const property = z.object({ pred: z.string(), val: z.string() });
const properties = z.array(property).optional();
const xrefs = z.array(z.object({ val: z.string() })).optional();
const node = z.object({
  id: z.string(),
  lbl: z.string().optional(),
  meta: z
    .object({
      deprecated: z.boolean().optional(),
      basicPropertyValues: properties,
      xrefs: z
        .array(z.object({ val: z.string(), meta: z.object({ basicPropertyValues: properties, xrefs }).optional() }))
        .optional(),
    })
    .optional(),
});
const graph = z.object({
  meta: z.object({ version: z.string().optional(), basicPropertyValues: properties }).optional(),
  nodes: z.array(node),
  edges: z.array(z.object({ sub: z.string(), pred: z.string(), obj: z.string() })),
});
const graphs = z.object({ graphs: z.array(z.unknown()).min(1) });

export type Graph = z.output<typeof graph>;

export const alternative = 'http://www.geneontology.org/formats/oboInOwl#hasAlternativeId';
export const replacement = 'http://purl.obolibrary.org/obo/IAO_0100001';

/** Reads the first graph. Throws an `unprocessable` fault with the path or line. */
export function readGraph(file: TextFile): Graph {
  const outer = checkedGraph(file, graphs, parseGraphs(file), '');
  return checkedGraph(file, graph, outer.graphs[0], 'graphs.0.');
}

/** The terms of HPO in a graph. Throws an `unprocessable` fault if they are not sound. */
export function termsOfFile(file: TextFile, about: Graph): HpoTerms {
  const { nodes, edges } = about;
  const terms = new Map<number, HpoTerm>();
  for (const { id: address, lbl, meta: about } of nodes) {
    const id = termNumber(address);
    if (id === undefined) continue;
    const obsolete = about?.deprecated === true;
    const values = about?.basicPropertyValues ?? [];
    const replacedBy = termNumber(values.find(({ pred }) => pred === replacement)?.val ?? '');
    // A node without a label is an old id, of use only if it names its replacement.
    if (lbl === undefined && !(obsolete && replacedBy !== undefined)) continue;
    if (terms.has(id)) throw fileFault(file.name, `${termId(id)} is defined twice`);
    terms.set(id, {
      id,
      name: lbl ?? '',
      obsolete,
      ...(replacedBy !== undefined && { replacedBy }),
      alternatives: values.flatMap(({ pred, val }) => (pred === alternative ? (termNumber(val) ?? []) : [])),
      parents: [],
    });
  }
  for (const { sub, pred, obj } of edges) {
    const [child, parent] = [termNumber(sub), termNumber(obj)];
    if (pred !== 'is_a' || child === undefined || parent === undefined) continue;
    const term = terms.get(child);
    if (!term) throw fileFault(file.name, `${termId(child)} has a parent, but is not among the nodes`);
    term.parents.push(parent);
  }
  const version = versionOfGraph(about);
  return { ...(version && { version }), terms: [...terms.values()] };
}

function versionOfGraph({ meta }: Graph): string | undefined {
  const info = meta?.basicPropertyValues?.find(({ pred }) => pred.endsWith('owl#versionInfo'))?.val;
  return releaseDate(info) ?? releaseDate(meta?.version) ?? info;
}

function checkedGraph<Value>(file: TextFile, schema: z.ZodType<Value>, value: unknown, prefix: string): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw fileFault(file.name, `not an OBO graph: ${prefix}${issue?.path.join('.')}: ${issue?.message}`);
}

function parseGraphs({ name, text }: TextFile): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const position = Number(/position (\d+)/.exec((cause as Error).message)?.[1] ?? text.length);
    const line = text.slice(0, position).split('\n').length;
    throw fileFault(name, 'not a complete JSON document', line);
  }
}

// Reads MONDO's mappings of diseases, from SSSOM tables or mondo.json, and packs them.

/** Ids as numbers of `diseaseCode`. */
type DiseasePair = readonly [from: number, to: number];

export interface DiseaseList {
  version?: string;
  /** Ids of one disease. */
  exact: DiseasePair[];
  /** An id, and one that is a step broader. */
  broader: DiseasePair[];
}

const mappingColumns = ['subject_id', 'predicate_id', 'object_id'] as const;

/** Whether a line is the header of an SSSOM table. */
export function isMappingHeader(line: string): boolean {
  const names = line.split('\t');
  return mappingColumns.every((name) => names.includes(name));
}

/**
 * Reads an SSSOM table (https://mapping-commons.github.io/sssom/). Skips other predicates, negated mappings, those of
 * obsolete terms, and ids of other catalogues. Throws an `unprocessable` fault with file and line.
 */
export function readMappings(file: TextFile): DiseaseList {
  const list: DiseaseList = { exact: [], broader: [] };
  const rowOf = rowsOf(mappingColumns);
  let version: string | undefined;
  eachLine(file, (line) => {
    if (line.startsWith('#')) {
      if (/^#\s*mapping_set_version:/.test(line)) version = releaseDate(line) ?? version;
      return;
    }
    if (line === '') return;
    const row = rowOf(line);
    if (row === undefined) return;
    const [subject = '', predicate = '', object = ''] = mappingColumns.map(row);
    if (!/^\S+:\S+$/.test(subject)) throw new Error(`the subject_id ${quoted(subject)} is not an id`);
    if (row('predicate_modifier') === 'Not') return;
    // MONDO keeps the mappings of terms that it gave up.
    if (/^obsolete /i.test(row('subject_label') ?? '')) return;
    addMapping(list, codeOfAddress(subject), predicate, codeOfAddress(object));
  });
  return checkedMappings(file, { ...list, ...(version && { version }) });
}

/** Whether a graph has diseases of MONDO rather than phenotypes of HPO. */
export function hasDiseases({ nodes }: Graph): boolean {
  const count = (mark: RegExp) => nodes.filter(({ id }) => mark.test(id)).length;
  return count(/(?:^|\/)MONDO[:_]/) > count(/(?:^|\/)HP[:_]/);
}

/**
 * Reads mondo.json: exact mappings, former ids of a disease, and the parents of each. Throws an `unprocessable` fault if there
 * is no mapping.
 */
export function readDiseases(file: TextFile, graph: Graph): DiseaseList {
  const list: DiseaseList = { exact: [], broader: [] };
  for (const { id, meta } of graph.nodes) {
    const disease = mondoCode(id);
    if (disease === undefined) continue;
    for (const { pred, val } of meta?.basicPropertyValues ?? []) {
      if (pred === alternative || (pred === replacement && meta?.deprecated))
        addMapping(list, disease, exactly, mondoCode(val));
      else if (!meta?.deprecated) addMapping(list, disease, pred, codeOfAddress(val));
    }
    if (meta?.deprecated) continue;
    for (const { val, meta: about } of meta?.xrefs ?? []) {
      const sources = [...(about?.basicPropertyValues ?? []), ...(about?.xrefs ?? [])];
      if (sources.some((source) => source.val === 'MONDO:equivalentTo'))
        addMapping(list, disease, exactly, codeOfAddress(val));
    }
  }
  for (const { sub, pred, obj } of graph.edges) {
    if (pred === 'is_a') addMapping(list, mondoCode(sub), 'rdfs:subClassOf', mondoCode(obj));
  }
  const version = versionOfGraph(graph);
  return checkedMappings(file, { ...list, ...(version && { version }) });
}

const exactly = 'skos:exactMatch';

function addMapping(
  { exact, broader }: DiseaseList,
  subject: number | undefined,
  predicate: string,
  object?: number,
): void {
  if (subject === undefined || object === undefined || subject === object) return;
  const name = /^(?:skos:|owl:|rdfs:|.*#)(\w+)$/.exec(predicate)?.[1];
  if (name === 'exactMatch' || name === 'equivalentClass') exact.push([subject, object]);
  // The object is the broader one.
  else if (name === 'broadMatch' || name === 'subClassOf') broader.push([subject, object]);
  else if (name === 'narrowMatch') broader.push([object, subject]);
}

/** The code of an id or an address of OMIM, Orphanet, MONDO or DECIPHER; undefined for others, also phenotypic series. */
function codeOfAddress(text: string): number | undefined {
  const [, entry] = /^https?:\/\/(?:www\.)?omim\.org\/entry\/(\d+)$/.exec(text) ?? [];
  const [, name, number] = /(?:^|\/)([a-z]+)[:_/](\d+)$/i.exec(text) ?? [];
  const key = disorderKey(entry === undefined ? `${name}:${number}` : `OMIM:${entry}`);
  return key === undefined ? undefined : diseaseCode(key);
}

function mondoCode(text: string): number | undefined {
  return /(?:^|\/)MONDO[:_]\d+$/.test(text) ? codeOfAddress(text) : undefined;
}

function checkedMappings({ name }: TextFile, list: DiseaseList): DiseaseList {
  if (list.exact.length > 0) return list;
  throw fileFault(name, 'no two ids of OMIM, Orphanet, MONDO and DECIPHER are mapped exactly in this file');
}

/** Packs the mappings; `ids` is the number of ids with an exact one. */
export function packDiseases({ exact, broader }: DiseaseList): { packed: Uint8Array<ArrayBuffer>; ids: number } {
  // Exact mappings are transitive (SKOS, S45): a disease is named by the least of its ids.
  const least = new Map<number, number>();
  const disease = (code: number): number => {
    let at = code;
    for (let next = least.get(at); next !== undefined; next = least.get(at)) at = next;
    if (at !== code) least.set(code, at);
    return at;
  };
  for (const pair of exact) {
    const [one, other] = pair.map(disease) as [number, number];
    if (one !== other) least.set(Math.max(one, other), Math.min(one, other));
  }
  const apart = broader.filter(([one, other]) => disease(one) !== disease(other));
  const near = apart.map(([one, other]): DiseasePair => [disease(one), disease(other)]);
  const turned = (pairs: readonly DiseasePair[]) => pairs.map(([one, other]): DiseasePair => [other, one]);
  const ids = Uint32Array.from(new Set([...exact, ...apart].flat())).sort();
  const packed = pack('diseases', {
    ids,
    diseases: ids.map(disease),
    ...pairColumns('exact', [...exact, ...turned(exact)]),
    ...pairColumns('broader', apart),
    ...pairColumns('narrower', turned(apart)),
    ...pairColumns('near', [...near, ...turned(near)]),
  });
  return { packed, ids: new Set(exact.flat()).size };
}

/** By the first of each pair; each pair once. */
function pairColumns(name: string, pairs: readonly DiseasePair[]): Record<string, Uint32Array> {
  const sorted = pairs
    .toSorted((left, right) => left[0] - right[0] || left[1] - right[1])
    .filter(([from, to], i, all) => from !== all[i - 1]?.[0] || to !== all[i - 1]?.[1]);
  return {
    [`${name}.from`]: Uint32Array.from(sorted, ([from]) => from),
    [`${name}.to`]: Uint32Array.from(sorted, ([, to]) => to),
  };
}

// Reads the phenotypes of diseases: phenotype.hpoa, or a table with a line for each disease.

export interface Annotations {
  version?: string;
  /** By disease id: its terms as in the file, each once. */
  diseases: Map<string, Set<TermNumber>>;
}

/** Whether a line, without its leading #, is the header of phenotype.hpoa. */
export function isAnnotationHeader(line: string): boolean {
  return /^database_?id\t/i.test(line);
}

export function isDiseaseTable(line: string): boolean {
  return /^disease_id\tname\thpo_ids\b/i.test(line);
}

const annotationColumns = ['databaseid', 'qualifier', 'hpoid', 'aspect'] as const;
const disease = /^[A-Za-z]+:\S+$/;

/**
 * Reads phenotype.hpoa, with the current header or that from before 2023: phenotypes (aspect P) without those qualified as
 * NOT. Lines of one disease are joined, whatever their references. Throws an `unprocessable` fault with file and line.
 */
export function readHpoa(file: TextFile): Annotations {
  const diseases = new Map<string, Set<TermNumber>>();
  let version: string | undefined;
  let rowOf: ReturnType<typeof rowsOf> | undefined;
  eachLine(file, (line) => {
    if (/^#(?:version|date):/.test(line)) version = releaseDate(line) ?? version;
    const names = line.replace(/^#/, '');
    if (rowOf === undefined && isAnnotationHeader(names)) {
      rowOf = rowsOf(annotationColumns);
      rowOf(names.replaceAll('_', ''));
      return;
    }
    if (line === '' || line.startsWith('#')) return;
    if (rowOf === undefined) throw new Error('the header line with the column names is missing');
    const row = rowOf(line);
    const cell = (name: (typeof annotationColumns)[number]): string => row?.(name) ?? '';
    const [id, aspect, qualifier] = [cell('databaseid'), cell('aspect'), cell('qualifier')];
    if (!disease.test(id)) throw new Error(`${quoted(id)} is not a disease id, such as OMIM:154700`);
    if (!/^[A-Z]$/i.test(aspect)) throw new Error(`the aspect must be one letter, not ${quoted(aspect)}`);
    if (qualifier !== '' && qualifier.toUpperCase() !== 'NOT')
      throw new Error(`the qualifier must be NOT or empty, not ${quoted(qualifier)}`);
    const term = neededTerm(cell('hpoid'));
    if (aspect.toUpperCase() === 'P' && qualifier === '') addPhenotype(diseases, id, term);
  });
  return annotations(file, version, diseases);
}

/** Reads a table `disease_id`, `name`, `hpo_ids`. It has no aspect: terms outside the phenotypes of HPO are not counted later. */
export function readDiseaseTable(file: TextFile): Annotations {
  const diseases = new Map<string, Set<TermNumber>>();
  eachLine(file, (line, number) => {
    if (number === 1 || line === '') return;
    const [id = '', , terms, ...more] = line.split('\t');
    if (terms === undefined || more.length > 0) throw new Error('expected three columns: disease_id, name, hpo_ids');
    if (!disease.test(id)) throw new Error(`${quoted(id)} is not a disease id, such as OMIM:154700`);
    for (const term of terms.split('|').filter(Boolean)) addPhenotype(diseases, id, neededTerm(term));
  });
  return annotations(file, releaseDate(file.name), diseases);
}

function addPhenotype(diseases: Annotations['diseases'], id: string, term: TermNumber): void {
  const terms = diseases.get(id);
  if (terms) terms.add(term);
  else diseases.set(id, new Set([term]));
}

function annotations(file: TextFile, version: string | undefined, diseases: Annotations['diseases']): Annotations {
  if (diseases.size === 0) throw fileFault(file.name, 'no disease in this file has a phenotype');
  return { ...(version && { version }), diseases };
}

/** Packs terms by id, since the ontology may be replaced without the annotations. Counting needs no names of diseases. */
export function packAnnotations({ diseases }: Annotations): Uint8Array<ArrayBuffer> {
  const lists = [...diseases.values()].map((terms) => [...terms]);
  return pack('annotations', { terms: Uint32Array.from(lists.flat()), 'terms.offsets': offsetsOfLists(lists) });
}
