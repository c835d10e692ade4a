/** The making of callable tracks, killed: the answers stay the same, and what was begun is ended by the next attempt. */
import { expect } from 'chai';
import { coverageSamples, coverageTracks } from '../../../../plugins/coverage/contract.js';
import { WorkQueue } from '../../../../plugins/coverage/measure/work-queue.js';
import { createCallability } from '../../../../plugins/coverage/samples/callability/callability.js';
import { removeSamples } from '../../../../plugins/coverage/samples/changes.js';
import { trackFollower } from '../../../../plugins/coverage/samples/tracks/make-tracks.js';
import { steps, thorough } from '../../../support/steps.js';
import { sqlite, storages } from '../../../support/storages.js';
import { store } from '../callability/support.js';
import { useCommands } from '../support/commands.js';

const rebuild = ['coverage', 'rebuild', 'tracks'];
const making = steps.track.filter((step) => step !== 'coverage.track.removed');
const tried = thorough ? making : making.slice(-1);

/** All cover base 5 of chromosome 1; those with an even number also base 6. */
function people(from: number, to: number) {
  return Array.from({ length: to - from }, (_, i) => {
    const stretch = { chromosome: '1' as const, start: 5, depths: (from + i) % 2 === 0 ? [10, 10] : [10, 9] };
    return { id: `s${from + i}`, stretches: [stretch] };
  });
}

for (const engine of thorough ? storages : [sqlite]) {
  describe(`coverage: the making of tracks killed at a step (${engine.name})`, function () {
    this.timeout(120_000); // several processes
    const { storage, run, runKilled } = useCommands(engine);

    async function counts(samples: number): Promise<(readonly number[])[]> {
      const service = createCallability({
        samples: storage().repository(coverageSamples),
        tracks: storage().repository(coverageTracks),
        queue: new WorkQueue(),
        memory: 2 ** 20,
      });
      const groups = [people(0, samples).map(({ id }) => id)];
      const places = [5, 6].map((start) => ({ chromosome: '1' as const, intervals: [{ start, end: start + 1 }] }));
      const question = { build: 'GRCh38' as const, threshold: 10, groups, places };
      return (await service.covered(question, new AbortController().signal)).places.map(({ covered }) => covered);
    }

    const members = async () => {
      const tracks = storage().repository(coverageTracks);
      const found = await tracks.find((await tracks.published()).map(({ id }) => id));
      return found.map((track) => track.members.length);
    };

    for (const step of tried) {
      it(step, async () => {
        const samples = storage().repository(coverageSamples);
        await store(samples, people(0, 8));
        const first = await run(rebuild);
        expect(first.stdout + first.stderr).to.include('Made 1 track');
        expect(await members()).to.deep.equal([8]);
        await store(samples, people(8, 16));
        await runKilled(step, rebuild);
        expect(await members()).to.deep.equal([8]);
        expect(await counts(16)).to.deep.equal([[16], [8]]);
        const again = await run(rebuild);
        expect(again.stdout + again.stderr).to.include('Callable tracks of GRCh38 at 10x: 16 samples in 1 track');
        expect(await members()).to.deep.equal([16]);
        expect(await counts(16)).to.deep.equal([[16], [8]]);
        // A removed sample takes its track with it.
        const registry = { samples, followers: [trackFollower], transaction: storage().transaction.bind(storage()) };
        await removeSamples(registry, ['s15']);
        expect(await members()).to.deep.equal([]);
        expect(await counts(15)).to.deep.equal([[15], [8]]);
      });
    }
  });
}
