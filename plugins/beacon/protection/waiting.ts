/** Loads that wait for the next publication of a protected dataset, in tables of beacon-protection@1. */
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  bytes,
  defineTable,
  Fault,
  generated,
  integer,
  json,
  optional,
  person,
  type RowOf,
  type Tables,
  text,
  time,
} from '../../../core/storage.js';
import { ofSamples } from '../domain/allele.js';
import type { Search } from '../domain/sample.js';
import type { AnnotatedCall } from '../vcf/consequences/contract.js';
import { type Phase, type PhasesOfSamples, phaseNames } from '../vcf/depths/contract.js';
import type { ProtectionRepository } from './contract.js';

/** `created`: of the dataset. `search` is absent as long as a load is not complete, and `pieces` 0. */
const waiting = defineTable({
  name: 'beacon_protection_loads',
  columns: {
    number: generated(),
    dataset: text(),
    created: time(),
    begun: time(),
    samples: person(json<readonly string[]>()),
    search: optional(json<Search>()),
    pieces: integer(),
  },
  key: ['number'],
  indexes: [['dataset']],
});

/** Alleles with their carriers by index, or phases (`WaitingPhases`), as compressed JSON. */
const pieces = defineTable({
  name: 'beacon_protection_pieces',
  columns: { load: integer(), piece: integer(), content: person(bytes()) },
  key: ['load', 'piece'],
});

/** Datasets that change for a publication. */
const holds = defineTable({ name: 'beacon_protection_holds', columns: { dataset: text() }, key: ['dataset'] });

export const waitingTables = [waiting, pieces, holds] as const;

type LoadRow = RowOf<typeof waiting.columns>;

/** Of samples by index: the number of each pair, times four, and the place of its phase in `phaseNames`. */
interface WaitingPhases {
  phases: readonly (readonly [sample: number, pairs: readonly number[]])[];
}

/** Characters of JSON in a piece, about: compressed it is a tenth of them. */
const pieceLength = 2 ** 20;
/** Pairs in a piece of phases. */
const piecePairs = 2 ** 16;
const dayMs = 86_400_000;

/** The verbs of beacon-protection@1 about loads. */
export function waitingVerbs(
  tables: Tables,
): Pick<
  ProtectionRepository,
  | 'hold'
  | 'beginLoad'
  | 'addToLoad'
  | 'addPhasesToLoad'
  | 'endLoad'
  | 'loads'
  | 'allelesOfLoad'
  | 'phasesOfLoad'
  | 'dropFromLoads'
> {
  const add = (number: number, content: Uint8Array) =>
    tables.transaction(async (inside) => {
      await lockLoad(inside, number);
      const piece = await inside.table(pieces).count({ load: number });
      await inside.table(pieces).add({ load: number, piece, content });
    });
  return {
    async hold(dataset) {
      await tables.table(holds).put({ dataset }, []);
    },

    beginLoad: ({ dataset, created, samples }, now) =>
      tables.transaction(async (inside) => {
        const begun = { below: new Date(now.getTime() - dayMs) };
        await removeLoads(inside, await inside.table(waiting).lock({ begun, pieces: 0 }));
        const row = await inside.table(waiting).add({ dataset, created, begun: now, samples, pieces: 0 });
        return (row as LoadRow).number;
      }),

    async addToLoad(number, alleles) {
      for (const content of contentsOf(alleles)) await add(number, content);
    },

    async addPhasesToLoad(number, phases) {
      const load = await tables.table(waiting).one({ number }, { latest: true });
      if (load === undefined) throw forgotten();
      for (const content of contentsOfPhases(load.samples, phases)) await add(number, content);
    },

    endLoad: (number, search) =>
      tables.transaction(async (inside) => {
        if (search === undefined) return removeLoads(inside, await inside.table(waiting).lock({ number }));
        await lockLoad(inside, number);
        // One more than there are, so that a load without alleles is complete, too.
        const count = await inside.table(pieces).count({ load: number });
        await inside.table(waiting).change({ number }, { search, pieces: count + 1 });
      }),

    async loads({ dataset, created }) {
      const found = await tables.table(waiting).find({ where: { dataset, created }, order: ['number'], latest: true });
      return found.flatMap(({ number, samples, search }) => (search ? [{ number, samples, search }] : []));
    },

    async *allelesOfLoad(number) {
      const load = () => tables.table(waiting).one({ number }, { latest: true });
      const before = await load();
      let read = 1;
      for await (const { content } of tables.table(pieces).each({ where: { load: number }, latest: true })) {
        read++;
        const piece = pieceOf(content);
        if (!('phases' in piece)) yield piece;
      }
      const after = await load();
      // Pieces are neither lost nor, since a sample was taken out in the meantime, those of another sample.
      if (after?.pieces !== read || after.samples.join('\0') !== before?.samples.join('\0')) throw forgotten();
    },

    phasesOfLoad: (number) =>
      tables.transaction(async (inside) => {
        const phases = new Map<string, Map<number, Phase>>();
        const [{ samples } = { samples: [] }] = await inside.table(waiting).lock({ number });
        for await (const { content } of inside.table(pieces).each({ where: { load: number } })) {
          const piece = phasesOfPiece(content);
          for (const [sample, stored] of piece?.phases ?? []) {
            const name = samples[sample] ?? '';
            const own = phases.get(name) ?? new Map<number, Phase>();
            for (const one of stored) own.set(Math.floor(one / 4), phaseNames[one % 4] as Phase);
            phases.set(name, own);
          }
        }
        return phases;
      }),

    dropFromLoads: (dataset, samples) =>
      tables.transaction(async (inside) => takeOut(inside, await inside.table(waiting).lock({ dataset }), samples)),
  };
}

/** Takes samples out of the loads of all datasets. */
export async function forgetInLoads(inside: Tables, samples: readonly string[]): Promise<void> {
  await takeOut(inside, await inside.table(waiting).lock({}), samples);
}

/** Forgets the loads of a dataset, and that it changes. */
export async function dropLoads(inside: Tables, dataset: string): Promise<void> {
  await removeLoads(inside, await inside.table(waiting).lock({ dataset }));
  await inside.table(holds).remove({ dataset });
}

/** Forgets loads that are brought by a publication, which ends the change of the dataset; returns their samples. */
export async function endLoads(inside: Tables, dataset: string, numbers: readonly number[]): Promise<Set<string>> {
  const brought = await inside.table(waiting).lock({ dataset, number: { among: numbers } });
  await removeLoads(inside, brought);
  await inside.table(holds).remove({ dataset });
  return new Set(brought.flatMap(({ samples }) => samples));
}

/** The datasets that change. */
export async function heldDatasets(tables: Tables): Promise<Set<string>> {
  return new Set((await tables.table(holds).find({ latest: true })).map(({ dataset }) => dataset));
}

async function lockLoad(inside: Tables, number: number): Promise<LoadRow> {
  const [row] = await inside.table(waiting).lock({ number });
  if (row === undefined) throw forgotten();
  return row;
}

function forgotten(): Fault {
  return new Fault('conflict', 'A sample of the load was removed in the meantime: repeat it');
}

async function removeLoads(inside: Tables, loads: readonly LoadRow[]): Promise<void> {
  const numbers = loads.map(({ number }) => number);
  if (numbers.length === 0) return;
  await inside.table(waiting).remove({ number: { among: numbers } });
  await inside.table(pieces).remove({ load: { among: numbers } });
}

/** A load that is not complete goes as a whole: whoever adds to it knows its samples by index. */
async function takeOut(inside: Tables, loads: readonly LoadRow[], samples: readonly string[]): Promise<void> {
  const gone = new Set(samples);
  for (const load of loads) {
    const left = load.samples.filter((sample) => !gone.has(sample));
    if (left.length === load.samples.length) continue;
    if (left.length === 0 || load.search === undefined) {
      await removeLoads(inside, [load]);
      continue;
    }
    const places = new Map(left.map((sample, i) => [sample, i]));
    const moved = load.samples.map((sample) => places.get(sample));
    for await (const { piece, content } of inside.table(pieces).each({ where: { load: load.number } })) {
      const rest = restOf(pieceOf(content), moved);
      await inside.table(pieces).put({ load: load.number, piece, content: compressed(JSON.stringify(rest)) });
    }
    await inside.table(waiting).change({ number: load.number }, { samples: left });
  }
}

function pieceOf(content: Uint8Array): readonly AnnotatedCall[] | WaitingPhases {
  return JSON.parse(gunzipSync(content).toString('utf8'));
}

/** Undefined for a piece with alleles, a list, which is not read for it. */
function phasesOfPiece(content: Uint8Array): WaitingPhases | undefined {
  const text = gunzipSync(content);
  return text[0] === 0x5b /* [ */ ? undefined : JSON.parse(text.toString('utf8'));
}

/** What is left of a piece once samples have moved (`ofSamples`). */
function restOf(piece: ReturnType<typeof pieceOf>, moved: readonly (number | undefined)[]): ReturnType<typeof pieceOf> {
  if (!('phases' in piece)) {
    return ofSamples(piece, moved).map(({ annotation, ...call }: AnnotatedCall) =>
      annotation && call.carriers.length > 0 ? { ...call, annotation } : call,
    );
  }
  const phases = piece.phases.flatMap(([sample, pairs]) => {
    const place = moved[sample];
    return place === undefined ? [] : [[place, pairs] as const];
  });
  return { phases };
}

/** Phases in pieces of a bounded size. */
function* contentsOfPhases(samples: readonly string[], phases: PhasesOfSamples): Generator<Uint8Array> {
  for (const [sample, name] of samples.entries()) {
    const pairs = [...(phases.get(name) ?? [])].map(([pair, phase]) => pair * 4 + phaseNames.indexOf(phase));
    for (let from = 0; from < pairs.length; from += piecePairs) {
      const piece: WaitingPhases = { phases: [[sample, pairs.slice(from, from + piecePairs)]] };
      yield compressed(JSON.stringify(piece));
    }
  }
}

/** Alleles in pieces of a bounded size. */
function* contentsOf(alleles: readonly AnnotatedCall[]): Generator<Uint8Array> {
  let some: string[] = [];
  let length = 0;
  for (const allele of alleles) {
    const json = JSON.stringify(allele);
    some.push(json);
    length += json.length;
    if (length < pieceLength) continue;
    yield compressed(`[${some.join()}]`);
    [some, length] = [[], 0];
  }
  if (some.length > 0) yield compressed(`[${some.join()}]`);
}

function compressed(json: string): Uint8Array {
  return gzipSync(json, { level: 1 });
}
