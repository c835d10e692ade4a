/** What the header of a VCF says of annotations: who annotated, and which columns the entries of CSQ or ANN have. */
import type { Oddity } from '../summary.js';
import type { AnnotationSource } from './contract.js';

/** Where an entry has what is read of it; undefined for what the file does not have. */
export interface EntryLayout {
  /** The field of INFO, with an equals sign. */
  field: 'CSQ=' | 'ANN=';
  source: AnnotationSource;
  allele: number;
  terms: number;
  symbol: number | undefined;
  gene: number | undefined;
  hgnc: number | undefined;
  featureType: number | undefined;
  transcript: number | undefined;
  coding: number | undefined;
  protein: number | undefined;
  canonical: number | undefined;
  /** Columns that name MANE's transcripts, or say that this is one. */
  maneSelect: number | undefined;
  manePlusClinical: number | undefined;
  mane: number | undefined;
  alleleNumber: number | undefined;
  clinVar: number | undefined;
  frequencies: readonly (readonly [column: number, name: string])[];
}

/** Columns with the frequency of an allele in all of a collection of people, or the largest of its populations. */
const frequencyColumns: readonly string[] = ['gnomADe_AF', 'gnomADg_AF', 'gnomAD_AF', 'ExAC_AF', 'AF', 'MAX_AF'];

/** Names of databases that a `##VEP` line states and that say which release was used; others are paths and times. */
const databaseNames = /^(assembly|genebuild|gencode|ClinVar|gnomAD\w*|1000genomes|dbSNP|COSMIC|HGMD-PUBLIC|refseq)$/;

const beginnings = ['##INFO=<ID=CSQ,', '##INFO=<ID=ANN,', '##VEP=', '##SnpEffVersion='] as const;

/** Takes the header line by line. */
export class AnnotationHeader {
  #vep: AnnotationSource = { annotator: 'VEP', version: '', databases: {} };
  #snpEff: AnnotationSource = { annotator: 'SnpEff', version: '', databases: {} };
  readonly #described = new Map<EntryLayout['field'], { description: string; line: number }>();

  /** Whether a header line that begins at this place of a text may be taken. */
  static isOne(text: string, at: number): boolean {
    return beginnings.some((begin) => text.startsWith(begin, at));
  }

  take(text: string, line: number): void {
    const [, id, description = ''] = /^##INFO=<ID=(CSQ|ANN),.*Description="([^"]*)"/.exec(text) ?? [];
    if (id !== undefined) this.#described.set(`${id as 'CSQ' | 'ANN'}=`, { description, line });
    const [, version] = /^##SnpEffVersion="?([^",]*)/.exec(text) ?? [];
    if (version !== undefined) this.#snpEff = { ...this.#snpEff, version: version.trim() };
    if (text.startsWith('##VEP=')) this.#vep = vepSource(text);
  }

  /**
   * VEP's if the file has both, which says more; undefined if the file is not annotated. A reason says why its annotations cannot
   * be read.
   */
  layout(): EntryLayout | Oddity | undefined {
    const field = this.#described.has('CSQ=') ? 'CSQ=' : 'ANN=';
    const found = this.#described.get(field);
    if (found === undefined) return undefined;
    const format = /Format: *(.*)$/.exec(found.description)?.[1];
    if (format === undefined && field === 'ANN=') return { ...snpEffLayout, source: this.#snpEff };
    const layout = vepLayout(field, format?.split('|') ?? [], this.#vep);
    const reason = `${field.slice(0, -1)} has no columns Allele and Consequence (Format: …): nothing of it was read`;
    return layout ?? { line: found.line, reason };
  }
}

/** Of `##VEP="v110" time="…" ClinVar="202301"`, or as releases before 90 wrote it, without quotes. */
function vepSource(text: string): AnnotationSource {
  const [, version = ''] = /^##VEP="?(v?[\w.]+)/.exec(text) ?? [];
  const stated = text.matchAll(/ ([\w-]+)=(?:"([^"]*)"|((?:(?! [\w-]+=).)*))/g);
  const databases = [...stated].flatMap(([, name = '', quoted, plain]): [string, string][] =>
    databaseNames.test(name) ? [[name, quoted ?? plain ?? '']] : [],
  );
  return { annotator: 'VEP', version, databases: Object.fromEntries(databases) };
}

function vepLayout(
  field: EntryLayout['field'],
  names: readonly string[],
  source: AnnotationSource,
): EntryLayout | undefined {
  const columns = new Map(names.map((name, i) => [name.trim(), i]));
  const [allele, terms] = [columns.get('Allele'), columns.get('Consequence')];
  if (allele === undefined || terms === undefined) return undefined;
  return {
    ...{ field, source, allele, terms },
    symbol: columns.get('SYMBOL'),
    gene: columns.get('Gene'),
    hgnc: columns.get('HGNC_ID'),
    featureType: columns.get('Feature_type'),
    transcript: columns.get('Feature'),
    coding: columns.get('HGVSc'),
    protein: columns.get('HGVSp'),
    canonical: columns.get('CANONICAL'),
    maneSelect: columns.get('MANE_SELECT'),
    manePlusClinical: columns.get('MANE_PLUS_CLINICAL'),
    mane: columns.get('MANE'),
    alleleNumber: columns.get('ALLELE_NUM'),
    clinVar: columns.get('CLIN_SIG'),
    frequencies: frequencyColumns.flatMap((name) => {
      const column = columns.get(name);
      return column === undefined ? [] : [[column, name] as const];
    }),
  };
}

/** The fields of ANN ("Variant annotations in VCF format", 1.0) are the same in every file. */
const snpEffLayout: Omit<EntryLayout, 'source'> = {
  field: 'ANN=',
  ...{ allele: 0, terms: 1, symbol: 3, gene: 4, featureType: 5, transcript: 6, coding: 9, protein: 10 },
  ...{ hgnc: undefined, canonical: undefined, maneSelect: undefined, manePlusClinical: undefined, mane: undefined },
  ...{ alleleNumber: undefined, clinVar: undefined, frequencies: [] },
};
