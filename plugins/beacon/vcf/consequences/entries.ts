/** Reads the annotations of records: entries of CSQ or ANN, one for each allele and transcript, as what is stored of an allele. */
import { hgncId } from '../../genes/files.js';
import type { AnnotationSummary } from '../summary.js';
import type { AlleleAnnotation, CallAnnotation, ChosenAs, GeneConsequence, TranscriptConsequence } from './contract.js';
import { EntryColumns, ownText, remembered, textOfColumn, valuesOf } from './entry-columns.js';
import type { EntryLayout } from './header.js';
import { type AnnotatedRecord, placesOfSpelled, type SpelledAllele } from './spelling.js';
import { consequenceTerm, rankOf, worstRank } from './terms.js';

/** What has to be known of an entry to choose among those of an allele. */
interface EntryChoice {
  /** Its number in the record. */
  entry: number;
  gene: EntryGene;
  isTranscript: boolean;
  choice: ChosenAs;
  terms: readonly string[];
  rank: number;
}

interface EntryGene {
  hgnc: number | undefined;
  /** Empty outside of genes. */
  symbol: string;
  isOdd: boolean;
}

/** What a feature is to a gene. */
interface FeatureKind {
  isTranscript: boolean;
  isOfGene: boolean;
  isPassedOver: boolean;
}

/** The words of a column of consequences, the worst first. */
interface EntryTerms {
  terms: readonly string[];
  rank: number;
  /** The first of its words that is not known, if any. */
  unknown?: string;
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
  readonly #isVep: boolean;
  readonly #entries: EntryColumns;
  readonly #terms = new Map<string, EntryTerms>();
  readonly #features = new Map<string, FeatureKind>();
  /** Of the entry before. */
  #lastFeature: FeatureKind = { isTranscript: false, isOfGene: false, isPassedOver: true };
  #lastTerms: EntryTerms = { terms: [], rank: 0 };
  #lastGene: EntryGene = { hgnc: undefined, symbol: '', isOdd: false };
  #info: InfoPlace = { block: '', from: 0, to: 0, line: 0 };
  #record: AnnotatedRecord | undefined;
  #read: readonly (CallAnnotation | undefined)[] | undefined;
  #isOdd = false;

  constructor(layout: EntryLayout) {
    this.#layout = layout;
    this.#isVep = layout.source.annotator === 'VEP';
    const { field: _, source: __, frequencies, ...columns } = layout;
    const all = [...Object.values(columns), ...frequencies.map(([column]) => column)];
    this.#entries = new EntryColumns(Math.max(...all.map((column) => column ?? 0)) + 1);
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
    return found;
  }

  #readAll(): readonly (CallAnnotation | undefined)[] {
    const record = this.#record;
    if (record === undefined || !this.#split()) return [];
    const { allele, alleleNumber } = this.#layout;
    const all: { spelled: SpelledAllele; own: number[] }[] = [];
    for (let entry = 0; entry < this.#entries.count; entry++) {
      if (all.length === 1 && this.#entries.isRepeated(entry, allele)) {
        all[0]?.own.push(entry);
        continue;
      }
      const text = this.#entries.written(entry, allele).trim();
      const known = all.find(({ spelled }) => spelled.text === text);
      if (known) known.own.push(entry);
      else {
        const number =
          alleleNumber === undefined ? undefined : Number(this.#entries.written(entry, alleleNumber)) || undefined;
        all.push({ spelled: { text, number }, own: [entry] });
      }
    }
    const [first] = all;
    if (first && all.length === 1 && isOneBase(record, first.spelled.text)) return [this.#annotation(first.own)];
    const places = placesOfSpelled(
      record,
      all.map(({ spelled }) => spelled),
      this.#isVep,
    );
    if (typeof places === 'string') {
      this.#countOdd(places);
      return [];
    }
    const found: (CallAnnotation | undefined)[] = [];
    for (const [i, { own }] of all.entries()) {
      const place = places[i];
      if (place !== undefined) found[place] = this.#annotation(own);
    }
    return found;
  }

  /** Finds the entries of the field in INFO; false if it is not there. */
  #split(): boolean {
    const { block, from, to } = this.#info;
    const { field } = this.#layout;
    for (let at = block.indexOf(field, from); at >= 0 && at < to; at = block.indexOf(field, at + 1)) {
      if (at > from && block[at - 1] !== ';') continue;
      const semicolon = block.indexOf(';', at);
      this.#entries.take(block, at + field.length, semicolon < 0 ? to : Math.min(semicolon, to));
      return true;
    }
    return false;
  }

  #annotation(entries: readonly number[]): CallAnnotation | undefined {
    const read: EntryChoice[] = [];
    for (const entry of entries) {
      const one = this.#entry(entry);
      if (one) read.push(one);
    }
    const genes = this.#genes(read);
    if (genes.length === 0) return undefined;
    const frequency = this.#frequency(entries);
    const clinVar = this.#clinVar(entries);
    return {
      genes,
      source: this.#layout.source,
      ...(frequency && { frequency }),
      ...(clinVar.length > 0 && { clinVar: clinVar.filter((one) => !control.test(one)) }),
    };
  }

  /** Undefined, and counted unless it is about something else than transcripts, if an entry is not read. */
  #entry(entry: number): EntryChoice | undefined {
    const layout = this.#layout;
    const { isPassedOver, isTranscript } = this.#feature(entry);
    if (isPassedOver) return undefined;
    if (entry === 0 || !this.#entries.isRepeated(entry, layout.terms))
      this.#lastTerms = remembered(this.#terms, this.#entries.written(entry, layout.terms), termsIn);
    const { terms, rank, unknown } = this.#lastTerms;
    if (unknown !== undefined || terms.length === 0)
      return this.#countOdd(`"${(unknown ?? '').slice(0, 40)}" is not a consequence that is known`);
    const gene = this.#gene(entry);
    if (gene.isOdd) return this.#countOdd('a gene or a transcript has control characters');
    return { entry, gene, isTranscript, choice: this.#choice(entry), terms, rank };
  }

  #feature(entry: number): FeatureKind {
    const { featureType } = this.#layout;
    if (this.#entries.isRepeated(entry, featureType) && entry > 0) return this.#lastFeature;
    const isVep = this.#isVep;
    const written = featureType === undefined ? '' : this.#entries.written(entry, featureType);
    this.#lastFeature = remembered(this.#features, written, (text) => {
      const type = textOfColumn(text).toLowerCase();
      const isOfGene = isVep ? type === 'transcript' || type === '' : type !== 'intergenic_region';
      const isPassedOver = !isVep && !['transcript', 'intergenic_region', 'gene_variant'].includes(type);
      return { isTranscript: type === 'transcript' || (type === '' && isOfGene), isOfGene, isPassedOver };
    });
    return this.#lastFeature;
  }

  #gene(entry: number): EntryGene {
    const { hgnc, symbol, gene, featureType } = this.#layout;
    const entries = this.#entries;
    if (
      entry > 0 &&
      entries.isRepeated(entry, symbol) &&
      entries.isRepeated(entry, hgnc) &&
      entries.isRepeated(entry, gene) &&
      entries.isRepeated(entry, featureType)
    ) {
      return this.#lastGene;
    }
    const { isOfGene } = this.#feature(entry);
    const name = isOfGene ? entries.text(entry, symbol) || entries.text(entry, gene) : '';
    const number = isOfGene ? hgncId(entries.text(entry, hgnc)) : undefined;
    this.#lastGene = { hgnc: number, symbol: ownText(name), isOdd: control.test(name) };
    return this.#lastGene;
  }

  /** What a chosen entry says; undefined, and counted, if its transcript cannot be stored. */
  #consequence({ entry, terms, isTranscript }: EntryChoice, choice: ChosenAs): TranscriptConsequence | undefined {
    const layout = this.#layout;
    const transcript = isTranscript ? this.#entries.text(entry, layout.transcript) : '';
    if (control.test(transcript)) return this.#countOdd('a gene or a transcript has control characters');
    const [coding, codedBy] = this.#hgvs(this.#entries.text(entry, layout.coding), /^[cgmnr]\./);
    // Releases before 95 wrote `ENST…:c.405T>C(p.=)` of a synonymous change.
    const [protein] = this.#hgvs(this.#entries.text(entry, layout.protein).replace(/^.*\((p\.=)\)$/, '$1'), /^p\./);
    const mane = [layout.maneSelect, layout.manePlusClinical, layout.mane]
      .map((column) => this.#entries.text(entry, column))
      .find((one) => /^N[MR]_/.test(one));
    const named = codedBy?.startsWith(transcript) ? codedBy : transcript;
    return {
      choice,
      ...(named && { transcript: ownText(named) }),
      ...(mane && mane !== named && { mane: ownText(mane) }),
      terms,
      ...(coding && { coding }),
      ...(protein && {
        protein: /[()*]/.test(protein) ? protein.replace(/[()]/g, '').replaceAll('*', 'Ter') : protein,
      }),
    };
  }

  #choice(entry: number): ChosenAs {
    const { maneSelect, manePlusClinical, mane, canonical } = this.#layout;
    const entries = this.#entries;
    const other = entries.text(entry, mane);
    if (!entries.isEmpty(entry, maneSelect) || (other !== '' && /^(MANE_Select$|N[MR]_)/.test(other)))
      return 'mane-select';
    if (!entries.isEmpty(entry, manePlusClinical) || other === 'MANE_Plus_Clinical') return 'mane-plus-clinical';
    return entries.text(entry, canonical) === 'YES' ? 'canonical' : 'worst';
  }

  /** The genes in the order of the file, each with its chosen transcripts; outside of genes the worst entry alone. */
  #genes(entries: readonly EntryChoice[]): GeneConsequence[] {
    const [first] = entries;
    if (first && entries.every(({ gene }) => gene === first.gene)) return this.#geneOf(entries);
    const byGene = new Map<number | string, EntryChoice[]>();
    for (const entry of entries) {
      const key = entry.gene.hgnc ?? entry.gene.symbol;
      const own = byGene.get(key);
      if (own) own.push(entry);
      else byGene.set(key, [entry]);
    }
    if (byGene.size > 1) byGene.delete('');
    return [...byGene.values()].flatMap((own) => this.#geneOf(own));
  }

  /** The gene that all of these are of; none if no transcript can be stored. */
  #geneOf(entries: readonly EntryChoice[]): GeneConsequence[] {
    const transcripts = this.#chosen(entries);
    if (entries[0] === undefined || transcripts.length === 0) return [];
    const { hgnc, symbol } = entries[0].gene;
    return [{ ...(hgnc && { hgnc }), ...(symbol && { symbol }), transcripts }];
  }

  #chosen(entries: readonly EntryChoice[]): TranscriptConsequence[] {
    const mane = entries.filter(({ choice }) => choice === 'mane-select');
    for (const one of entries) if (one.choice === 'mane-plus-clinical') mane.push(one);
    const chosen = mane.length > 0 ? mane : entries.filter(({ choice }) => choice === 'canonical');
    const worst = entries.reduce((least, { rank }) => Math.min(least, rank), Number.POSITIVE_INFINITY);
    const found = chosen.flatMap((one) => this.#consequence(one, one.choice) ?? []);
    if (chosen.some(({ rank }) => rank === worst)) return found;
    const other = entries.find(({ rank }) => rank === worst) as EntryChoice;
    return [...found, ...[this.#consequence(other, 'worst') ?? []].flat()];
  }

  /** A change without its accession, and the accession. */
  #hgvs(text: string, form: RegExp): readonly [change: string | undefined, accession: string | undefined] {
    if (text === '') return [undefined, undefined];
    const colon = text.indexOf(':');
    const change = text.slice(colon + 1);
    if (form.test(change) && !control.test(text) && !/[<>]$/.test(change)) {
      return [ownText(change), colon > 0 ? text.slice(0, colon) : undefined];
    }
    this.#countOdd(`"${change.slice(0, 40)}" is not HGVS`);
    return [undefined, undefined];
  }

  /** The largest that any column states; of several known variants at the place, the most frequent. */
  #frequency(entries: readonly number[]): AlleleAnnotation['frequency'] {
    let largest: AlleleAnnotation['frequency'];
    for (const [column, field] of this.#layout.frequencies) {
      for (const word of this.#words(entries, column)) {
        const value = Number(word);
        if (!(value >= 0 && value <= 1))
          this.#countOdd(`${field} must be a number from 0 to 1; got "${word.slice(0, 20)}"`);
        else if (largest === undefined || value > largest.value) largest = { value, field };
      }
    }
    return largest;
  }

  #clinVar(entries: readonly number[]): string[] {
    const { clinVar } = this.#layout;
    return clinVar === undefined ? [] : this.#words(entries, clinVar);
  }

  /** The words of a column of some entries, each once; mostly all entries have the same. */
  #words(entries: readonly number[], column: number): string[] {
    const found = new Set<string>();
    let before = -2;
    for (const entry of entries) {
      const isRepeated = before === entry - 1 && this.#entries.isRepeated(entry, column);
      before = entry;
      if (isRepeated) continue;
      for (const word of valuesOf(this.#entries.text(entry, column))) found.add(ownText(word));
    }
    return [...found];
  }

  /** Once for each record. */
  #countOdd(reason: string): undefined {
    if (this.#isOdd) return;
    this.#isOdd = true;
    this.summary.unreadable++;
    this.summary.first ??= { line: this.#info.line, reason };
  }
}

/** Whether the only alternate of a record is this base, in the place of another one. */
function isOneBase({ reference, alternates, structural }: AnnotatedRecord, text: string): boolean {
  return (
    !structural && alternates.length === 1 && alternates[0] === text && reference.length === 1 && /^[ACGTN]$/.test(text)
  );
}

/** The terms of a column, the worst first; `unknown` if a word is no term. */
function termsIn(text: string): EntryTerms {
  const words = valuesOf(textOfColumn(text));
  const unknown = words.find((word) => consequenceTerm(word) === undefined);
  const terms = words.flatMap((word) => consequenceTerm(word)?.name ?? []);
  terms.sort((one, other) => rankOf(one) - rankOf(other));
  return { terms, rank: worstRank(terms), ...(unknown !== undefined && { unknown }) };
}
