/** Histories of coverage-cohorts@1. */
import {
  type Build,
  blockChecksum,
  builds,
  type CohortBlock,
  type CohortEntry,
  type CohortLayout,
  type CohortRepository,
  type CohortState,
  type ColumnBlock,
  coverageCohorts,
} from '../../../../../plugins/coverage/contract.js';
import type { Random } from '../../../../conformance/core.js';
import { anyText, type History } from '../history.js';

interface Range {
  parts: number[];
  planes: number[];
  from: number;
  to: number;
}

type Step =
  | { verb: 'use'; layout: CohortLayout; regions: Uint8Array[] }
  | { verb: 'clear'; build: Build }
  | { verb: 'add'; layout: string; entry: CohortEntry; blocks: ColumnBlock[] }
  | { verb: 'suspend' | 'remove'; samples: string[] }
  | { verb: 'read'; layout: string; range: Range; isBounded: boolean; knows: boolean }
  | { verb: 'arrange'; layout: string; range: Range; isStale: boolean; content: number }
  | { verb: 'overwritten'; layout: string; columns: number[] }
  | { verb: 'sweep' };

const ids = ['GRCh37 a', 'GRCh37 A', 'GRCh38 a', 'GRCh38 \u{1f600}', 'GRCh38 a '];
const [columnParts, planes] = [
  [-2, -1],
  [0, 1],
];

const buildOf = (layout: string) => layout.slice(0, 6) as Build;
const bytesOf = (random: Random) => Uint8Array.from(random.list(0, 3, () => random.pick([0, 255, 10])));

function anyEntry(random: Random): CohortEntry {
  return {
    ...{ sample: anyText(random), source: random.pick(['1', '2', 'é', 'e\u0301']), denominator: random.int(1, 100) },
    ...(random.chance(0.5) && { median: random.pick([0, 31.25, 0.1]) }),
    ...{ beyond: random.list(0, 2, () => [random.int(0, 9), 2 ** 40] as const), bytes: random.int(0, 9) },
  };
}

function anyRange(random: Random): Range {
  const from = random.pick([0, 0, 0, 1, 2]);
  return { parts: random.some([-2, -1, 0, 1]), planes: random.some(planes), from, to: from + random.int(1, 3) };
}

function step(random: Random): Step {
  const layout = random.pick(ids);
  const verb = random.pick([
    ...(['use', 'use', 'add', 'add', 'add', 'add', 'add', 'suspend', 'remove', 'read', 'read'] as const),
    ...(['arrange', 'arrange', 'arrange', 'overwritten', 'clear', 'sweep'] as const),
  ]);
  switch (verb) {
    case 'use': {
      const regions = random.list(0, 2, () => bytesOf(random));
      return {
        verb,
        layout: { id: layout, build: buildOf(layout), thresholds: [10, 20], sets: anyText(random) },
        regions,
      };
    }
    case 'clear':
      return { verb, build: random.pick(builds) };
    case 'add': {
      const blocks = columnParts.flatMap((part) => planes.map((plane) => ({ part, plane, content: bytesOf(random) })));
      return { verb, layout, entry: anyEntry(random), blocks: random.some(blocks) };
    }
    case 'read':
      return { verb, layout, range: anyRange(random), isBounded: random.chance(0.5), knows: random.chance(0.5) };
    case 'arrange':
      return { verb, layout, range: anyRange(random), isStale: random.chance(0.2), content: random.int(0, 255) };
    case 'overwritten':
      return { verb, layout, columns: random.list(0, 3, () => random.int(0, 3)) };
    case 'sweep':
      return { verb };
    default:
      return { verb, samples: random.list(0, 3, () => anyText(random)) };
  }
}

const everything = { parts: [-2, -1, 0, 1], planes };

/** Without the version, which is any other one after a change. */
function shown({ version: _, ...rest }: CohortState): object {
  return rest;
}

function plain(blocks: readonly CohortBlock[]): unknown {
  return blocks.map(({ content, ...rest }) => ({ ...rest, content: [...content] }));
}

async function read(
  repository: CohortRepository,
  layout: string,
  wanted: Parameters<CohortRepository['read']>[1],
  version?: number,
) {
  const found = await repository.read(layout, wanted, version);
  return found && { blocks: plain(found.blocks), ...(found.state && { state: shown(found.state) }) };
}

/** Blocks of the range, unless a block is partly in it. */
async function arrange(
  repository: CohortRepository,
  layout: string,
  { parts, planes: some, from, to }: Range,
  isStale: boolean,
  content: number,
): Promise<unknown> {
  const found = await repository.read(layout, { ...everything, parts });
  const partly = found?.blocks.some((one) => one.from < to && one.to > from && (one.from < from || one.to > to));
  // Columns that were never added have no values.
  if (partly || to > (found?.state?.columns ?? 3)) return 'not so';
  const blocks = parts
    .filter((part) => part >= 0)
    .flatMap((part) =>
      some.map((plane): CohortBlock => {
        const placed = { part, plane, from, to, content: Uint8Array.of(content, part, plane) };
        return { ...placed, checksum: blockChecksum(placed) };
      }),
    );
  const version = (found?.state?.version ?? 0) - (isStale ? 1 : 0);
  return repository.arrange(layout, version, { parts, from, to }, blocks);
}

export const cohortHistories: History<CohortRepository, Step> = {
  contract: coverageCohorts,
  steps: (random) => random.list(8, 24, () => step(random)),
  transactions: true,
  async perform(repository, given) {
    switch (given.verb) {
      case 'use':
        return repository.use(given.layout, given.regions);
      case 'clear':
        return repository.clear(given.build);
      case 'add':
        return repository.add(given.layout, given.entry, given.blocks);
      case 'read': {
        const { parts, planes: some, from, to } = given.range;
        const version = given.knows ? (await repository.state(buildOf(given.layout)))?.version : -1;
        return read(
          repository,
          given.layout,
          { parts, planes: some, ...(given.isBounded && { columns: { from, to } }) },
          version,
        );
      }
      case 'arrange':
        return arrange(repository, given.layout, given.range, given.isStale, given.content);
      case 'overwritten':
        return repository.overwritten(given.layout, given.columns);
      case 'sweep':
        // The reference has nothing to free.
        await repository.sweep();
        return undefined;
      default:
        return repository[given.verb](given.samples);
    }
  },
  async all(repository) {
    const seen: unknown[] = [await repository.layouts()];
    for (const build of builds) {
      const state = await repository.state(build);
      seen.push(state && shown(state));
    }
    for (const id of ids) {
      seen.push(
        await read(repository, id, everything),
        (await repository.regions(id))?.map((piece) => [...piece]),
      );
    }
    return seen;
  },
};
