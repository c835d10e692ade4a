/**
 * Random loads, replacements, removals, erasures, references and publications of a protected dataset, beside one without protection
 * in which the same happens, what waits with each publication: after it both have the same alleles, consequences and phases.
 */
import { Readable } from 'node:stream';
import { expect } from 'chai';
import fc from 'fast-check';
import { sourceOf } from '../../../../core/files.js';
import type { Storage } from '../../../../core/storage.js';
import {
  alleleKey,
  type BeaconRepository,
  beacon,
  beaconConsequences,
  beaconDepths,
  beaconProtection,
  type Dataset,
  pairNumber,
} from '../../../../plugins/beacon/contract.js';
import { type ReferenceForm, referenceForm } from '../../../../plugins/beacon/domain/dataset-forms.js';
import { beaconEraser } from '../../../../plugins/beacon/eraser.js';
import { loadVariants } from '../../../../plugins/beacon/loading/load.js';
import { permitAll } from '../../../../plugins/beacon/loading/permit.js';
import type { Generations } from '../../../../plugins/beacon/protection/generations.js';
import { protectionSettings } from '../../../../plugins/beacon/protection/profiles.js';
import { pruneMarked, withAllKept } from '../../../../plugins/beacon/vcf/consequences/kept.js';
import { withReferences } from '../../../../plugins/beacon/vcf/reference/aligned.js';
import { fewer } from '../../../support/sample.js';
import { engines } from '../support/engines.js';
import { annotationsOn, generationsOn } from '../support/generations.js';
import { referenceOf } from '../support/reference.js';
import { dataset } from '../support/serve.js';
import { vcf } from '../support/vcf.js';

const runs = fewer(6 * Number(process.env.TEST_HISTORIES ?? 1), 2);

const names = ['a', 'b', 'c', 'e', 'f'];
const sequence = `G${'CA'.repeat(6)}TGG${'T'.repeat(6)}${'ACG'.repeat(4)}AAGGCCTTAAGG`;
const genome = referenceOf({ '1': sequence });
const settings = protectionSettings.parse({ datasets: { d: { batch: 3 } } });

/** A record of a change that several records may write: `change` counts these. */
interface WrittenChange {
  change: number;
  contig: string;
  position: number;
  reference: string;
  alternate: string;
}

const written = (change: number, at: number, length: number, alternate: string, contig = '1'): WrittenChange => ({
  ...{ change, contig, position: at + 1 },
  ...{ reference: contig === 'MT' ? 'A' : sequence.slice(at, at + length), alternate },
});
const [units, run, tail] = [0, 16, 34];
const changes: readonly WrittenChange[] = [
  // One unit less, in five spellings, and one base more, in three; one less at a place of its own.
  ...[0, 2, 4, 6, 8].map((at) => written(0, units + at, 3, sequence[units + at] as string)),
  ...[0, 2, 4].map((at) => written(1, run + at, 1, `${sequence[run + at]}T`)),
  written(2, 22, 4, sequence[22] as string),
  written(2, 25, 4, sequence[25] as string),
  // Neighbours, whose phases are kept.
  ...[0, 1, 3].map((at) =>
    written(3 + at, tail + at, 1, 'ACGT'.replace(sequence[tail + at] as string, '')[0] as string),
  ),
  written(7, 99, 1, 'G', 'MT'),
];
const genotypes = ['0/0', '0/1', '0|1', '1|0', '1|1'];

const call = fc.record({
  of: fc.constantFrom(...changes),
  genotypes: fc.array(fc.constantFrom(...genotypes), { minLength: 2, maxLength: 2 }),
});
const name = fc.constantFrom(...names);
const acts = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        names: fc.subarray(names, { minLength: 1, maxLength: 2 }),
        calls: fc.uniqueArray(call, { minLength: 2, maxLength: 8, selector: ({ of }) => of.change }),
        replace: fc.boolean(),
        isAnnotated: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ remove: name }) },
    { weight: 1, arbitrary: fc.record({ erase: name }) },
    { weight: 1, arbitrary: fc.constant({ takes: 'a reference' }) },
    { weight: 1, arbitrary: fc.constant({ publish: true }) },
  ),
  { minLength: 6, maxLength: 16 },
);

type Load = {
  names: string[];
  calls: { of: WrittenChange; genotypes: string[] }[];
  replace: boolean;
  isAnnotated: boolean;
};
type Act = Load | { remove: string } | { erase: string } | { takes: string } | { publish: boolean };

const csq =
  '##INFO=<ID=CSQ,Number=.,Type=String,Description="Annotations from VEP. Format: Allele|Consequence|SYMBOL|HGNC_ID|HGVSp">';
const terms = ['stop_gained', 'missense_variant', 'synonymous_variant'];

/** What is said of an allele depends on the change, however it is written. */
function annotationOf({ change, reference, alternate }: WrittenChange): string {
  const [shorter, longer] = [alternate.length < reference.length, alternate.length > reference.length];
  const allele = shorter ? '-' : longer ? alternate.slice(1) : alternate;
  return `CSQ=${allele}|${terms[change % 3]}|G${change % 2}|${100 + (change % 2)}|p.Ala${change}Val`;
}

/** Of an insertion or deletion each sample has as many copies in all files: which of several forms counts is not the question here. */
function genotypeOf(sample: string, { change, contig, reference, alternate }: WrittenChange, genotype = '0/0'): string {
  if (contig === 'MT') return '0/1:20:0.3';
  const carries = genotype !== '0/0' && reference.length !== alternate.length;
  return `${carries ? genotypes[1 + ((sample.charCodeAt(0) + change) % 4)] : genotype}:20:0.5`;
}

function textOf({ names: samples, calls, isAnnotated }: Load): string {
  const sorted = [...calls].sort(({ of: one }, { of: other }) =>
    one.contig === other.contig ? one.position - other.position : one.contig.length - other.contig.length,
  );
  const records = sorted.map(({ of, genotypes: own }) => {
    const info = isAnnotated ? annotationOf(of) : '.';
    const columns = samples.map((sample, i) => genotypeOf(sample, of, own[i])).join(' ');
    return `${of.contig} ${of.position} . ${of.reference} ${of.alternate} . . ${info} GT:DP:AF ${columns}`;
  });
  return vcf({ samples, records, header: isAnnotated ? ['##VEP="v110"', csq] : [] });
}

for (const engine of engines) {
  describe(`beacon: a protected dataset beside one that is not (${engine.name})`, function () {
    this.timeout(600_000);

    it('has the same after each publication, whatever waited for it', async () => {
      const contracts = [beacon, beaconConsequences, beaconDepths, beaconProtection];
      const { storage, discard } = await engine.open(contracts);
      try {
        await fc.assert(
          fc.asyncProperty(acts, async (history) => {
            for (const id of ['d', 'twin']) {
              await storage.repository(beacon).removeDataset(id);
              await storage.repository(beaconConsequences).remove(id);
              await storage.repository(beaconDepths).remove(id);
              await storage.repository(beacon).addDataset(dataset(id), new Date());
            }
            await storage.repository(beaconProtection).drop('d');
            const twins = new Twins(storage);
            for (const act of [...history, { publish: true }]) await twins.perform(act);
          }),
          { numRuns: runs },
        );
      } finally {
        await storage.close();
        await discard?.();
      }
    });
  });
}

class Twins {
  readonly #storage: Storage;
  readonly #repository: BeaconRepository;
  readonly #made: Generations;
  readonly #loading;
  #form: ReferenceForm | undefined;
  #publications = 0;
  #compared = 0;
  /** Whether the twin follows a publication. */
  #isPublishing = false;
  // Two imports of one moment would be one.
  #moment = Date.now();
  /** Of the twin. */
  readonly #loads: Load[] = [];
  readonly #leaving = new Set<string>();

  constructor(storage: Storage) {
    this.#storage = storage;
    const references = { of: () => this.#form && genome } as Parameters<typeof withReferences>[1];
    const formOf = () => this.#form;
    const depths = storage.repository(beaconDepths);
    const own = storage.repository(beaconConsequences);
    const consequences: typeof own = {
      ...own,
      prune: async (...given) => (this.#isPublishing ? undefined : own.prune(...given)),
    };
    const kept = { depths, consequences, formOf };
    this.#repository = withAllKept(withReferences(storage.repository(beacon), references), kept);
    const options = { repository: this.#repository, settings, formOf };
    const stored = storage.repository(beaconProtection);
    const protection: typeof stored = {
      ...stored,
      publish: async (...publishing) => {
        const isDone = await stored.publish(...publishing);
        if (isDone) this.#publications++;
        return isDone;
      },
    };
    this.#made = generationsOn(storage, { ...options, protection, now: this.#now });
    this.#loading = {
      ...{ repository: this.#repository, references, generations: this.#made, permit: permitAll },
      consequences: { ...annotationsOn(storage, options), consequences },
      depths: { repository: this.#repository, depths, calls: async () => undefined, names: true },
    };
  }

  readonly #now = () => new Date(this.#moment++);

  async #dataset(id: string): Promise<Dataset> {
    return (await this.#repository.dataset(id)) as Dataset;
  }

  async perform(act: Act): Promise<void> {
    const before = this.#publications;
    if ('names' in act) await this.#load(act);
    else if ('remove' in act) {
      const { postponed } = await this.#made.remove(await this.#dataset('d'), [act.remove]);
      this.#drop(act.remove);
      if (postponed > 0) this.#leaving.add(act.remove);
      else await this.#made.remove(await this.#dataset('twin'), [act.remove]);
    } else if ('erase' in act) await this.#erase(act.erase);
    else if ('takes' in act) {
      this.#form = referenceForm(genome);
      await this.#made.rewrite(await this.#dataset('d'));
    } else await this.#made.publish(await this.#dataset('d'));
    // With the publication, unless nothing is published: until then two spellings are two alleles.
    if ((await this.#dataset('d')).alignedTo !== undefined) await this.#made.rewrite(await this.#dataset('twin'));
    if (this.#publications === before) return;
    // It is one change: what is carried before and after it keeps what is known of it.
    this.#isPublishing = true;
    for (const load of this.#loads.splice(0)) await this.#loadInto('twin', load);
    if (this.#leaving.size > 0) await this.#made.remove(await this.#dataset('twin'), [...this.#leaving]);
    this.#leaving.clear();
    this.#isPublishing = false;
    await pruneMarked(this.#loading.consequences, 'twin');
    // The first publication is of what there is before protection begins, or before a load.
    if (!('names' in act) || this.#compared++ > 0) await this.#compare();
  }

  async #load(load: Load): Promise<void> {
    const [outcome] = await Promise.allSettled([this.#loadInto('d', load)]);
    if (outcome?.status === 'rejected') {
      expect(outcome.reason).to.have.property('code', 'unprocessable');
      return;
    }
    if (outcome?.value.postponed) this.#loads.push(load);
    else await this.#loadInto('twin', load);
  }

  async #loadInto(id: string, load: Load) {
    const bytes = Buffer.from(textOf(load));
    const source = sourceOf('new.vcf', bytes.length, () => Readable.from([bytes], { objectMode: false }));
    return loadVariants({
      ...this.#loading,
      dataset: await this.#dataset(id),
      sources: [source],
      samples: [],
      ...(load.replace && { replace: { force: true } }),
      now: this.#now(),
    });
  }

  #drop(sample: string): void {
    for (const [i, load] of [...this.#loads.entries()].reverse()) {
      const at = load.names.indexOf(sample);
      if (at < 0) continue;
      const calls = load.calls.map((one) => ({ ...one, genotypes: one.genotypes.filter((_, place) => place !== at) }));
      const rest = { ...load, names: load.names.filter((other) => other !== sample), calls };
      if (rest.names.length > 0) this.#loads.splice(i, 1, rest);
      else this.#loads.splice(i, 1);
    }
  }

  async #erase(id: string): Promise<void> {
    const [repository, storage] = [this.#repository, this.#storage];
    const [depths, consequences] = [storage.repository(beaconDepths), storage.repository(beaconConsequences)];
    const eraser = beaconEraser({ repository, generations: this.#made, depths, consequences, now: this.#now });
    await eraser.erase([{ id, holder: 'own', scope: 'all' }]);
    this.#drop(id);
    this.#leaving.delete(id);
  }

  async #compare(): Promise<void> {
    const consequences = this.#storage.repository(beaconConsequences);
    expect(await consequences.unsettled()).to.deep.equal([]);
    expect(await this.#seen('d')).to.deep.equal(await this.#seen('twin'));
  }

  /** All that answers are made of. */
  async #seen(id: string) {
    const consequences = this.#storage.repository(beaconConsequences);
    const depths = this.#storage.repository(beaconDepths);
    const repository = this.#storage.repository(beacon);
    const { alleleCount, callCount, sampleCount, alignedTo } = await this.#dataset(id);
    const alleles = [];
    for (const contig of ['1', 'MT'] as const) {
      const query = { assembly: 'GRCh37', contig, start: { min: 0, max: 9999 } } as const;
      const [found] = await repository.found(query, [id], { limit: 10_000, carriers: true });
      alleles.push(...(found?.alleles ?? []));
    }
    const fractions = await repository.fractions(id, alleles);
    const pairs = changes.flatMap((one) =>
      changes.map((other) => {
        const substitutions = [one, other].map(({ position, alternate }) => ({ start: position - 1, alternate }));
        return pairNumber('1', ...(substitutions as [never, never])) ?? 0;
      }),
    );
    const phases = await depths.findPhases(id, [...new Set(pairs)], names);
    const genes = [];
    for (const symbol of ['G0', 'G1']) {
      const { alleles: own } = await consequences.ofGene(id, { symbol });
      genes.push(own.map(({ allele, ...said }) => ({ allele: alleleKey(allele), ...said })));
    }
    return {
      ...{ alleleCount, callCount, sampleCount, alignedTo },
      carriers: alleles.map(({ named = [], ...allele }) => [alleleKey(allele), [...named].sort()]),
      fractions: fractions.map((one) => [...one].sort()),
      said: (await consequences.find(id, alleles)).map(({ allele, ...said }) => [alleleKey(allele), said]),
      genes,
      sources: (await consequences.sources(id)).map(({ loaded: _, ...source }) => source),
      phases: [...phases].map(([sample, own]) => [sample, [...own].sort()]).sort(),
      depths: [...(await depths.find(id, 'GRCh37', names))].sort(),
    };
  }
}
