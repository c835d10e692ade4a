/** Chooses what is measured of genes: spans, exonic or coding bases of transcripts, or exons. One rule for JSON and pages. */
import type { UnmetTranscript } from '../../services/coverage.js';
import {
  type Build,
  byPlace,
  type Exon,
  type Gene,
  type IntervalRepository,
  type IntervalSet,
  type NotFoundBy,
  type Place,
  type ReadOptions,
  type TranscriptWithExons,
} from '../contract.js';
import {
  type FoundGenes,
  measuredTogether,
  placeKey,
  pseudoautosomalCopies,
  type RelatedGenes,
  resolveNames,
} from './genes.js';
import type { Target, Warning } from './measure.js';
import { groupedBy, type Region } from './region.js';
import { choose, chooseNamed, codingBases, statesCoding, type TranscriptChoice, usualSplice } from './transcripts.js';

export const geneIntervalTypes = ['genes', 'transcripts', 'exons', 'coding'] as const;
export type GeneIntervalType = (typeof geneIntervalTypes)[number];

export interface GeneSelection {
  build: Build;
  /** Ids or symbols as requested. */
  genes: readonly string[];
  type: GeneIntervalType;
  /** Of `coding`: bases of introns beside coding segments; `usualSplice` if omitted. */
  splice?: number;
  transcripts: TranscriptChoice;
  /** Transcripts that are wanted instead of the preferred ones, by the requested name of the gene. */
  named?: ReadonlyMap<string, readonly string[]>;
}

/** A target with its gene, and with its transcript and exon if it has them. */
export interface GeneTarget extends Target {
  gene: Gene;
  transcript?: TranscriptWithExons;
  exon?: Exon;
  /** Of `coding`: which of the regions are coding; the others are splice bases. Empty if the transcript is measured by its exons. */
  coding?: readonly Region[];
}

/** A gene that cannot be measured, and why. */
export interface UnmeasuredGene {
  asked: string;
  /** Its symbol in the panel that has it. */
  symbol?: string;
  reason: NotFoundBy | 'no-transcripts' | 'no-exons';
  /** Genes that an ambiguous name may mean. */
  candidates?: string[];
}

/** The place on Y of what a target measures on X. */
export interface CopyOnY extends Target {
  /** The gene's symbol or id. */
  name: string;
}

export interface Selection {
  /** As wanted; exons if coding bases are wanted, and the exons that are loaded do not state them. */
  type: GeneIntervalType;
  /**
   * Genes in the requested order, without repeats; in a gene, transcripts and exons by position, each position once. A
   * pseudoautosomal gene is measured on X.
   */
  targets: GeneTarget[];
  /** The pseudoautosomal parts of the targets on Y: with depth there, reads were shared between X and Y. */
  copies: CopyOnY[];
  /** Requested names that were found, with the genes that are measured for them. */
  found: FoundGenes[];
  notMeasured: UnmeasuredGene[];
  /** Wanted transcripts that are not measured as wanted; a gene without any that is loaded has the preferred ones. */
  unmet: (UnmetTranscript & { asked: string })[];
  /** What readers must know of genes that were requested by the ids of Ensembl genes or of transcripts. */
  notes: Warning[];
  /** The interval sets that were used. */
  sets: IntervalSet[];
}

/** What is measured together for a name: see `together`. */
interface GeneUnit {
  asked: string;
  genes: Gene[];
  /** Whether the name is the id of a transcript, which is then measured. */
  isTranscript: boolean;
}

/**
 * Looks the genes up and returns their targets. `transcripts` chooses among all transcripts of an HGNC gene, whatever Ensembl
 * gene they are of. A gene without intervals is reported, never replaced.
 */
export async function select(
  intervals: Pick<IntervalRepository, 'findGenes' | 'transcriptsOf' | 'each'>,
  wanted: GeneSelection,
  options: ReadOptions,
): Promise<Selection> {
  const { build, splice = usualSplice } = wanted;
  let { type } = wanted;
  const { answers, relatives, sets: used } = await resolveNames(intervals, build, wanted.genes, options);
  const found: Selection['found'] = [];
  const notMeasured: UnmeasuredGene[] = [];
  /** By position: one gene may be requested by several names, and one name may mean several positions. */
  const units = new Map<string, GeneUnit>();
  for (const answer of answers) {
    if ('genes' in answer) {
      found.push(answer);
      for (const genes of measuredTogether(answer.genes)) {
        const isTranscript = answer.by === 'transcript';
        const key = [...(isTranscript ? [answer.asked] : []), ...genes.map(placeKey).sort()].join(' ');
        if (!units.has(key)) units.set(key, { asked: answer.asked, genes, isTranscript });
      }
    } else {
      notMeasured.push(answer);
    }
  }
  const sets = [used.genes, used.names];
  const targets = new Map<string, GeneTarget>();
  const unmet: Selection['unmet'] = [];
  const notes = relatives.map(relativesNote);
  const needed = [...units.values()].filter(({ genes }) => type !== 'genes' || genes.length > 1);
  let byGene = new Map<string, TranscriptWithExons[]>();
  if (needed.length > 0 || type !== 'genes') {
    const ids = [...new Set(needed.flatMap(({ genes }) => genes.map(({ ensembl }) => ensembl)))];
    const { transcripts, sets: own } = await intervals.transcriptsOf(build, ids, options);
    sets.push(own.transcripts, ...(type === 'genes' ? [] : [own.exons]));
    // A gene on both X and Y has transcripts on each.
    byGene = groupedBy(transcripts, (transcript) => geneKey(transcript.gene, transcript));
    const isUnclear = () => !transcripts.some(({ exons }) => exons.some(({ cds }) => cds !== undefined));
    if (type === 'coding' && transcripts.length > 0 && isUnclear()) {
      if (!(await statesCoding(intervals, build, options))) type = 'exons';
    }
  }
  const measured = new Set<string>();
  for (const { asked, genes, isTranscript } of units.values()) {
    const all = genes
      .flatMap((gene) => (byGene.get(geneKey(gene.ensembl, gene)) ?? []).map((transcript) => ({ gene, transcript })))
      .sort((a, b) => byPlace(a.transcript, b.transcript));
    const geneOf = new Map(all.map(({ gene, transcript }) => [transcript, gene]));
    const own = all.map(({ transcript }) => transcript);
    if (type === 'genes') {
      const preferred = new Set(choose(own, 'preferred').map((transcript) => geneOf.get(transcript)));
      const spans = genes.filter((gene) => preferred.size === 0 || preferred.has(gene));
      const [gene] = spans;
      if (gene !== undefined) add({ gene, regions: spans });
      for (const span of spans) measured.add(placeKey(span));
      continue;
    }
    const names = isTranscript ? [asked] : wanted.named?.get(asked);
    const named = wanted.transcripts === 'preferred' && names ? chooseNamed(own, names) : undefined;
    if (isTranscript) notes.push(...(named?.unmet ?? []).map(transcriptNote));
    else unmet.push(...(named?.unmet ?? []).map((one) => ({ asked, ...one })));
    const chosen = named?.chosen.length ? named.chosen : choose(own, wanted.transcripts, type === 'coding');
    const targetsOf = (of: typeof exonicOf) =>
      chosen.flatMap((transcript) => of(geneOf.get(transcript) as Gene, transcript));
    let made = targetsOf(type === 'exons' ? exonsOf : type === 'coding' ? codingOf : exonicOf);
    // A gene whose chosen transcripts are not coding.
    if (type === 'coding' && made.length === 0) {
      made = targetsOf(exonicOf).map((target) => Object.assign(target, { coding: [] }));
    }
    if (chosen.length === 0) notMeasured.push({ asked, reason: 'no-transcripts' });
    else if (made.length === 0) notMeasured.push({ asked, reason: 'no-exons' });
    for (const target of type === 'exons' ? made.sort((a, b) => startOf(a) - startOf(b)) : made) {
      add(target);
      measured.add(placeKey(target.gene));
    }
    if (made.length === 0) for (const gene of genes) measured.add(placeKey(gene));
  }
  return {
    type,
    targets: [...targets.values()],
    copies: [...targets.values()].flatMap(({ gene, regions }) => {
      const copies = pseudoautosomalCopies(build, regions);
      return copies.length === 0 ? [] : [{ name: gene.symbol ?? gene.ensembl, regions: copies }];
    }),
    found: found.map((answer) => ({ ...answer, genes: answer.genes.filter((gene) => measured.has(placeKey(gene))) })),
    notMeasured,
    unmet: distinct(unmet),
    notes,
    sets: sets.filter((set) => set !== undefined),
  };

  function codingOf(gene: Gene, transcript: TranscriptWithExons): GeneTarget[] {
    const bases = codingBases(transcript, splice);
    if (bases === undefined) return [];
    return [{ gene, transcript, regions: bases.counted, coding: bases.coding }];
  }

  /** Exons that transcripts share are one target. */
  function add(target: GeneTarget): void {
    const { gene, transcript, exon } = target;
    const key = placeKey(exon ?? transcript ?? gene);
    if (!targets.has(key)) targets.set(key, target);
  }
}

/** A gene on both X and Y has the same transcripts on each. */
function distinct(unmet: Selection['unmet']): Selection['unmet'] {
  return [...new Map(unmet.map((one) => [`${one.asked} ${one.wanted}`, one])).values()];
}

function geneKey(ensembl: string, { chromosome }: Place): string {
  return `${ensembl} ${chromosome}`;
}

function exonicOf(gene: Gene, transcript: TranscriptWithExons): GeneTarget[] {
  return transcript.exons.length === 0 ? [] : [{ gene, transcript, regions: transcript.exons }];
}

function exonsOf(gene: Gene, transcript: TranscriptWithExons): GeneTarget[] {
  return transcript.exons.map((exon) => ({ gene, transcript, exon, regions: [exon] }));
}

function startOf({ regions }: GeneTarget): number {
  return regions[0]?.start ?? 0;
}

const reasons: Readonly<Record<UnmeasuredGene['reason'], string>> = {
  malformed: 'is not a gene name',
  'no-genes-loaded': 'cannot be found: no genes are loaded for this build',
  unknown: 'is not in the gene set that is loaded',
  'not-in-build': 'is not among the genes of this build',
  ambiguous: 'matches several genes',
  'no-transcripts-loaded': 'cannot be found: no transcripts are loaded for this build',
  'unknown-transcript': 'is not among the transcripts of this build',
  'no-transcripts': 'has no transcript of the chosen kind',
  'no-exons': 'has no exons loaded',
};

/** Why a gene is not measured, in a sentence. */
export function sentenceOfUnmeasured({ asked, symbol, reason, candidates = [] }: UnmeasuredGene): string {
  const which = candidates.length > 0 ? `: ${candidates.join(', ')}` : '';
  const name = symbol === undefined ? asked.slice(0, 100) : `${symbol} (${asked})`;
  const isTranscript = reason === 'unknown-transcript' || reason === 'no-transcripts-loaded';
  return `The ${isTranscript ? 'transcript' : 'gene'} ${name} ${reasons[reason]}${which}`;
}

/** That an Ensembl gene that was requested is not the whole HGNC gene. */
function relativesNote({ asked, hgnc, symbol, others }: RelatedGenes): Warning {
  const name = symbol === undefined ? `HGNC:${hgnc}` : `${symbol} (HGNC:${hgnc})`;
  const message = `${asked} was measured as requested; ${name} also has ${others.join(', ')}.`;
  return { code: 'other-gene', message };
}

/** That a transcript that was requested was not measured in the version that was named, or not for certain. */
function transcriptNote({ wanted, loaded }: UnmetTranscript): Warning {
  const which =
    loaded === undefined
      ? 'the preferred transcripts of its gene were measured'
      : loaded.includes('.')
        ? `${loaded} was measured`
        : `the version of ${loaded} that was measured is not known`;
  return { code: 'other-transcript', message: `${wanted} was requested; ${which}.` };
}
