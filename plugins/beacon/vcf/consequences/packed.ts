/**
 * How lines are stored: some thousand at once, in the order of their starts. Genes and transcripts are named once, beside the lines,
 * so that a gene is found by reading names alone. A line refers to them, and says of a change where it is and how it ends; what is
 * as it was before, or as its neighbours lead to expect, takes a fraction of a bit.
 */
import { Coder, numberContexts, textContexts } from './coder.js';
import { type AlleleLine, type GeneOfLine, ofParts, type TranscriptOfLine } from './lines.js';
import { type GeneNames, namesIn, packedNames } from './names.js';

/** A block as it is stored. */
export interface PackedBlock {
  names: Uint8Array;
  content: Uint8Array;
}

/** A base of a transcript: `-12`, `*5`, `1104+19`. */
interface ChangePlace {
  /** The place in `regions`. */
  region: number;
  base: number;
  /** Into an intron; 0 in an exon. */
  offset: number;
}

interface ChangeParts {
  /** The place in `systems`. */
  system: number;
  from: ChangePlace;
  to: ChangePlace | undefined;
  /** `<` and `>` of a substitution, `del`, `ins>`, `dup` …. */
  ending: string;
}

interface UsedTranscript {
  readonly names: string;
  /** The last change, and the start of its allele: changes of the same exon or intron follow from it. */
  last?: { start: number; from: ChangePlace };
  /** The form of the last change. */
  form: number;
}

/** A gene of a block, with the transcripts that lines have named so far. */
interface UsedGene {
  readonly names: GeneNames;
  readonly transcripts: UsedTranscript[];
  /** How its last change ended, by number; and in which direction its bases are counted. */
  ending: number;
  sign: 1 | -1;
}

const systems = ['c.', 'n.'] as const;
const regions = ['', '-', '*'] as const;
const aBase = '([-*]?)([1-9]\\d{0,8})(?:([-+][1-9]\\d{0,8}))?';
const changeForm = new RegExp(`^([cn]\\.)${aBase}(?:_${aBase})?(\\D.*)$`);
/** Forms of a change; behind them, systems with one or two bases. */
const [noChange, otherText, firstSystem] = [0, 1, 2] as const;
const [withoutValue, decimals] = [0, 2] as const;
const plain = 'ACGT';
/** Code of A. */
const firstLetter = 65;
/** What is no letter of a residue: it stays. */
const same = 26;

let contexts = 0;
function taken(count: number): number {
  contexts += count;
  return contexts - count;
}
const numbers = (sets = 1) => taken(sets * numberContexts);
const [ofWords, ofBases, ofChanges] = [taken(textContexts), taken(textContexts), taken(textContexts)];
const [ofLines, ofStarts, ofSources, ofKinds] = [numbers(), numbers(), numbers(), numbers()];
const [ofGenes, ofGene, ofTranscripts, ofTranscript] = [numbers(), numbers(), numbers(), numbers()];
const [ofSubstitutions, ofForms, ofRegions, ofSides] = [taken(32), taken(8 * 8), taken(8), taken(4 * 4)];
const [ofExpected, ofPlaces, ofLengths, ofOffsets, ofShifts] = [taken(8), numbers(), numbers(), numbers(), numbers()];
const endingSets = 8;
const ofEndings = numbers(endingSets);
const [ofResidues, ofFrom, ofTo] = [taken(16 * 4), taken(32), taken(32 * 32)];
const ofTerms = numbers(32);
const [ofValues, ofDecimals, ofDigits, ofFields, ofClinVar] = [taken(4), taken(32), numbers(), numbers(), numbers()];

/** Texts of one kind that come again, by number. */
class Words {
  readonly #numbers = new Map<string, number>();
  readonly #all: string[] = [];
  readonly #contexts: number;

  constructor(first: number) {
    this.#contexts = first;
  }

  numberOf(word: string): number {
    return this.#numbers.get(word) ?? this.#all.length;
  }

  code(coder: Coder, word: string, set = 0): string {
    const known = this.#all[coder.number(this.#contexts + set * numberContexts, this.numberOf(word))];
    if (known !== undefined) return known;
    const added = coder.text(ofWords, word);
    this.#numbers.set(added, this.#all.length);
    this.#all.push(added);
    return added;
  }
}

/** Codes lines one after another; of what is read nothing is given. */
class LineCoder {
  readonly #coder: Coder;
  /** Of what is read all that the block has; of what is written those that lines have named. */
  readonly genes: GeneNames[];
  readonly #used: UsedGene[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #kinds = new Words(ofKinds);
  readonly #endings = new Words(ofEndings);
  readonly #terms = new Words(ofTerms);
  readonly #fields = new Words(ofFields);
  readonly #clinVar = new Words(ofClinVar);
  #start = 0;
  /** The offset of a change of the current line before this one. */
  #offset = 0;

  constructor(coder: Coder, genes: GeneNames[]) {
    this.#coder = coder;
    this.genes = genes;
  }

  line(given?: AlleleLine): AlleleLine {
    const coder = this.#coder;
    this.#start += coder.number(ofStarts, (given?.start ?? 0) - this.#start);
    this.#offset = 0;
    const start = this.#start;
    const [place, kind] = this.#place(given);
    const source = coder.number(ofSources, given?.source ?? 0);
    const count = coder.number(ofGenes, given?.genes.length ?? 0);
    const genes: GeneOfLine[] = [];
    for (let i = 0; i < count; i++) genes.push(this.#gene(given?.genes[i]));
    const frequency = this.#frequency(given?.frequency);
    const field = frequency === '' ? '' : this.#fields.code(coder, given?.field ?? '');
    const clinVar = this.#clinVar.code(coder, given?.clinVar ?? '');
    return { start, place, kind, genes, frequency, field, clinVar, source };
  }

  #place(given?: AlleleLine): [place: string, kind: string] {
    const coder = this.#coder;
    const bases = given?.place.slice(given.place.indexOf(ofParts) + 1) ?? '';
    const [one, other] = bases.length === 3 ? [plain.indexOf(bases[0] ?? ''), plain.indexOf(bases[2] ?? '')] : [-1, -1];
    const code = coder.tree(ofSubstitutions, 5, one < 0 || other < 0 ? 16 : 4 * one + other);
    const begin = this.#start + ofParts;
    if (code < 16) return [begin + plain[code >> 2] + ofParts + plain[code & 3], ''];
    return [begin + coder.text(ofBases, bases), this.#kinds.code(coder, given?.kind ?? '')];
  }

  #gene(given?: GeneOfLine): GeneOfLine {
    const coder = this.#coder;
    const used = this.#used.length;
    const known = given && this.#numbers.get(given.name);
    const since = coder.number(ofGene, known === undefined ? 0 : used - known);
    if (since === 0) this.#use(used, given);
    const gene = this.#used[used - since] as UsedGene;
    const count = coder.number(ofTranscripts, given?.transcripts.length ?? 0);
    const transcripts: TranscriptOfLine[] = [];
    for (let i = 0; i < count; i++) transcripts.push(this.#transcript(gene, given?.transcripts[i]));
    return { name: gene.names.name, transcripts };
  }

  #use(number: number, given: GeneOfLine | undefined): void {
    if (given) {
      this.#numbers.set(given.name, number);
      this.genes.push({ name: given.name, transcripts: [] });
    }
    this.#used.push({ names: this.genes[number] as GeneNames, transcripts: [], ending: 0, sign: 1 });
  }

  #transcript(gene: UsedGene, given?: TranscriptOfLine): TranscriptOfLine {
    const coder = this.#coder;
    const used = gene.transcripts.length;
    const known = given ? gene.transcripts.findIndex(({ names }) => names === given.names) : -1;
    const since = coder.number(ofTranscript, known < 0 ? 0 : used - known);
    if (since === 0) {
      if (given) gene.names.transcripts.push(given.names);
      gene.transcripts.push({ names: gene.names.transcripts[used] as string, form: noChange });
    }
    const transcript = gene.transcripts[used - since] as UsedTranscript;
    const { names } = transcript;
    const coding = this.#change(gene, transcript, given?.coding);
    const { form } = transcript;
    const offset = form >= firstSystem ? (transcript.last?.from.offset ?? 0) : 0;
    const protein = this.#protein(2 * form + (offset === 0 ? 1 : 0), given?.protein);
    const set = termSet(protein, form, offset) + (names.startsWith('3') ? 16 : 0);
    return { names, terms: this.#terms.code(coder, given?.terms ?? '', set), coding, protein };
  }

  #change(gene: UsedGene, transcript: UsedTranscript, given = ''): string {
    const coder = this.#coder;
    const parts = given === '' ? undefined : changeParts(given);
    const stated = parts ? firstSystem + 2 * parts.system + (parts.to ? 1 : 0) : given === '' ? noChange : otherText;
    const form = coder.tree(ofForms + 8 * transcript.form, 3, stated);
    transcript.form = form;
    if (form === noChange) return '';
    if (form === otherText) return coder.text(ofChanges, given);
    const from = this.#from(gene, transcript, parts?.from);
    transcript.last = { start: this.#start, from };
    const to = (form - firstSystem) % 2 === 0 ? undefined : this.#to(from, parts?.to);
    const ending = this.#endings.code(coder, parts?.ending ?? '', gene.ending);
    gene.ending = Math.min(endingSets - 1, 1 + this.#endings.numberOf(ending));
    if (ending.endsWith('<')) gene.sign = -1;
    else if (ending.endsWith('>')) gene.sign = 1;
    return `${systems[(form - firstSystem) >> 1]}${placeText(from)}${to ? `_${placeText(to)}` : ''}${ending}`;
  }

  #from(gene: UsedGene, { last }: UsedTranscript, given?: ChangePlace): ChangePlace {
    const coder = this.#coder;
    if (last) {
      const shift = gene.sign * (this.#start - last.start);
      const { region, base, offset } = last.from;
      const expected = offset === 0 ? { region, base: base + shift, offset } : { region, base, offset: offset + shift };
      if (coder.bit(ofExpected + (offset === 0 ? 0 : 1), isSamePlace(expected, given) ? 1 : 0) === 1) return expected;
    }
    const region = coder.tree(ofRegions, 2, given?.region ?? 0);
    const base = coder.number(ofPlaces, given?.base ?? 0);
    const side = coder.tree(ofSides + 4 * (1 + Math.sign(this.#offset)), 2, 1 + Math.sign(given?.offset ?? 0)) - 1;
    if (side === 0) return { region, base, offset: 0 };
    // Other transcripts have the exons of the first one.
    if (side === Math.sign(this.#offset) && coder.bit(ofExpected + 2, given?.offset === this.#offset ? 1 : 0) === 1) {
      return { region, base, offset: this.#offset };
    }
    this.#offset = side * coder.number(ofOffsets, Math.abs(given?.offset ?? 0));
    return { region, base, offset: this.#offset };
  }

  #to(from: ChangePlace, given?: ChangePlace): ChangePlace {
    const coder = this.#coder;
    const region = coder.tree(ofRegions + 4, 2, given?.region ?? 0);
    const base = from.base + coder.difference(ofLengths, (given?.base ?? 0) - from.base);
    return { region, base, offset: from.offset + coder.difference(ofShifts, (given?.offset ?? 0) - from.offset) };
  }

  #protein(set: number, given = ''): string {
    const coder = this.#coder;
    const isPair = /^[A-Z][A-Z=]$/.test(given);
    const form = coder.tree(ofResidues + 4 * set, 2, given === '' ? 0 : isPair ? 1 : 2);
    if (form === 0) return '';
    if (form === 2) return coder.text(ofChanges, given);
    const from = coder.tree(ofFrom, 5, given.charCodeAt(0) - firstLetter);
    const to = coder.tree(ofTo + 32 * from, 5, given[1] === '=' ? same : given.charCodeAt(1) - firstLetter);
    return String.fromCharCode(firstLetter + from) + (to === same ? '=' : String.fromCharCode(firstLetter + to));
  }

  #frequency(given = ''): string {
    const coder = this.#coder;
    const parts = given === '' ? undefined : decimalParts(given);
    const form = coder.tree(ofValues, 2, parts ? decimals : given === '' ? withoutValue : otherText);
    if (form === withoutValue) return '';
    if (form === otherText) return coder.text(ofWords, given);
    const behind = coder.tree(ofDecimals, 5, parts?.behind ?? 0);
    return decimalText(coder.number(ofDigits, parts?.digits ?? 0), behind);
  }
}

function changeParts(text: string): ChangeParts | undefined {
  const found = changeForm.exec(text);
  if (found === null) return undefined;
  const [, system, region, base, offset, otherRegion, otherBase, otherOffset, ending = ''] = found;
  return {
    system: system === 'c.' ? 0 : 1,
    from: placeOfParts(region, base, offset),
    to: otherBase === undefined ? undefined : placeOfParts(otherRegion, otherBase, otherOffset),
    ending,
  };
}

function placeOfParts(region = '', base = '', offset = '0'): ChangePlace {
  return { region: region === '' ? 0 : region === '-' ? 1 : 2, base: Number(base), offset: Number(offset) };
}

function placeText({ region, base, offset }: ChangePlace): string {
  return `${regions[region]}${base}${offset > 0 ? '+' : ''}${offset === 0 ? '' : offset}`;
}

function isSamePlace(one: ChangePlace, other: ChangePlace | undefined): boolean {
  return one.region === other?.region && one.base === other.base && one.offset === other.offset;
}

/** What an allele does to a protein, and how far it is from an exon, say nearly what its terms are. */
function termSet(protein: string, form: number, offset: number): number {
  if (protein !== '')
    return protein.length > 2 ? 1 : protein[1] === '=' ? 2 : protein[1] === 'X' ? 3 : protein[0] === 'X' ? 4 : 5;
  if (form === noChange) return 6;
  if (offset === 0) return 7;
  const far = Math.abs(offset);
  return (far <= 2 ? 8 : far <= 8 ? 9 : far <= 17 ? 10 : 11) + (offset < 0 ? 4 : 0);
}

/** The digits of a number below 1, and how many of them stand behind the point; undefined if it has other ones. */
function decimalParts(text: string): { digits: number; behind: number } | undefined {
  const [, whole = '', fraction = '', exponent = '0'] = /^(\d)(?:\.(\d{1,12}))?(?:e-(\d\d?))?$/.exec(text) ?? [];
  const [digits, behind] = [Number(whole + fraction), fraction.length + Number(exponent)];
  return whole !== '' && digits < 2 ** 31 && behind < 32 && decimalText(digits, behind) === text
    ? { digits, behind }
    : undefined;
}

const decimalText = (digits: number, behind: number) => String(Number(`${digits}e-${behind}`));

export function packed(lines: readonly AlleleLine[]): PackedBlock {
  const coder = new Coder(contexts);
  const genes: GeneNames[] = [];
  const model = new LineCoder(coder, genes);
  coder.number(ofLines, lines.length);
  for (const line of lines) model.line(line);
  return { names: packedNames(genes), content: coder.end() };
}

/** Throws an Error if the block is damaged. */
export function unpacked({ names, content }: PackedBlock): readonly AlleleLine[] {
  const coder = new Coder(contexts, content);
  const model = new LineCoder(coder, namesIn(names));
  return Array.from({ length: coder.number(ofLines, 0) }, () => model.line());
}
