/** Chooses what is measured of genes: their spans, the exonic bases of transcripts, or exons. One rule for JSON and pages. */
import type {
  Build,
  Exon,
  Gene,
  GeneAnswer,
  IntervalRepository,
  IntervalSet,
  NotFoundBy,
  ReadOptions,
  TranscriptWithExons,
} from '../contract.js';
import type { Target } from './measure.js';
import { choose, chooseNamed, type TranscriptChoice, type UnmetTranscript } from './transcripts.js';

export const geneIntervalTypes = ['genes', 'transcripts', 'exons'] as const;
export type GeneIntervalType = (typeof geneIntervalTypes)[number];

export interface Wanted {
  build: Build;
  /** Ids or symbols as requested. */
  genes: readonly string[];
  type: GeneIntervalType;
  transcripts: TranscriptChoice;
  /** Transcripts that are wanted instead of the preferred ones, by the requested name of the gene. */
  named?: ReadonlyMap<string, readonly string[]>;
}

/** A target with its gene, and with its transcript and exon if it has them. */
export interface GeneTarget extends Target {
  gene: Gene;
  transcript?: TranscriptWithExons;
  exon?: Exon;
}

/** A gene that cannot be measured, and why. */
export interface NotMeasured {
  asked: string;
  /** Its symbol in the panel that has it. */
  symbol?: string;
  reason: NotFoundBy | 'no-transcripts' | 'no-exons';
  /** Genes that an ambiguous name may mean. */
  candidates?: string[];
}

export interface Selection {
  /** Genes in the requested order, without repeats; in a gene, transcripts and exons by position, each position once. */
  targets: GeneTarget[];
  /** Requested names that were found. */
  found: Extract<GeneAnswer, { genes: Gene[] }>[];
  notMeasured: NotMeasured[];
  /** Wanted transcripts that are not measured as wanted; a gene without any that is loaded has the preferred ones. */
  unmet: (UnmetTranscript & { asked: string })[];
  /** The interval sets that were used. */
  sets: IntervalSet[];
}

/** Looks the genes up (one or two calls) and returns their targets. A gene without intervals is reported, never replaced. */
export async function select(
  intervals: Pick<IntervalRepository, 'findGenes' | 'transcriptsOf'>,
  wanted: Wanted,
  options: ReadOptions,
): Promise<Selection> {
  const { build, type } = wanted;
  const lookup = await intervals.findGenes(build, wanted.genes, options);
  const found: Selection['found'] = [];
  const notMeasured: NotMeasured[] = [];
  /** By position: one gene may be requested by several names, and one name may mean several positions. */
  const genes = new Map<string, { gene: Gene; asked: string }>();
  for (const answer of lookup.answers) {
    if ('genes' in answer) {
      found.push(answer);
      for (const gene of answer.genes) {
        const key = placeKey(gene);
        if (!genes.has(key)) genes.set(key, { gene, asked: answer.asked });
      }
    } else {
      notMeasured.push(answer);
    }
  }
  const sets = [lookup.genes, lookup.names];
  const targets: GeneTarget[] = [];
  const unmet: Selection['unmet'] = [];
  if (type === 'genes') {
    for (const { gene } of genes.values()) targets.push({ gene, regions: [gene] });
  } else {
    const ids = [...new Set([...genes.values()].map(({ gene }) => gene.ensembl))];
    const { transcripts, sets: own } = await intervals.transcriptsOf(build, ids, options);
    sets.push(own.transcripts, own.exons);
    const byGene = grouped(transcripts);
    for (const { gene, asked } of genes.values()) {
      const all = byGene.get(`${gene.ensembl} ${gene.chromosome}`) ?? [];
      const names = wanted.transcripts === 'preferred' ? wanted.named?.get(asked) : undefined;
      const named = names && chooseNamed(all, names);
      unmet.push(...(named?.unmet ?? []).map((one) => ({ asked, ...one })));
      const chosen = named?.chosen.length ? named.chosen : choose(all, wanted.transcripts);
      const made = chosen.flatMap((transcript) => (type === 'exons' ? exonsOf : exonicOf)(gene, transcript));
      if (chosen.length === 0) notMeasured.push({ asked, reason: 'no-transcripts' });
      else if (made.length === 0) notMeasured.push({ asked, reason: 'no-exons' });
      targets.push(...(type === 'exons' ? onceEach(made) : made));
    }
  }
  return { targets, found, notMeasured, unmet: distinct(unmet), sets: sets.filter((set) => set !== undefined) };
}

/** A gene on both X and Y has the same transcripts on each. */
function distinct(unmet: Selection['unmet']): Selection['unmet'] {
  return [...new Map(unmet.map((one) => [`${one.asked} ${one.wanted}`, one])).values()];
}

/** A gene on both X and Y has transcripts on each. */
function grouped(transcripts: readonly TranscriptWithExons[]): Map<string, TranscriptWithExons[]> {
  const groups = new Map<string, TranscriptWithExons[]>();
  for (const transcript of transcripts) {
    const key = `${transcript.gene} ${transcript.chromosome}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [transcript]);
    else group.push(transcript);
  }
  return groups;
}

function exonicOf(gene: Gene, transcript: TranscriptWithExons): GeneTarget[] {
  return transcript.exons.length === 0 ? [] : [{ gene, transcript, regions: transcript.exons }];
}

function exonsOf(gene: Gene, transcript: TranscriptWithExons): GeneTarget[] {
  return transcript.exons.map((exon) => ({ gene, transcript, exon, regions: [exon] }));
}

/** Exons that transcripts share are one target. */
function onceEach(targets: readonly GeneTarget[]): GeneTarget[] {
  const places = new Map<string, GeneTarget>();
  for (const target of targets) {
    const key = target.exon === undefined ? '' : placeKey(target.exon);
    if (!places.has(key)) places.set(key, target);
  }
  return [...places.values()].sort((a, b) => startOf(a) - startOf(b));
}

function startOf({ regions }: GeneTarget): number {
  return regions[0]?.start ?? 0;
}

function placeKey({ ensembl, chromosome, start, end }: Gene | Exon): string {
  return `${ensembl} ${chromosome}:${start}-${end}`;
}

const reasons: Readonly<Record<NotMeasured['reason'], string>> = {
  malformed: 'is not a gene name',
  'no-genes-loaded': 'cannot be found: no genes are loaded for this build',
  unknown: 'is unknown',
  'not-in-build': 'is not among the genes of this build',
  ambiguous: 'matches several genes',
  'no-transcripts': 'has no transcript of the chosen kind',
  'no-exons': 'has no exons loaded',
};

/** Why a gene is not measured, in a sentence. */
export function sentenceOf({ asked, symbol, reason, candidates = [] }: NotMeasured): string {
  const which = candidates.length > 0 ? `: ${candidates.join(', ')}` : '';
  const name = symbol === undefined ? asked.slice(0, 100) : `${symbol} (${asked})`;
  return `The gene ${name} ${reasons[reason]}${which}`;
}
