/** Finds genes by the ids of their transcripts, which storages do not know as names of genes. */
import { ensemblId } from '../../../core/genome.js';
import type { Build, GeneAnswer, IntervalRepository, ReadOptions } from '../contract.js';

/** `NM_005957` or `ENST00000376590`, if a text is the id of a transcript, with or without version. */
export function transcriptId(asked: string): string | undefined {
  const text = asked.trim();
  return /^([NX][MR]_\d{6,})(?:\.\d+)?$/i.exec(text)?.[1]?.toUpperCase() ?? ensemblId(text, 'ENST');
}

/** Ids of genes by those of transcripts, without versions. */
type Genes = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The same repository, whose `findGenes` accepts ids of transcripts as well. The first name from another catalogue (RefSeq, in a set
 * of Ensembl) reads all transcripts of the build: about two seconds of processor time for 250,000, once for each set.
 */
export function withTranscriptNames(inner: IntervalRepository): IntervalRepository {
  const references = new ReferenceNames(inner);

  /** The gene ids of each transcript; undefined if no transcripts are loaded. */
  async function genesOf(build: Build, ids: readonly string[], options?: ReadOptions): Promise<Genes | undefined> {
    const found = new Map(ids.map((id) => [id, new Set<string>()]));
    for (const { ensembl, gene } of await inner.select('transcripts', build, { ids }, options))
      found.get(ensembl)?.add(gene);
    if ([...found.values()].every(({ size }) => size > 0)) return found;
    const named = await references.of(build, options);
    return named && new Map([...found].map(([id, genes]) => [id, genes.size > 0 ? genes : (named.get(id) ?? genes)]));
  }

  const findGenes: IntervalRepository['findGenes'] = async (build, asked, options) => {
    const ids = asked.map(transcriptId);
    const wanted = [...new Set(ids.flatMap((id) => id ?? []))];
    if (wanted.length === 0) return inner.findGenes(build, asked, options);
    const known = await genesOf(build, wanted, options);
    const genesAt = asked.map((name, i) => (ids[i] === undefined ? [name] : [...(known?.get(ids[i]) ?? [])]));
    const { answers, ...sets } = await inner.findGenes(build, genesAt.flat(), options);
    let at = 0;
    const own = genesAt.map((names, i): GeneAnswer => {
      const found = answers.slice(at, at + names.length);
      at += names.length;
      const [only] = found;
      if (ids[i] === undefined && only !== undefined) return only;
      const name = asked[i] ?? '';
      const genes = [...new Set(found.flatMap((answer) => ('genes' in answer ? answer.genes : [])))];
      if (genes.length > 0) return { asked: name, by: 'transcript', genes };
      return { asked: name, reason: known === undefined ? 'no-transcripts-loaded' : 'unknown-transcript' };
    });
    return { answers: own, ...sets };
  };

  return {
    findGenes,
    load: (request, now) => inner.load(request, now),
    sets: (options) => inner.sets(options),
    transcriptsOf: (build, genes, options) => inner.transcriptsOf(build, genes, options),
    select: (kind, build, filter, options) => inner.select(kind, build, filter, options),
    each: (kind, build, limit, take, options) => inner.each(kind, build, limit, take, options),
    sweep: (idleSince) => inner.sweep(idleSince),
  };
}

/** The names of transcripts in other catalogues, kept in memory for each build, and read again once their set is replaced. */
class ReferenceNames {
  readonly #intervals: Pick<IntervalRepository, 'each' | 'sets'>;
  readonly #known = new Map<Build, { version: string; genes: Promise<Genes> }>();

  constructor(intervals: Pick<IntervalRepository, 'each' | 'sets'>) {
    this.#intervals = intervals;
  }

  /** Undefined if the build has no transcripts. */
  async of(build: Build, options?: ReadOptions): Promise<Genes | undefined> {
    const sets = await this.#intervals.sets(options);
    const set = sets.find((one) => one.kind === 'transcripts' && one.build === build);
    if (set === undefined) return undefined;
    const version = `${set.loaded.getTime()} ${set.checksum}`;
    const known = this.#known.get(build);
    if (known?.version === version) return known.genes;
    const fresh = { version, genes: this.#read(build) };
    this.#known.set(build, fresh);
    // A failed read is not kept: the next question reads again.
    fresh.genes.catch(() => {
      if (this.#known.get(build) === fresh) this.#known.delete(build);
    });
    return fresh.genes;
  }

  async #read(build: Build): Promise<Genes> {
    const genes = new Map<string, Set<string>>();
    await this.#intervals.each('transcripts', build, undefined, async (transcripts) => {
      for (const { gene, references } of transcripts) {
        for (const name of Object.values(references).flat()) {
          const id = transcriptId(name);
          if (id === undefined) continue;
          const own = genes.get(id);
          if (own === undefined) genes.set(id, new Set([gene]));
          else own.add(gene);
        }
      }
    });
    return genes;
  }
}
