/** Reads chain files of Ensembl (UCSC's chain format) and packs the blocks between chromosomes. */
import { eachLine, fileFault, quoted, type TextFile } from '../../../core/files.js';
import { chromosomes, type LiftBuild, lengths, mitochondrion } from './lift-over.js';
import { pack } from './packed.js';

/** Bases that are aligned without a gap; positions are zero-based. */
interface ChainBlock {
  start: number;
  length: number;
  /** The block's first base on the forward strand of the other build. */
  target: number;
  chain: ChainRecord;
  line: number;
}

/** A header `chain score tName tSize tStrand tStart tEnd qName qSize qStrand qStart qEnd id`. */
interface ChainRecord {
  number: number;
  /** Numbers of the chromosomes; undefined for a chain from or to a patch, which is skipped. */
  pair?: { from: number; to: number };
  reversed: boolean;
  end: number;
  otherSize: number;
  otherEnd: number;
}

export interface ChainList {
  from: LiftBuild;
  to: LiftBuild;
  blocks: ChainBlock[];
  chains: ChainRecord[];
}

export function isChain(line: string): boolean {
  return /^chain\s/.test(line);
}

/**
 * Reads the chains between chromosomes 1–22, X and Y under Ensembl's names; the builds are recognised by the lengths of
 * chromosomes. Throws an `unprocessable` fault with file and line.
 */
export function readChains(file: TextFile): ChainList {
  const blocks: ChainBlock[] = [];
  const chains: ChainRecord[] = [];
  let from: LiftBuild | undefined;
  let to: LiftBuild | undefined;
  let chain: ChainRecord | undefined;
  let [at, other] = [0, 0];
  const recognised = (now: LiftBuild | undefined, name: string, size: number): LiftBuild | undefined => {
    const build = buildOf(name, size);
    if (build && now && build !== now)
      throw new Error(`chromosome ${name} has the length of ${build}, earlier ones that of ${now}`);
    return now ?? build;
  };

  eachLine(file, (line, number) => {
    if (line === '' || line.startsWith('#')) return;
    const cells = line.trim().split(/\s+/);
    if (isChain(line)) {
      if (chain) throw new Error('a chain starts before the previous one has ended');
      const [, , name = '', size, strand, start, end, otherName = '', otherSize, otherStrand, otherStart, otherEnd] =
        cells;
      if (cells.length < 12 || strand !== '+' || !/^[+-]$/.test(otherStrand ?? '')) {
        throw new Error(`${quoted(line)} is not a chain header`);
      }
      [at, other] = [positionIn(start), positionIn(otherStart)];
      chain = {
        number: chains.length,
        ...chromosomePair(name, otherName),
        reversed: otherStrand === '-',
        end: positionIn(end),
        otherSize: positionIn(otherSize),
        otherEnd: positionIn(otherEnd),
      };
      if (chain.end > positionIn(size) || chain.otherEnd > chain.otherSize) {
        throw new Error('this chain extends beyond the end of its chromosome');
      }
      from = recognised(from, name, positionIn(size));
      to = recognised(to, otherName, chain.otherSize);
      if (chain.pair) chains.push(chain);
      return;
    }
    if (!chain || (cells.length !== 1 && cells.length !== 3))
      throw new Error(`${quoted(line)} is not a line of a chain`);
    const [length, gap, otherGap] = cells.map(positionIn) as [number, number?, number?];
    if (length === 0) throw new Error('a block must have at least one base');
    const target = chain.reversed ? chain.otherSize - other - length : other;
    if (chain.pair) blocks.push({ start: at, length, target, chain, line: number });
    at += length + (gap ?? 0);
    other += length + (otherGap ?? 0);
    if (at > chain.end || other > chain.otherEnd) throw new Error('the blocks of this chain extend beyond its end');
    if (gap !== undefined) return;
    if (at !== chain.end || other !== chain.otherEnd) throw new Error('the blocks of this chain do not reach its end');
    chain = undefined;
  });
  if (chain) throw fileFault(file.name, 'the file is truncated: its last chain has no end');
  if (blocks.length === 0) {
    throw fileFault(
      file.name,
      'no chain is between chromosomes 1 to 22, X and Y with the names of Ensembl (1, not chr1)',
    );
  }
  if (!from || !to || from === to) throw fileFault(file.name, 'the chains must be between GRCh37 and GRCh38');
  return { from, to, blocks: orderedBlocks(file.name, blocks), chains };
}

/** By chromosome and start. No base may be in two blocks: it would have two positions. */
function orderedBlocks(name: string, blocks: ChainBlock[]): ChainBlock[] {
  blocks.sort((left, right) => fromOf(left) - fromOf(right) || left.start - right.start);
  blocks.forEach((block, i) => {
    const before = blocks[i - 1];
    if (before && fromOf(before) === fromOf(block) && before.start + before.length > block.start) {
      throw fileFault(name, `this block overlaps the one in line ${before.line}`, block.line);
    }
  });
  return blocks;
}

function fromOf({ chain }: ChainBlock): number {
  return chain.pair?.from ?? -1;
}

/** Packed under the kind of its direction (`lift-37-38`). */
export function packChains(kind: string, { blocks, chains }: ChainList): Uint8Array<ArrayBuffer> {
  const offsets = Uint32Array.from({ length: chromosomes.length + 1 }, (_, i) => {
    const first = blocks.findIndex((block) => fromOf(block) >= i);
    return first < 0 ? blocks.length : first;
  });
  return pack(kind, {
    offsets,
    starts: Uint32Array.from(blocks, ({ start }) => start),
    lengths: Uint32Array.from(blocks, ({ length }) => length),
    targets: Uint32Array.from(blocks, ({ target }) => target),
    chains: Uint32Array.from(blocks, ({ chain }) => chain.number),
    reversed: Uint8Array.from(chains, ({ reversed }) => Number(reversed)),
    chromosomes: Uint8Array.from(chains, ({ pair }) => pair?.to ?? 0),
  });
}

function chromosomePair(name: string, otherName: string): Pick<ChainRecord, 'pair'> {
  const [from, to] = [chromosomes.indexOf(name), chromosomes.indexOf(otherName)];
  // The mitochondrion is the same sequence in both builds and needs no chain.
  if (from < 0 || to < 0 || name === mitochondrion || otherName === mitochondrion) return {};
  return { pair: { from, to } };
}

function buildOf(name: string, size: number): LiftBuild | undefined {
  return (['GRCh37', 'GRCh38'] as const).find((build) => lengths[build][name] === size);
}

function positionIn(text: string | undefined): number {
  if (text === undefined || !/^\d{1,9}$/.test(text)) throw new Error(`${quoted(text ?? '')} is not a position`);
  return Number(text);
}
