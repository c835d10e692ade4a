/**
 * Simulated exomes as VEP annotates them: people who carry common and rare alleles of the same sites, in genes with exons, a strand,
 * codons and up to sixteen transcripts. Names of genes are those of `../shared/data/matchmaker` if it is there, else made up, as are
 * those of transcripts. HGVS follows from the codons.
 */
import { once } from 'node:events';
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { createGzip, gunzipSync } from 'node:zlib';
import { shared } from '../../plugins/matchmaker/resources/support/shared.js';
import { random } from './vcf.js';

export interface ExomeOptions {
  /** How many genes have a name: 19,000 are those of proteins. */
  genes: number;
  /** Whether names consist of random letters and digits, which no dictionary can know. */
  randomNames: boolean;
  seed?: number;
}

interface OtherTranscript {
  id: string;
  kind: 'coding' | 'decaying' | 'noncoding' | 'beside';
  /** By how much its positions are others. */
  offset: number;
}

interface Named {
  hgnc: number;
  symbol: string;
  ensembl: string;
}

interface Gene extends Named {
  contig: string;
  forward: boolean;
  /** In the order of the transcript; the first base of the coding sequence that each begins with, from 1. */
  exons: { start: number; length: number; coding: number }[];
  transcript: string;
  mane: string;
  others: OtherTranscript[];
  /** A gene within 5,000 bases. */
  neighbour?: Named & { transcript: string; mane: string };
}

interface Site {
  gene: Gene;
  position: number;
  reference: string;
  alternate: string;
  /** Of the allele in all people. */
  frequency: number;
  /** Where it is in the coding sequence; in an intron so many bases from it. */
  coding: number;
  intron: number;
  /** Residues of three letters, if it is a substitution in a codon. */
  residues?: readonly [from: string, to: string];
}

type Random = () => number;

const bases = 'ACGT';
const columns =
  'Allele|Consequence|IMPACT|SYMBOL|Gene|Feature_type|Feature|BIOTYPE|EXON|INTRON|HGVSc|HGVSp|cDNA_position|CDS_position|' +
  'Protein_position|Amino_acids|Codons|Existing_variation|DISTANCE|STRAND|FLAGS|SYMBOL_SOURCE|HGNC_ID|CANONICAL|MANE_SELECT|' +
  'gnomADe_AF|CLIN_SIG';
/** By codon in the order of TCAG. */
const code =
  'Phe Phe Leu Leu Ser Ser Ser Ser Tyr Tyr Ter Ter Cys Cys Ter Trp Leu Leu Leu Leu Pro Pro Pro Pro His His Gln Gln Arg Arg Arg Arg ' +
  'Ile Ile Ile Met Thr Thr Thr Thr Asn Asn Lys Lys Ser Ser Arg Arg Val Val Val Val Ala Ala Ala Ala Asp Asp Glu Glu Gly Gly Gly Gly';
const residueOf = (codon: string) =>
  code.split(' ')[[...codon].reduce((sum, base) => 4 * sum + 'TCAG'.indexOf(base), 0)] ?? '';
const complementOf = (text: string) => [...text].map((base) => bases[3 - bases.indexOf(base)]).join('');

/** Carriers of a site by chance: nobody, or one or two copies. */
const copiesOf = (frequency: number, next: Random) => Number(next() < frequency) + Number(next() < frequency);

export class Exomes {
  readonly #sites: readonly Site[];

  constructor({ genes, randomNames, seed = 1 }: ExomeOptions) {
    const next = random(seed);
    const names = randomNames ? randomlyNamed(genes, next) : namesOfGenes(genes, next);
    const all = names.map((name, i) => geneOf(name, i, { count: genes, next, randomNames, names }));
    // So that each person has some 45,000 alleles of 19,000 genes.
    this.#sites = all.flatMap((gene) => sitesOf(gene, 14, next));
  }

  /** Writes the file of one person twice, with and without annotations. Returns how many alleles it has. */
  async write(person: number, paths: { annotated: string; bare: string }): Promise<number> {
    const next = random(1000 + person);
    const [annotated, bare] = [compressed(paths.annotated), compressed(paths.bare)];
    const [before, after] = headerOf(`P${person}`);
    await annotated.write(`${before}##VEP="v110" assembly="GRCh37.p13"\n##INFO=<ID=CSQ,Number=.,Type=String,`);
    await annotated.write(`Description="Consequence annotations from Ensembl VEP. Format: ${columns}">\n${after}`);
    await bare.write(before + after);
    let count = 0;
    for (const site of this.#sites) {
      const copies = copiesOf(site.frequency, next);
      if (copies === 0) continue;
      count++;
      const depth = 20 + Math.floor(next() * 60);
      const { gene, position, reference, alternate } = site;
      const place = `${gene.contig}\t${position}\t.\t${reference}\t${alternate}\t${(next() * 900).toFixed(1)}\tPASS\t`;
      const info = `AC=${copies};AF=${copies / 2};AN=2;DP=${depth};FS=${(next() * 5).toFixed(3)};MQ=60.00;QD=14.6;SOR=0.69`;
      const rest = `\tGT:AD:DP:GQ\t${copies === 2 ? '1/1' : '0/1'}:${depth >> 1},${depth >> 1}:${depth}:99\n`;
      await bare.write(place + info + rest);
      await annotated.write(`${place}${info};CSQ=${entriesOf(site).join(',')}${rest}`);
    }
    await Promise.all([annotated.end(), bare.end()]);
    return count;
  }
}

function headerOf(sample: string): [before: string, after: string] {
  const contigs = Array.from({ length: 22 }, (_, i) => `##contig=<ID=${i + 1}>\n`).join('');
  const format = '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n';
  const names = `#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t${sample}\n`;
  return [`##fileformat=VCFv4.2\n${contigs}`, format + names];
}

function compressed(path: string) {
  const gzip = createGzip({ level: 1 });
  const file = createWriteStream(path);
  gzip.pipe(file);
  let text = '';
  return {
    async write(more: string) {
      text += more;
      if (text.length < 2 ** 18) return;
      if (!gzip.write(text)) await once(gzip, 'drain');
      text = '';
    },
    async end() {
      const closed = once(file, 'finish');
      gzip.end(text);
      await closed;
    },
  };
}

const digits = (count: number, next: Random) => Array.from({ length: count }, () => Math.floor(next() * 10)).join('');

function randomlyNamed(count: number, next: Random): Named[] {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
  const word = () =>
    Array.from({ length: 4 + Math.floor(next() * 7) }, () => letters[Math.floor(next() * 36)]).join('');
  return Array.from({ length: count }, () => {
    return { hgnc: 1 + Math.floor(next() * 60_000), symbol: `A${word()}`, ensembl: `ENSG${digits(11, next)}` };
  });
}

function namesOfGenes(count: number, next: Random): Named[] {
  const path = shared('gene_table_merged.tsv.gz');
  if (!existsSync(path)) {
    const made = randomlyNamed(count, next);
    return made.map((one, i) => ({ ...one, symbol: `${one.symbol.slice(0, 4)}${1 + (i % 20)}` }));
  }
  const lines = gunzipSync(readFileSync(path)).toString('utf8').split('\n').slice(1);
  const all = lines.flatMap((line) => {
    const [ensembl = '', hgnc = '', , symbol = ''] = line.split('\t');
    return hgnc.startsWith('HGNC:') && !/^(LOC|LINC|MIR|OR\d|RN[A-Z0-9]+P)|-|P\d*$/.test(symbol)
      ? [{ ensembl, hgnc: Number(hgnc.slice(5)), symbol }]
      : [];
  });
  for (let i = all.length - 1; i > 0; i--) {
    const other = Math.floor(next() * (i + 1));
    [all[i], all[other]] = [all[other] as Named, all[i] as Named];
  }
  return all.slice(0, count);
}

interface Genome {
  count: number;
  next: Random;
  randomNames: boolean;
  names: readonly Named[];
}

function geneOf(name: Named, i: number, { count, next, randomNames, names }: Genome): Gene {
  const perContig = Math.ceil(count / 22);
  const version = () => 1 + Math.floor(next() * 11);
  const ensembl = () => `ENST${randomNames ? digits(11, next) : `00000${digits(6, next)}`}.${version()}`;
  const refSeq = () => `NM_${randomNames || next() < 0.3 ? `001${digits(6, next)}` : digits(6, next)}.${version()}`;
  let at = 100_000 + (i % perContig) * 120_000 + Math.floor(next() * 20_000);
  const exons = Array.from({ length: 1 + Math.floor(next() * 18) }, () => {
    const exon = { start: at, length: 60 + Math.floor(next() * 240), coding: 0 };
    at += exon.length + 100 + Math.floor(next() ** 3 * 12_000);
    return exon;
  });
  const forward = next() < 0.5;
  if (!forward) exons.reverse();
  let coding = 1;
  for (const exon of exons) {
    exon.coding = coding;
    coding += exon.length;
  }
  const kinds = ['coding', 'coding', 'coding', 'decaying', 'noncoding', 'noncoding', 'beside'] as const;
  const others = Array.from({ length: Math.min(15, Math.floor(-Math.log(1 - next()) * 5)) }, (): OtherTranscript => {
    return { id: ensembl(), kind: kinds[Math.floor(next() * 7)] ?? 'beside', offset: 3 * Math.floor(next() * 200) };
  });
  const neighbour = next() < 0.25 ? names[(i + 7919) % count] : undefined;
  return {
    ...{ ...name, contig: `${1 + Math.floor(i / perContig)}`, forward, exons, others },
    ...{ transcript: ensembl(), mane: refSeq() },
    ...(neighbour && { neighbour: { ...neighbour, transcript: ensembl(), mane: refSeq() } }),
  };
}

function sitesOf(gene: Gene, count: number, next: Random): Site[] {
  const found = new Map<string, Site>();
  for (let i = 0; i < count; i++) {
    const exon = gene.exons[Math.floor(next() * gene.exons.length)] as Gene['exons'][number];
    const within = Math.floor(next() * (exon.length + 100)) - 50;
    const position = gene.forward ? exon.start + within : exon.start + exon.length - 1 - within;
    const last = exon.length - 1;
    const coding = exon.coding + Math.max(0, Math.min(last, within));
    const intron = within < 0 ? within : Math.max(0, within - last);
    // As many frequencies between 0.0001 and 0.001 as between 0.1 and 1.
    const frequency = 10 ** (-4 * next());
    const site = { gene, position, frequency, coding, intron, ...changeAt(gene, coding, intron, next) };
    found.set(`${position} ${site.reference} ${site.alternate}`, site);
  }
  return [...found.values()].sort((one, other) => one.position - other.position);
}

function changeAt(gene: Gene, coding: number, intron: number, next: Random) {
  // The codons of a gene are always the same.
  const own = random(gene.hgnc * 40_000 + Math.floor((coding - 1) / 3));
  const codon = Array.from({ length: 3 }, () => bases[Math.floor(own() * 4)] ?? 'A');
  const at = (coding - 1) % 3;
  const from = intron === 0 ? (codon[at] ?? 'A') : (bases[Math.floor(next() * 4)] ?? 'A');
  const to = next() < 0.67 ? (bases[(bases.indexOf(from) + 2) % 4] ?? 'A') : (bases[3 - bases.indexOf(from)] ?? 'A');
  const strand = (text: string) => (gene.forward ? text : complementOf(text));
  const [reference, alternate] = [strand(from), strand(to)];
  if (next() < (intron === 0 ? 0.015 : 0.1)) {
    const more = Array.from({ length: 1 + Math.floor(next() ** 3 * 6) }, () => bases[Math.floor(next() * 4)]).join('');
    return next() < 0.5
      ? { reference, alternate: reference + more }
      : { reference: reference + more, alternate: reference };
  }
  if (intron !== 0) return { reference, alternate };
  const changed = codon.map((base, i) => (i === at ? to : base)).join('');
  return { reference, alternate, residues: [residueOf(codon.join('')), residueOf(changed)] as const };
}

function termsOf({ intron, residues, reference, alternate }: Site): string {
  const far = Math.abs(intron);
  if (far > 0 && far <= 2) return intron > 0 ? 'splice_donor_variant' : 'splice_acceptor_variant';
  if (far > 2 && far <= 8) return 'splice_region_variant&intron_variant';
  if (intron < 0 && far <= 17) return 'splice_polypyrimidine_tract_variant&intron_variant';
  if (far > 0) return 'intron_variant';
  if (residues === undefined) {
    const shift = alternate.length - reference.length;
    if (shift % 3 !== 0) return 'frameshift_variant';
    return shift > 0 ? 'inframe_insertion' : 'inframe_deletion';
  }
  const [from, to] = residues;
  if (from === to) return 'synonymous_variant';
  if (to === 'Ter') return 'stop_gained';
  return from === 'Ter' ? 'stop_lost' : 'missense_variant';
}

/** `c.665C>T`, `c.665-12_665-11insGT`, `c.666del` … with its prefix, for a transcript whose positions are later by this. */
function codingText({ gene, coding, intron, reference, alternate }: Site, offset: number): string {
  const strand = (text: string) => (gene.forward ? text : complementOf([...text].reverse().join('')));
  const at = (by: number) => {
    if (intron === 0) return String(coding + offset + by);
    return `${coding + offset}${intron + by > 0 ? '+' : ''}${intron + by}`;
  };
  if (reference.length === 1 && alternate.length === 1) return `c.${at(0)}${strand(reference)}>${strand(alternate)}`;
  if (alternate.length > 1) return `c.${at(0)}_${at(1)}ins${strand(alternate.slice(1))}`;
  return reference.length === 2 ? `c.${at(1)}del` : `c.${at(1)}_${at(reference.length - 1)}del`;
}

function proteinText(site: Site, offset: number): string {
  if (site.intron !== 0) return '';
  const place = Math.ceil((site.coding + offset) / 3);
  if (site.residues === undefined) {
    const shift = site.alternate.length - site.reference.length;
    return shift % 3 === 0 ? `p.Ala${place}${shift > 0 ? '_Gly' : 'del'}` : `p.Ser${place}AlafsTer${1 + (place % 60)}`;
  }
  const [from, to] = site.residues;
  return `p.${from}${place}${from === to ? '%3D' : to}`;
}

/** What VEP would write of a site, one entry for each transcript. */
function entriesOf(site: Site): string[] {
  const { gene, frequency } = site;
  const dropped = site.reference.length > 1 || site.alternate.length > 1;
  const allele = dropped ? site.alternate.slice(1) || '-' : site.alternate;
  // From the place, so that all who carry an allele have the same.
  const own = random(site.position * 7 + gene.hgnc);
  const isKnown = own() > 0.04 && frequency > 1.5e-4;
  const population = isKnown ? String(Number((frequency * (0.7 + 0.6 * own())).toPrecision(4))) : '';
  const classes = ['benign', 'benign&likely_benign', 'likely_benign', 'uncertain_significance', 'pathogenic'];
  const clinical = own() < 0.08 ? classes[Math.floor(own() ** 2 * 5)] : '';
  const known = `rs${Math.floor(own() * 1e9)}`;
  const terms = termsOf(site);
  const entry = (name: Named, fields: { terms: string; id: string; type: string } & Record<string, string>) => {
    const { id, type, coding = '', protein = '', distance = '', canonical = '', mane = '' } = fields;
    const hgvs = `${coding && `${id}:${coding}`}|${protein && `ENSP${id.slice(4)}:${protein}`}`;
    const places = coding && site.intron === 0 ? '3/12||' : '|3/11|';
    const counted = coding && site.intron === 0 ? `${site.coding + 120}|${site.coding}|${site.coding / 3}` : '||';
    const amino = protein ? 'A/V|gCc/gTc' : '|';
    const strand = gene.forward ? '1' : '-1';
    const about = `${fields.terms}|MODIFIER|${name.symbol}|${name.ensembl}|Transcript|${id}|${type}`;
    const more = `${counted}|${amino}|${known}|${distance}|${strand}||HGNC|HGNC:${name.hgnc}|${canonical}|${mane}`;
    return `${allele}|${about}|${places}${hgvs}|${more}|${population}|${clinical}`;
  };
  const at = (offset: number) => ({ coding: codingText(site, offset), protein: proteinText(site, offset) });
  const main = { id: gene.transcript, type: 'protein_coding', canonical: 'YES', mane: gene.mane };
  const found = [entry(gene, { ...main, terms, ...at(0) })];
  for (const { id, kind, offset } of gene.others) {
    if (kind === 'coding') found.push(entry(gene, { id, type: 'protein_coding', terms, ...at(offset) }));
    else if (kind === 'decaying') {
      const type = 'nonsense_mediated_decay';
      found.push(entry(gene, { id, type, terms: `${terms}&NMD_transcript_variant`, ...at(offset) }));
    } else if (kind === 'noncoding') {
      const isExon = site.intron === 0 || (site.coding * 31 + offset) % 7 === 0;
      const words = isExon ? 'non_coding_transcript_exon_variant' : 'intron_variant&non_coding_transcript_variant';
      const coding = `n.${at(offset).coding.slice(2)}`;
      found.push(entry(gene, { id, type: 'retained_intron', terms: words, coding }));
    } else {
      const distance = String(1 + Math.floor(own() * 5000));
      found.push(entry(gene, { id, type: 'retained_intron', terms: 'downstream_gene_variant', distance }));
    }
  }
  if (gene.neighbour && (site.coding & 1) === 0) {
    const { transcript: id, mane } = gene.neighbour;
    const distance = String(1 + Math.floor(own() * 5000));
    const fields = { id, type: 'protein_coding', terms: 'upstream_gene_variant', distance, canonical: 'YES', mane };
    found.push(entry(gene.neighbour, fields));
  }
  return found;
}
