/** Reads the annotations of records: entries of CSQ or ANN, one for each allele and transcript, as what is stored of an allele. */
import { utf8 } from '../../../../core/files.js';
import { hgncId } from '../../genes/files.js';
import type { AnnotationSummary } from '../summary.js';
import type { AlleleAnnotation, CallAnnotation, ChosenAs, GeneConsequence, TranscriptConsequence } from './contract.js';
import type { EntryLayout } from './header.js';
import { type AnnotatedRecord, placesOfSpelled, type SpelledAllele } from './spelling.js';
import { consequenceTerm, rankOf, worstRank } from './terms.js';

/** One entry, read; its gene by any of its names. */
interface AnnotationEntry {
  hgnc: number | undefined;
  /** Empty outside of genes. */
  symbol: string;
  choice: ChosenAs;
  consequence: Omit<TranscriptConsequence, 'choice'>;
}

/** Where the INFO of the current record is, in a block of lines. */
interface InfoPlace {
  block: string;
  from: number;
  to: number;
  line: number;
}

/** Characters that texts of annotations do not have: what is stored is separated by some of them. */
const control = /[^ -~\u00a1-\uffff]/;

export class AnnotationReader {
  readonly summary: AnnotationSummary = { alleles: 0, unreadable: 0 };
  readonly #layout: EntryLayout;
  #info: InfoPlace = { block: '', from: 0, to: 0, line: 0 };
  #record: AnnotatedRecord | undefined;
  #read: readonly (AlleleAnnotation | undefined)[] | undefined;
  #isOdd = false;

  constructor(layout: EntryLayout) {
    this.#layout = layout;
  }

  /** Begins a record. Its annotations are read only if an allele of it is asked for. */
  begin(info: InfoPlace, record: AnnotatedRecord): void {
    this.#info = info;
    this.#record = record;
    this.#read = undefined;
    this.#isOdd = false;
  }

  /** What the file says of an alternate of the current record; undefined if nothing. */
  of(alternate: number): CallAnnotation | undefined {
    this.#read ??= this.#readAll();
    const found = this.#read[alternate];
    if (found === undefined) return undefined;
    this.summary.alleles++;
    return { ...found, source: this.#layout.source };
  }

  #readAll(): readonly (AlleleAnnotation | undefined)[] {
    const value = this.#value();
    const record = this.#record;
    if (value === undefined || record === undefined) return [];
    const { allele, alleleNumber } = this.#layout;
    const entries = value.split(',').map((entry) => entry.split('|'));
    const byAllele = new Map<string, { spelled: SpelledAllele; own: string[][] }>();
    for (const entry of entries) {
      const text = entry[allele]?.trim() ?? '';
      const number = alleleNumber === undefined ? undefined : Number(entry[alleleNumber]) || undefined;
      const known = byAllele.get(text) ?? { spelled: { text, number }, own: [] };
      known.own.push(entry);
      byAllele.set(text, known);
    }
    const all = [...byAllele.values()];
    const isVep = this.#layout.source.annotator === 'VEP';
    const places = placesOfSpelled(
      record,
      all.map(({ spelled }) => spelled),
      isVep,
    );
    if (typeof places === 'string') {
      this.#countOdd(places);
      return [];
    }
    const found: (AlleleAnnotation | undefined)[] = [];
    for (const [i, { own }] of all.entries()) {
      const place = places[i];
      if (place !== undefined) found[place] = this.#annotation(own);
    }
    return found;
  }

  /** The value of the field in INFO. */
  #value(): string | undefined {
    const { block, from, to } = this.#info;
    const { field } = this.#layout;
    for (let at = block.indexOf(field, from); at >= 0 && at < to; at = block.indexOf(field, at + 1)) {
      if (at > from && block[at - 1] !== ';') continue;
      const semicolon = block.indexOf(';', at);
      const end = semicolon < 0 ? to : Math.min(semicolon, to);
      return utf8(block.slice(at + field.length, end));
    }
    return undefined;
  }

  #annotation(entries: readonly string[][]): AlleleAnnotation | undefined {
    const read = entries.flatMap((entry) => this.#entry(entry) ?? []);
    if (read.length === 0) return undefined;
    const frequency = this.#frequency(entries);
    const classes = this.#layout.clinVar;
    const clinVar = classes === undefined ? [] : entries.flatMap((entry) => valuesOf(entry[classes]));
    return {
      genes: genesOf(read),
      ...(frequency && { frequency }),
      ...(clinVar.length > 0 && { clinVar: [...new Set(clinVar)].filter((one) => !control.test(one)) }),
    };
  }

  /** Undefined, and counted unless it is about something else than transcripts, if an entry is not read. */
  #entry(entry: readonly string[]): AnnotationEntry | undefined {
    const layout = this.#layout;
    const text = (column: number | undefined) => (column === undefined ? '' : unescaped(entry[column] ?? ''));
    const type = text(layout.featureType).toLowerCase();
    const isVep = this.#layout.source.annotator === 'VEP';
    if (!isVep && !['transcript', 'intergenic_region', 'gene_variant'].includes(type)) return undefined;
    const words = valuesOf(text(layout.terms));
    const terms = words.flatMap((word) => consequenceTerm(word)?.name ?? []);
    if (terms.length < words.length || terms.length === 0) {
      const unknown = words.find((word) => consequenceTerm(word) === undefined) ?? '';
      return this.#countOdd(`"${unknown.slice(0, 40)}" is not a consequence that is known`);
    }
    const isOfGene = isVep ? type === 'transcript' || type === '' : type !== 'intergenic_region';
    const number = text(layout.hgnc);
    const hgnc = isOfGene && number !== '' ? hgncId(number) : undefined;
    const symbol = isOfGene ? text(layout.symbol) || text(layout.gene) : '';
    const transcript = type === 'transcript' || (type === '' && isOfGene) ? text(layout.transcript) : '';
    const [coding, codedBy] = this.#hgvs(text(layout.coding), /^[cgmnr]\./);
    // Releases before 95 wrote `ENST…:c.405T>C(p.=)` of a synonymous change.
    const [protein] = this.#hgvs(text(layout.protein).replace(/^.*\((p\.=)\)$/, '$1'), /^p\./);
    if (control.test(symbol + transcript)) return this.#countOdd('a gene or a transcript has control characters');
    const mane = [layout.maneSelect, layout.manePlusClinical, layout.mane].map(text).find((one) => /^N[MR]_/.test(one));
    const named = codedBy?.startsWith(transcript) ? codedBy : transcript;
    return {
      ...{ hgnc, symbol, choice: this.#choice(text) },
      consequence: {
        ...(named && { transcript: named }),
        ...(mane && mane !== named && { mane }),
        terms: terms.sort((one, other) => rankOf(one) - rankOf(other)),
        ...(coding && { coding }),
        ...(protein && { protein: protein.replace(/[()]/g, '').replaceAll('*', 'Ter') }),
      },
    };
  }

  #choice(text: (column: number | undefined) => string): ChosenAs {
    const { maneSelect, manePlusClinical, mane, canonical } = this.#layout;
    const other = text(mane);
    if (text(maneSelect) !== '' || /^(MANE_Select$|N[MR]_)/.test(other)) return 'mane-select';
    if (text(manePlusClinical) !== '' || other === 'MANE_Plus_Clinical') return 'mane-plus-clinical';
    return text(canonical) === 'YES' ? 'canonical' : 'worst';
  }

  /** A change without its accession, and the accession. */
  #hgvs(text: string, form: RegExp): readonly [change: string | undefined, accession: string | undefined] {
    if (text === '') return [undefined, undefined];
    const colon = text.indexOf(':');
    const change = text.slice(colon + 1);
    if (form.test(change) && !control.test(text) && !/[<>]$/.test(change)) {
      return [change, colon > 0 ? text.slice(0, colon) : undefined];
    }
    this.#countOdd(`"${change.slice(0, 40)}" is not HGVS`);
    return [undefined, undefined];
  }

  /** The largest that any column states; of several known variants at the place, the most frequent. */
  #frequency(entries: readonly string[][]): AlleleAnnotation['frequency'] {
    let largest: AlleleAnnotation['frequency'];
    for (const [column, field] of this.#layout.frequencies) {
      for (const word of new Set(entries.flatMap((entry) => valuesOf(entry[column])))) {
        const value = Number(word);
        if (!(value >= 0 && value <= 1))
          this.#countOdd(`${field} must be a number from 0 to 1; got "${word.slice(0, 20)}"`);
        else if (largest === undefined || value > largest.value) largest = { value, field };
      }
    }
    return largest;
  }

  /** Once for each record. */
  #countOdd(reason: string): undefined {
    if (this.#isOdd) return;
    this.#isOdd = true;
    this.summary.unreadable++;
    this.summary.first ??= { line: this.#info.line, reason };
  }
}

function valuesOf(text = ''): string[] {
  return text.split('&').filter((word) => word !== '' && word !== '.');
}

/** VEP writes the characters that separate in a VCF as `%3B` and `%3D`. */
function unescaped(text: string): string {
  return text.includes('%')
    ? text.replace(/%([2-7][0-9A-Fa-f])/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;
}

/** The genes in the order of the file, each with its chosen transcripts; outside of genes the worst entry alone. */
function genesOf(entries: readonly AnnotationEntry[]): GeneConsequence[] {
  const byGene = new Map<string, AnnotationEntry[]>();
  for (const entry of entries) {
    const key = entry.hgnc === undefined ? entry.symbol : `HGNC:${entry.hgnc}`;
    byGene.set(key, [...(byGene.get(key) ?? []), entry]);
  }
  const outside = byGene.get('');
  byGene.delete('');
  if (byGene.size === 0) return [{ transcripts: chosenOf(outside ?? []) }];
  return [...byGene.values()].map((own) => {
    const [{ hgnc, symbol } = { hgnc: undefined, symbol: '' }] = own;
    return { ...(hgnc && { hgnc }), ...(symbol && { symbol }), transcripts: chosenOf(own) };
  });
}

function chosenOf(entries: readonly AnnotationEntry[]): TranscriptConsequence[] {
  const those = (choice: ChosenAs) =>
    entries.flatMap((one) => (one.choice === choice ? [{ choice, ...one.consequence }] : []));
  const mane = [...those('mane-select'), ...those('mane-plus-clinical')];
  const chosen = mane.length > 0 ? mane : those('canonical');
  const rank = (one: Pick<TranscriptConsequence, 'terms'>) => worstRank(one.terms);
  const worst = Math.min(...entries.map(({ consequence }) => rank(consequence)));
  if (chosen.some((one) => rank(one) === worst)) return chosen;
  const other = entries.find(({ consequence }) => rank(consequence) === worst);
  return other ? [...chosen, { choice: 'worst', ...other.consequence }] : chosen;
}
