/** Reads MONDO's mappings of diseases, from SSSOM tables or mondo.json, and packs them. */
import { eachLine, fileFault, quoted, releaseDate, rowsOf, type TextFile } from '../../../core/files.js';
import { pack } from '../formats/packed.js';
import { diseaseCode, disorderKey } from './diseases.js';
import { alternative, type Graph, replacement, versionOf } from './obographs.js';

/** Ids as numbers of `diseaseCode`. */
type Pair = readonly [from: number, to: number];

export interface DiseaseList {
  version?: string;
  /** Ids of one disease. */
  exact: Pair[];
  /** An id, and one that is a step broader. */
  broader: Pair[];
}

const needed = ['subject_id', 'predicate_id', 'object_id'] as const;

/** Whether a line is the header of an SSSOM table. */
export function isMappingHeader(line: string): boolean {
  const names = line.split('\t');
  return needed.every((name) => names.includes(name));
}

/**
 * Reads an SSSOM table (https://mapping-commons.github.io/sssom/). Skips other predicates, negated mappings, those of
 * obsolete terms, and ids of other catalogues. Throws an `unprocessable` fault with file and line.
 */
export function readMappings(file: TextFile): DiseaseList {
  const list: DiseaseList = { exact: [], broader: [] };
  const rowOf = rowsOf(needed);
  let version: string | undefined;
  eachLine(file, (line) => {
    if (line.startsWith('#')) {
      if (/^#\s*mapping_set_version:/.test(line)) version = releaseDate(line) ?? version;
      return;
    }
    if (line === '') return;
    const row = rowOf(line);
    if (row === undefined) return;
    const [subject = '', predicate = '', object = ''] = needed.map(row);
    if (!/^\S+:\S+$/.test(subject)) throw new Error(`the subject_id ${quoted(subject)} is not an id`);
    if (row('predicate_modifier') === 'Not') return;
    // MONDO keeps the mappings of terms that it gave up.
    if (/^obsolete /i.test(row('subject_label') ?? '')) return;
    add(list, codeOf(subject), predicate, codeOf(object));
  });
  return checked(file, { ...list, ...(version && { version }) });
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
        add(list, disease, exactly, mondoCode(val));
      else if (!meta?.deprecated) add(list, disease, pred, codeOf(val));
    }
    if (meta?.deprecated) continue;
    for (const { val, meta: about } of meta?.xrefs ?? []) {
      const sources = [...(about?.basicPropertyValues ?? []), ...(about?.xrefs ?? [])];
      if (sources.some((source) => source.val === 'MONDO:equivalentTo')) add(list, disease, exactly, codeOf(val));
    }
  }
  for (const { sub, pred, obj } of graph.edges) {
    if (pred === 'is_a') add(list, mondoCode(sub), 'rdfs:subClassOf', mondoCode(obj));
  }
  const version = versionOf(graph);
  return checked(file, { ...list, ...(version && { version }) });
}

const exactly = 'skos:exactMatch';

function add({ exact, broader }: DiseaseList, subject: number | undefined, predicate: string, object?: number): void {
  if (subject === undefined || object === undefined || subject === object) return;
  const name = /^(?:skos:|owl:|rdfs:|.*#)(\w+)$/.exec(predicate)?.[1];
  if (name === 'exactMatch' || name === 'equivalentClass') exact.push([subject, object]);
  // The object is the broader one.
  else if (name === 'broadMatch' || name === 'subClassOf') broader.push([subject, object]);
  else if (name === 'narrowMatch') broader.push([object, subject]);
}

/** The code of an id or an address of OMIM, Orphanet, MONDO or DECIPHER; undefined for others, also phenotypic series. */
function codeOf(text: string): number | undefined {
  const [, entry] = /^https?:\/\/(?:www\.)?omim\.org\/entry\/(\d+)$/.exec(text) ?? [];
  const [, name, number] = /(?:^|\/)([a-z]+)[:_/](\d+)$/i.exec(text) ?? [];
  const key = disorderKey(entry === undefined ? `${name}:${number}` : `OMIM:${entry}`);
  return key === undefined ? undefined : diseaseCode(key);
}

function mondoCode(text: string): number | undefined {
  return /(?:^|\/)MONDO[:_]\d+$/.test(text) ? codeOf(text) : undefined;
}

function checked({ name }: TextFile, list: DiseaseList): DiseaseList {
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
  const near = apart.map(([one, other]): Pair => [disease(one), disease(other)]);
  const turned = (pairs: readonly Pair[]) => pairs.map(([one, other]): Pair => [other, one]);
  const ids = Uint32Array.from(new Set([...exact, ...apart].flat())).sort();
  const packed = pack('diseases', {
    ids,
    diseases: ids.map(disease),
    ...columns('exact', [...exact, ...turned(exact)]),
    ...columns('broader', apart),
    ...columns('narrower', turned(apart)),
    ...columns('near', [...near, ...turned(near)]),
  });
  return { packed, ids: new Set(exact.flat()).size };
}

/** By the first of each pair; each pair once. */
function columns(name: string, pairs: readonly Pair[]): Record<string, Uint32Array> {
  const sorted = pairs
    .toSorted((left, right) => left[0] - right[0] || left[1] - right[1])
    .filter(([from, to], i, all) => from !== all[i - 1]?.[0] || to !== all[i - 1]?.[1]);
  return {
    [`${name}.from`]: Uint32Array.from(sorted, ([from]) => from),
    [`${name}.to`]: Uint32Array.from(sorted, ([, to]) => to),
  };
}
