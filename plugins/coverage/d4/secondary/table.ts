/** The secondary table of a track: finds and caches the records of a region. */
import type { Extents, FrameLink } from '../container.js';
import type { Partition, SecondaryMetadata } from '../metadata.js';
import type { ByteSpan, ByteView, Source } from '../source/source.js';
import type { FramesByPartition, Inflate, RecordBlock } from './records.js';
import { lastAtMost, RecordStream, type StreamPart } from './stream.js';

export interface SecondaryContext {
  source: Source;
  extents: Extents;
  metadata: SecondaryMetadata;
  /** First frame of each partition's stream; undefined if the file lacks it. */
  streams: readonly (FrameLink | undefined)[];
  frames: FramesByPartition | undefined;
  inflate: Inflate;
  /** Bytes of decoded records that are kept for the next question. */
  cacheBytes: number;
}

/** The parts of the secondary table that a question needs, before they are read. */
export interface RecordPlan {
  parts: { part: StreamPart; block: RecordBlock | undefined }[];
  /** They hold all records up to here, which may be more than was asked for. */
  until: number;
  /** What has to be fetched; empty if all parts are in memory. */
  spans: ByteSpan[];
}

/** Bytes of a stream that a remote reader fetches without knowing its frames. */
const maxStreamAhead = 2 ** 20;

/** The depths that the dictionary does not contain, by chromosome and position. */
export class SecondaryTable {
  readonly metadata: SecondaryMetadata;
  readonly #context: SecondaryContext;
  readonly #streams = new Map<number, RecordStream>();
  readonly #blocks = new Map<string, RecordBlock>();
  #bytes = 0;
  #starts: Float64Array | undefined;

  constructor(context: SecondaryContext) {
    this.metadata = context.metadata;
    this.#context = context;
  }

  /** Finds the parts that may overlap [begin, end) of a chromosome, ascending. */
  async plan(chromosome: number, begin: number, end: number, signal?: AbortSignal): Promise<RecordPlan> {
    const plan: RecordPlan = { parts: [], until: end, spans: [] };
    for (const partition of this.#overlapping(chromosome, begin, end)) {
      const stream = this.#stream(partition);
      if (!stream) continue;
      const from = Math.max(begin, partition.begin);
      const { parts, until } = await stream.find(from, Math.min(end, partition.end), signal);
      plan.until = Math.max(end, until);
      for (const part of parts) {
        const block = this.#blocks.get(part.key);
        plan.parts.push({ part, block });
        if (!block) plan.spans.push(...stream.spans(part));
      }
    }
    return plan;
  }

  /**
   * Loads a plan's records. The view must hold the plan's spans. Returns nothing when the file's frame index turns out to be wrong; it is
   * dropped then, and a new plan will do without.
   */
  load(plan: RecordPlan, view: ByteView): RecordBlock[] | undefined {
    const blocks: RecordBlock[] = [];
    for (const { part, block: known } of plan.parts) {
      const block = known ?? part.stream.load(part, view);
      if (!block) {
        this.#dropIndex();
        return undefined;
      }
      if (!this.#blocks.delete(part.key)) this.#bytes += block.words.byteLength;
      this.#blocks.set(part.key, block);
      this.#shrink(plan.parts.length);
      blocks.push(block);
    }
    return blocks;
  }

  /** Spans at which the chains of frames for [begin, end) start, as far as they are not known yet. */
  hints(chromosome: number, begin: number, end: number): ByteSpan[] {
    return this.#overlapping(chromosome, begin, end).flatMap((partition) => {
      const [span] = this.#stream(partition)?.hint() ?? [];
      return span ? [{ ...span, ahead: this.#distanceToNext(span.offset) }] : [];
    });
  }

  /** Streams that are written one after the other are fetched whole; those whose first frames are adjacent are not. */
  #distanceToNext(at: number): number {
    this.#starts ??= Float64Array.from(this.#context.streams.flatMap((stream) => (stream ? [stream.at] : []))).sort();
    const starts = this.#starts;
    const next = lastAtMost(starts.length, (i) => starts[i] as number, at) + 1;
    return Math.min((starts[next] ?? this.#context.source.size) - at, maxStreamAhead);
  }

  #dropIndex(): void {
    this.#context.frames = undefined;
    for (const [ordinal, stream] of this.#streams) if (stream.indexed) this.#streams.delete(ordinal);
    this.#blocks.clear();
    this.#bytes = 0;
  }

  /** Removes the least recently used blocks, but none of the current plan. */
  #shrink(inUse: number): void {
    for (const [key, block] of this.#blocks) {
      if (this.#bytes <= this.#context.cacheBytes || this.#blocks.size <= inUse) return;
      this.#blocks.delete(key);
      this.#bytes -= block.words.byteLength;
    }
  }

  #overlapping(chromosome: number, begin: number, end: number): Partition[] {
    const own = this.metadata.byChromosome[chromosome] ?? [];
    const found: Partition[] = [];
    for (let i = lastAtMost(own.length, (k) => (own[k] as Partition).begin, begin); i < own.length; i++) {
      const partition = own[i] as Partition;
      if (partition.begin >= end) break;
      if (partition.end > begin) found.push(partition);
    }
    return found;
  }

  #stream(partition: Partition): RecordStream | undefined {
    const known = this.#streams.get(partition.ordinal);
    if (known) return known;
    const { source, extents, inflate, metadata, streams, frames } = this.#context;
    const first = streams[partition.ordinal];
    if (!first) return undefined;
    const context = { source, extents, inflate, deflated: metadata.deflated };
    const stream = new RecordStream(partition, first, context, frames?.[partition.ordinal]);
    this.#streams.set(partition.ordinal, stream);
    return stream;
  }
}
