/** What is so of all genes of a version of a panel, whoever was reported with it: names, and transcripts by which genes are measured. */
import type { GeneStructures, PanelOfReport, Services, WithdrawnGenes } from '../../services/services.js';
import type { Baseline, Statement } from '../contract.js';

export interface GenesNow {
  /** The genes that are none any more; undefined if no names are loaded. */
  names: WithdrawnGenes | undefined;
  /** Undefined if no transcripts of the build are loaded. */
  transcripts: { release: string; of: readonly string[] } | undefined;
}

/** Of genes of a version. `of` has the preferred transcript of each, empty without exactly one, in the order of the version. */
export type AskGenes = (panel: PanelOfReport, build: Statement['build']) => Promise<GenesNow>;

interface GeneTools {
  find<Key extends keyof Services>(key: Key): Services[Key] | undefined | Promise<Services[Key] | undefined>;
}

/** Transcripts are kept as long as gene structures stay as they are. */
export function askingGenes({ find }: GeneTools): AskGenes {
  const kept = new Map<string, { loaded: string; transcripts: GenesNow['transcripts'] }>();
  return async (panel, build) => {
    const names = await (await find('panels/versions@1'))?.withdrawn(panel.genes.map(({ hgnc }) => hgnc));
    const structures = await find('coverage/gene-structures@1');
    const loaded = JSON.stringify((await structures?.exonsOf(build, [], asked()))?.sets ?? []);
    const key = `${build} ${panel.sha256}`;
    const known = kept.get(key);
    if (known?.loaded === loaded) return { names, transcripts: known.transcripts };
    const transcripts = await transcriptsOf(structures, panel, build);
    kept.set(key, { loaded, transcripts });
    return { names, transcripts };
  };
}

const asked = () => ({ choice: 'preferred', signal: new AbortController().signal }) as const;

async function transcriptsOf(
  structures: GeneStructures | undefined,
  { genes }: PanelOfReport,
  build: Statement['build'],
): Promise<GenesNow['transcripts']> {
  const answer = await structures?.exonsOf(
    build,
    genes.map(({ hgnc }) => ({ hgnc })),
    asked(),
  );
  const set = answer?.sets.find(({ kind }) => kind === 'transcripts');
  if (!answer || !set) return undefined;
  const found = new Map<number, Set<string>>(genes.map(({ hgnc }) => [hgnc, new Set()]));
  for (const { hgnc, transcript } of answer.transcripts) found.get(hgnc)?.add(transcript);
  const of = [...found.values()].map((all) => (all.size === 1 ? [...all].join() : ''));
  return { release: `${set.release ?? set.source} (${build})`, of };
}

/** What a baseline keeps of it: of Ensembl's ids the number, since each case keeps one for each gene. */
export function formerGenes({ names, transcripts }: GenesNow): NonNullable<Baseline['genes']> {
  const short = transcripts?.of.map((id) => id.replace(/^ENST0*(?=\d)/, '')).join(' ');
  return { gone: [...(names?.became.keys() ?? [])], ...(short !== undefined && { transcripts: short }) };
}

export function formerTranscripts({ transcripts }: NonNullable<Baseline['genes']>): string[] | undefined {
  return transcripts?.split(' ').map((id) => (/^\d+$/.test(id) ? `ENST${id.padStart(11, '0')}` : id));
}
