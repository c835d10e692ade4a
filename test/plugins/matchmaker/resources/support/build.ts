/** Small resources for a test: files as text, read as if from disk. */
import type { FaultCode } from '../../../../../core/fault.js';
import { decodeText } from '../../../../../core/files.js';
import type { Ontology } from '../../../../../plugins/matchmaker/resources/ontology.js';
import { assemble, type Resources } from '../../../../../plugins/matchmaker/resources/resources.js';
import { type ReadResource, readResource, storedResource } from '../../../../../plugins/matchmaker/resources/update.js';
import { faultOf } from '../../../../support/fault.js';

export async function read(text: string | Uint8Array, name = 'file.txt'): Promise<ReadResource> {
  return readResource(await decodeText(name, typeof text === 'string' ? Buffer.from(text) : text));
}

/** Resources of these files. */
export async function resourcesOf(...texts: readonly (string | Uint8Array)[]): Promise<Resources> {
  const parts = await Promise.all(texts.map(async (text) => storedResource(await read(text), 'file.txt', new Date(0))));
  return assemble(1, parts);
}

/** The message of a refusal. */
export async function refusal(work: Promise<unknown>, code: FaultCode = 'unprocessable'): Promise<string> {
  return (await faultOf(work, code)).message;
}

export interface ToyTerm {
  id: number;
  parents: readonly number[];
  obsolete?: boolean;
  replacedBy?: number;
  alternatives?: readonly number[];
}

export const hp = (id: number): string => `HP:${String(id).padStart(7, '0')}`;

/** The terms in the format of hp.obo. */
export function obo(
  terms: readonly ToyTerm[],
  head = 'format-version: 1.2\ndata-version: hp/releases/2026-01-02\n',
): string {
  const stanza = ({ id, parents, obsolete, replacedBy, alternatives = [] }: ToyTerm): string =>
    [
      '[Term]',
      `id: ${hp(id)}`,
      `name: term ${id}`,
      ...alternatives.map((other) => `alt_id: ${hp(other)}`),
      'synonym: "a: b" EXACT []',
      ...parents.map((parent) => `is_a: ${hp(parent)} ! term ${parent}`),
      ...(obsolete ? ['is_obsolete: true'] : []),
      ...(replacedBy === undefined ? [] : [`replaced_by: ${hp(replacedBy)}`]),
    ].join('\n');
  return `${head}\n${terms.map(stanza).join('\n\n')}\n\n[Typedef]\nid: part_of\nname: part of\n`;
}

const columns = [
  'database_id',
  'disease_name',
  'qualifier',
  'hpo_id',
  'reference',
  'evidence',
  'onset',
  'frequency',
  'sex',
  'modifier',
  'aspect',
  'biocuration',
];

/** A line of phenotype.hpoa. */
export function annotation(
  disease: string,
  term: number,
  { not = false, aspect = 'P', reference = disease } = {},
): string {
  const cells = [disease, 'a disease', not ? 'NOT' : '', hp(term), reference, 'IEA', '', '', '', '', aspect, 'HPO:x'];
  return cells.join('\t');
}

export function hpoa(lines: readonly string[], header = columns.join('\t')): string {
  return `#description: "annotations"\n#version: 2026-01-03\n${header}\n${lines.join('\n')}\n`;
}

export function termOf(ontology: Ontology, id: number): number {
  const resolved = ontology.resolve(hp(id));
  if (!resolved) throw new Error(`${hp(id)} is not in the ontology`);
  return resolved.term;
}

/** Ids of the ancestors, as numbers. */
export function ancestorsOf(ontology: Ontology, id: number): number[] {
  return [...ontology.ancestors(termOf(ontology, id))].map((term) => Number(ontology.id(term).slice(3)));
}
