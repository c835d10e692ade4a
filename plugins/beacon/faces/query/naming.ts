/**
 * Which alleles the annotations of datasets name, by a change of a protein or transcript, and which effects they say that alleles
 * have. They only name: whether a dataset has an allele, and how often, is asked as of any other.
 */
import { Fault } from '../../../../core/plugin.js';
import {
  type Allele,
  type AlleleQuery,
  type AnnotatedAllele,
  type Assembly,
  alleleKey,
  byAllele,
  type ConsequenceRepository,
  type GeneIdentity,
  type GeneRepository,
  isPlain,
  type TranscriptConsequence,
} from '../../contract.js';
import { canonicalQuestion } from '../../domain/allele-query.js';
import { quoted } from '../../domain/written-question.js';
import { geneIdsNamed } from '../../genes/files.js';
import { type NamedChange, proteinChange, sequenceName, transcriptChange } from '../../vcf/consequences/hgvs.js';
import { isOfGene } from '../../vcf/consequences/lines.js';
import { consequenceTerms, impacts, statedTerms, termsFrom, withDescendants } from '../../vcf/consequences/terms.js';

/** A dataset that the caller may query; what a guarded one names must show nowhere but in its own answers. */
export interface NamingDataset {
  id: string;
  assembly: Assembly;
  guarded?: true;
}

export interface NamedAlleles {
  /** One for each allele. */
  queries: readonly AlleleQuery[];
  /** The datasets that some of the queries are for; all others are for every dataset. */
  within: ReadonlyMap<AlleleQuery, string>;
  /** The genes of the alleles that are not for one dataset alone, by `alleleKey`, as annotations name them. */
  genes: ReadonlyMap<string, ReadonlySet<string>>;
  notes: readonly NamingNote[];
}

/** What a client should know of the alleles that were named. */
export type NamingNote =
  /** No allele is annotated so. */
  | { about: 'none'; change: string }
  /** The annotations are of other versions of the transcript. */
  | { about: 'version'; asked: string; annotated: string }
  /** Without a gene so many of the alleles that a guarded dataset names are searched in it; said whether or not it names more. */
  | { about: 'guarded'; most: number };

/** In English; pages have texts of their own. */
export function namingText(note: NamingNote): string {
  if (note.about === 'none') {
    return `No allele is annotated as ${note.change} here: only annotated alleles are found by it`;
  }
  return note.about === 'version'
    ? `The annotations are of ${note.annotated}, not of ${note.asked}: positions may differ`
    : `Without a gene at most ${note.most} alleles are searched in each protected dataset`;
}

/** What the datasets of one caller know. */
export interface AnnotatedDatasets {
  /** Whether any of them has annotations. */
  isAny(): Promise<boolean>;
  /** The alleles that are such a change. Throws an `invalid` fault for a sequence by which nothing is found, or too many alleles. */
  named(assembly: Assembly, change: NamedChange): Promise<NamedAlleles>;
  /** Those of the alleles that have each of the effects, in one gene if it is named. */
  affected<Found extends Allele>(assembly: Assembly, alleles: readonly Found[], asked: AskedEffects): Promise<Found[]>;
  /** What a dataset says of its alleles, by `alleleKey`; nothing of a guarded one. */
  known(dataset: string, alleles: readonly Allele[]): Promise<ReadonlyMap<string, AnnotatedAllele>>;
}

export interface AskedEffects {
  /** Names of consequence terms; of each set an allele has at least one. */
  effects: readonly ReadonlySet<string>[];
  /** As a client names it: only effects on this gene count. */
  gene?: string | undefined;
}

interface NamingTools {
  consequences: Pick<ConsequenceRepository, 'find' | 'ofGene' | 'ofProtein' | 'genesOfTranscript' | 'sources'>;
  genes: Pick<GeneRepository, 'genes'>;
}

/** Alleles of one change: more are of no use to anyone. */
const mostAlleles = 100;

export function annotationsOf(tools: NamingTools, datasets: readonly NamingDataset[]): AnnotatedDatasets {
  const { consequences } = tools;
  const open = (assembly: Assembly) => datasets.filter((one) => one.assembly === assembly && !one.guarded);

  return {
    async isAny() {
      for (const { id } of datasets) if ((await consequences.sources(id)).length > 0) return true;
      return false;
    },

    async named(assembly, change) {
      checkName(change);
      const found = new Map<string, Allele>();
      const genes = new Map<string, Set<string>>();
      const versions = new Set<string>();
      for (const { id } of open(assembly)) {
        for (const one of await alleleNames(tools, { id, assembly }, change)) {
          const key = alleleKey(one.allele);
          found.set(key, one.allele);
          genes.set(key, new Set([...(genes.get(key) ?? []), ...one.genes]));
          for (const name of one.sequences) versions.add(name);
        }
      }
      if (found.size > mostAlleles) {
        const instead = isOfAnyGene(change) ? 'give its gene, such as MTHFR p.Ala222Val' : 'ask by position';
        throw new Fault('invalid', `${change.change} names more than ${mostAlleles} alleles: ${instead}`);
      }
      const queries = [...found.values()].sort(byAllele).map((allele) => queryOf(assembly, allele));
      const within = new Map<AlleleQuery, string>();
      for (const { id, assembly: own, guarded } of datasets) {
        if (!guarded || own !== assembly) continue;
        const theirs = (await alleleNames(tools, { id, assembly }, change)).filter(
          ({ allele }) => !found.has(alleleKey(allele)),
        );
        const asked = theirs.slice(0, mostAlleles).map(({ allele }) => queryOf(assembly, allele));
        // A "no" takes as long whether or not such an allele is named.
        for (const query of asked.length > 0 ? asked : [queryForNothing(assembly)]) within.set(query, id);
      }
      const isMissing = queries.length === 0 && within.size === 0;
      const notes: NamingNote[] = isMissing
        ? [{ about: 'none', change: change.change }]
        : versionNotes(change, versions);
      if (isOfAnyGene(change) && within.size > 0) notes.push({ about: 'guarded', most: mostAlleles });
      return { queries: [...queries, ...within.keys()], within, genes, notes };
    },

    async affected(assembly, alleles, { effects, gene }) {
      const name = gene === undefined ? undefined : await geneNamed(tools.genes, assembly, gene);
      const left = new Map<string, Set<ReadonlySet<string>>>();
      for (const { id } of alleles.length > 0 ? open(assembly) : []) {
        for (const one of await consequences.find(id, alleles)) {
          const terms = statedTerms({ genes: one.genes.filter((each) => !name || isOfGene(each, name)) });
          const known = left.get(alleleKey(one.allele)) ?? new Set();
          for (const effect of effects) if (terms.some((term) => effect.has(term))) known.add(effect);
          left.set(alleleKey(one.allele), known);
        }
      }
      return alleles.filter((allele) => left.get(alleleKey(allele))?.size === new Set(effects).size);
    },

    async known(dataset, alleles) {
      const isOpen = datasets.some(({ id, guarded }) => id === dataset && !guarded);
      const found = isOpen && alleles.length > 0 ? await consequences.find(dataset, alleles) : [];
      return new Map(found.map((one) => [alleleKey(one.allele), one]));
    },
  };
}

/** Whether a change of a protein is asked for in all genes. */
function isOfAnyGene({ gene, sequence, system }: NamedChange): boolean {
  return gene === undefined && sequence === undefined && system === 'protein';
}

function checkName({ sequence }: NamedChange): void {
  if (sequence && !/^[NX][MR]_/.test(sequence.id)) {
    throw new Fault(
      'invalid',
      `Annotations are looked up by transcripts of RefSeq (NM_, NR_) and by genes: give the gene of ${sequence.id}, such as MTHFR p.Ala222Val`,
    );
  }
}

interface AlleleName {
  allele: Allele;
  /** The accessions, with their versions, of the transcripts by which it was found. */
  sequences: readonly string[];
  /** Symbols of the genes of these transcripts, or HGNC ids of those without; none of a gene without either. */
  genes: readonly string[];
}

/** The alleles of a dataset that its annotations name so. */
async function alleleNames(tools: NamingTools, dataset: NamingDataset, change: NamedChange): Promise<AlleleName[]> {
  const found: AlleleName[] = [];
  for (const { allele, genes } of await annotatedSo(tools, dataset, change)) {
    if (!isPlain(allele.reference) || !isPlain(allele.alternate)) continue;
    const named = genes.filter(({ transcripts }) => transcripts.some((each) => isNamed(each, change)));
    if (named.length === 0) continue;
    const transcripts = named.flatMap((gene) => gene.transcripts).filter((each) => isNamed(each, change));
    found.push({
      allele,
      sequences: transcripts.flatMap(({ transcript, mane }) => [transcript ?? [], mane ?? []].flat()),
      genes: named.flatMap(({ symbol, hgnc }) => symbol ?? (hgnc === undefined ? [] : `HGNC:${hgnc}`)),
    });
  }
  return found;
}

/** Those that may have the change: of its genes, or with it in any gene, of which more than `mostAlleles` are of no use. */
async function annotatedSo(
  { consequences, genes }: NamingTools,
  { id, assembly }: NamingDataset,
  change: NamedChange,
): Promise<readonly AnnotatedAllele[]> {
  const { gene, sequence } = change;
  if (isOfAnyGene(change)) return consequences.ofProtein(id, change.change, mostAlleles + 1);
  const names = sequence
    ? await consequences.genesOfTranscript(id, sequence.id)
    : [await geneNamed(genes, assembly, gene ?? '')];
  const found: AnnotatedAllele[] = [];
  for (const name of names) found.push(...(await consequences.ofGene(id, name)).alleles);
  return found;
}

/** By a transcript's accession, else of proteins on any chosen transcript, and of transcripts on MANE's, else on the canonical one. */
function isNamed(one: TranscriptConsequence, { sequence, system, change }: NamedChange): boolean {
  const { transcript, mane, coding, protein, choice } = one;
  if (sequence && ![transcript, mane].some((name) => name !== undefined && sequenceName(name)?.id === sequence.id)) {
    return false;
  }
  if (system === 'protein') return protein !== undefined && proteinChange(protein) === change;
  if (!sequence && choice === 'worst') return false;
  return coding !== undefined && transcriptChange(coding) === change;
}

function versionNotes({ sequence }: NamedChange, known: ReadonlySet<string>): NamingNote[] {
  if (sequence?.version === undefined) return [];
  const isVersion = (name: string) =>
    sequenceName(name)?.id === sequence.id && sequenceName(name)?.version !== undefined;
  const versions = [...known].filter(isVersion);
  const asked = `${sequence.id}.${sequence.version}`;
  if (versions.length === 0 || versions.includes(asked)) return [];
  return [{ about: 'version', asked, annotated: versions.sort().join(', ') }];
}

/** One allele of plain bases, in the form in which it is stored. */
function queryOf(assembly: Assembly, { contig, start, reference, alternate }: Allele): AlleleQuery {
  const asked = { start: { min: start, max: start }, reference, alternate };
  return { assembly, contig, ...canonicalQuestion(asked) };
}

function queryForNothing(assembly: Assembly): AlleleQuery {
  return { assembly, contig: 'MT', start: { min: 0, max: 0 }, reference: 'A', alternate: 'A' };
}

/** By the symbol, HGNC id or Ensembl id that a client gives, with what else the loaded genes know of it. */
export async function geneNamed(
  genes: Pick<GeneRepository, 'genes'>,
  assembly: Assembly,
  text: string,
): Promise<GeneIdentity> {
  const ids = geneIdsNamed(text.trim());
  const [known] = await genes.genes(assembly, ids);
  const given = ids.type === 'HGNC' ? { hgnc: ids.ids[0] as number } : { symbol: ids.ids[0] as string };
  return {
    ...given,
    ...(known?.hgnc !== undefined && { hgnc: known.hgnc }),
    ...(known?.symbol !== undefined && { symbol: known.symbol }),
  };
}

const spellings: ReadonlyMap<string, string> = new Map(
  consequenceTerms.map(({ name }) => [name.toLowerCase(), name] as const),
);

/**
 * The consequence terms that a text asks for: of an impact (`high`) those with it or a worse one; a term by name, label or id
 * (`missense_variant`, `Missense variant`, `SO:0001583`) with all that are one. Undefined for any other text.
 */
export function effectNamed(text: string): ReadonlySet<string> | undefined {
  const word = text.trim();
  const impact = impacts.find((one) => one === word.toUpperCase());
  if (impact) return termsFrom(impact);
  return withDescendants(spellings.get(word.toLowerCase().replace(/[\s-]+/g, '_')) ?? word);
}

/** The same; throws an `invalid` fault that says what is accepted. */
export function effectOf(parameter: string, text: string): ReadonlySet<string> {
  const terms = effectNamed(text);
  if (terms) return terms;
  throw new Fault(
    'invalid',
    `${parameter} must be high, moderate, low or modifier, or a consequence such as missense_variant or SO:0001583; got ${quoted(text)}`,
  );
}
