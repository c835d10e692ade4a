import type { FrameBudget, FrameLink } from '../container/frame.js';
import type { Chromosome } from '../metadata.js';
import type { Source, Span, View } from '../source/source.js';
import type { RecordBlock } from './block.js';
import type { FramesByPartition } from './frame-index.js';
import type { Partition, SecondaryMetadata } from './metadata.js';
import { lastAtMost, type Part, RecordStream } from './stream.js';

export interface SecondaryContext {
  source: Source;
  budget: FrameBudget;
  chromosomes: readonly Chromosome[];
  metadata: SecondaryMetadata;
  /** First frame of each partition's stream; nothing where the file lacks it. */
  streams: readonly (FrameLink | undefined)[];
  frames?: FramesByPartition;
  /** Bytes of decoded records kept for the next question. */
  cacheBytes: number;
}

/** The parts of the secondary table that a question needs, before they are read. */
export interface RecordPlan {
  parts: { part: Part; block: RecordBlock | undefined }[];
  /** What has to be fetched; empty when all parts are in memory. */
  spans: Span[];
}

/** The depths that do not fit the primary table, by chromosome and position. */
export class SecondaryTable {
  readonly metadata: SecondaryMetadata;
  readonly #context: SecondaryContext;
  readonly #streams = new Map<number, RecordStream>();
  readonly #blocks = new Map<string, RecordBlock>();
  #bytes = 0;

  constructor(context: SecondaryContext) {
    this.metadata = context.metadata;
    this.#context = context;
  }

  /** Finds what may overlap [begin, end) of a chromosome. Ascending. */
  async plan(chromosome: number, begin: number, end: number, signal?: AbortSignal): Promise<RecordPlan> {
    const own = this.metadata.byChromosome[chromosome] ?? [];
    const plan: RecordPlan = { parts: [], spans: [] };
    for (let i = lastAtMost(own.length, (k) => (own[k] as Partition).begin, begin); i < own.length; i++) {
      const partition = own[i] as Partition;
      if (partition.begin >= end) break;
      if (partition.end <= begin) continue;
      const stream = this.#stream(partition);
      if (!stream) continue;
      for (const part of await stream.find(Math.max(begin, partition.begin), Math.min(end, partition.end), signal)) {
        const block = this.#blocks.get(part.key);
        plan.parts.push({ part, block });
        if (!block) plan.spans.push(...stream.spans(part));
      }
    }
    return plan;
  }

  /** Loads a plan's records. The view must hold the plan's spans. */
  load(plan: RecordPlan, view: View): RecordBlock[] {
    return plan.parts.map(({ part, block: known }) => {
      const block = known ?? part.stream.load(part, view);
      if (!this.#blocks.delete(part.key)) this.#bytes += block.words.byteLength;
      this.#blocks.set(part.key, block);
      this.#shrink(plan.parts.length);
      return block;
    });
  }

  /** Drops the blocks that were used longest ago, but never one of the plan at hand. */
  #shrink(inUse: number): void {
    for (const [key, block] of this.#blocks) {
      if (this.#bytes <= this.#context.cacheBytes || this.#blocks.size <= inUse) return;
      this.#blocks.delete(key);
      this.#bytes -= block.words.byteLength;
    }
  }

  #stream(partition: Partition): RecordStream | undefined {
    const known = this.#streams.get(partition.ordinal);
    if (known) return known;
    const { source, budget, chromosomes, metadata, streams, frames } = this.#context;
    const first = streams[partition.ordinal];
    if (!first) return undefined;
    const size = chromosomes[partition.chromosome]?.size ?? 0;
    const context = { source, budget, deflated: metadata.deflated, size };
    const stream = new RecordStream(partition, first, context, frames?.[partition.ordinal]);
    this.#streams.set(partition.ordinal, stream);
    return stream;
  }
}
