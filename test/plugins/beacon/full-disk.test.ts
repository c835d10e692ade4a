import { expect } from 'chai';
import { isFault, type Storage } from '../../../core/storage.js';
import { type BeaconRepository, beacon } from '../../../plugins/beacon/contract.js';
import { probe, probeOptions } from '../../adapters/storage/support/probe.js';
import { sqlite } from '../../support/storages.js';
import { useOnce } from '../../support/use.js';
import { dataset } from './support/serve.js';

describe('beacon: a deletion on a full disk (SQLite)', () => {
  const opened = useOnce(() => sqlite.open([beacon, probe], probeOptions));
  let storage: Storage;
  let repository: BeaconRepository;

  before(async () => {
    storage = opened.storage;
    repository = storage.repository(beacon);
  });

  /** Limits the number of pages of the file; SQLite reports growth beyond it like a full disk. */
  async function pages(most: number): Promise<number> {
    const { write } = storage.repository(probe);
    await write.raw(`pragma max_page_count = ${most}`);
    const [row] = (await write.raw('pragma page_count')) as { page_count: number }[];
    return row?.page_count ?? 0;
  }

  it('succeeds, or changes nothing and says what to do; afterwards it succeeds', async () => {
    await repository.addDataset(dataset('ds'), new Date(0));
    const samples = Array.from({ length: 3 }, (_, i) => `s${i}`);
    const alleles = Array.from({ length: 20_000 }, (_, start) => ({
      contig: '1' as const,
      start,
      end: start + 1,
      reference: 'A',
      alternate: 'C',
      kind: 'SNP',
      structural: false,
      carriers: samples.map((_, i): [number, number] => [i, 1]),
    }));
    async function* batches() {
      yield alleles;
    }
    await repository.importAlleles({ dataset: 'ds', samples, alleles: batches() }, new Date(0));
    await pages(await pages(2 ** 31));
    const failure: unknown = await repository.removeSamples('ds', ['s1'], new Date(1)).catch((error: unknown) => error);
    expect(isFault(failure) && [failure.code, failure.message.replace(/^The database file \S+ /, '')]).to.deep.equal([
      'unavailable',
      'cannot grow: the disk is full. Nothing was changed; free some space and try again, to delete something too',
    ]);
    expect(await repository.dataset('ds')).to.include({ sampleCount: 3, callCount: 60_000, alleleCount: 20_000 });
    expect(await repository.recount('ds')).to.deep.equal({ alleles: 20_000, calls: 60_000, samples: 3 });

    await pages(2 ** 31);
    await repository.removeSamples('ds', ['s1'], new Date(1));
    expect(await repository.recount('ds')).to.deep.equal({ alleles: 20_000, calls: 40_000, samples: 2 });
  });
});
