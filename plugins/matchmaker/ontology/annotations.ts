/** Reads the phenotypes of diseases: phenotype.hpoa, or a table with a line for each disease. */
import { eachLine, fileFault, quoted, releaseDate, rowsOf, type TextFile } from '../../../core/files.js';
import { pack } from '../formats/packed.js';
import { neededTerm, offsetsOf, type TermNumber } from './terms.js';

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

const needed = ['databaseid', 'qualifier', 'hpoid', 'aspect'] as const;
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
      rowOf = rowsOf(needed);
      rowOf(names.replaceAll('_', ''));
      return;
    }
    if (line === '' || line.startsWith('#')) return;
    if (rowOf === undefined) throw new Error('the header line with the column names is missing');
    const row = rowOf(line);
    const cell = (name: (typeof needed)[number]): string => row?.(name) ?? '';
    const [id, aspect, qualifier] = [cell('databaseid'), cell('aspect'), cell('qualifier')];
    if (!disease.test(id)) throw new Error(`${quoted(id)} is not a disease id, such as OMIM:154700`);
    if (!/^[A-Z]$/i.test(aspect)) throw new Error(`the aspect must be one letter, not ${quoted(aspect)}`);
    if (qualifier !== '' && qualifier.toUpperCase() !== 'NOT')
      throw new Error(`the qualifier must be NOT or empty, not ${quoted(qualifier)}`);
    const term = neededTerm(cell('hpoid'));
    if (aspect.toUpperCase() === 'P' && qualifier === '') add(diseases, id, term);
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
    for (const term of terms.split('|').filter(Boolean)) add(diseases, id, neededTerm(term));
  });
  return annotations(file, releaseDate(file.name), diseases);
}

function add(diseases: Annotations['diseases'], id: string, term: TermNumber): void {
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
  return pack('annotations', { terms: Uint32Array.from(lists.flat()), 'terms.offsets': offsetsOf(lists) });
}
