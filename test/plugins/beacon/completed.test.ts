/** What an adapter may leave out of beacon@1. */
import { expect } from 'chai';
import { type BeaconStorage, beacon, beaconOf } from '../../../plugins/beacon/contract.js';
import { memorySubject } from '../../kit/memory.js';

describe('a storage of the beacon that is not complete', () => {
  it('is refused without `moment` if it lacks a read, and keeps the verbs that it has', async () => {
    const { storage } = await memorySubject.open([beacon]);
    const { moment: _, search, leftovers, ...rest } = storage.repository(beacon) as BeaconStorage;
    expect(() => beaconOf({ ...rest })).to.throw('The storage lacks verbs of beacon@1: moment, or else search');
    const recount = async () => ({ alleles: 1, calls: 2, samples: 3 });
    const whole = beaconOf({ ...rest, ...(search && { search }), recount });
    expect(await whole.leftovers()).to.equal(0);
    expect(await whole.recount('none')).to.deep.equal({ alleles: 1, calls: 2, samples: 3 });
    await storage.close();
  });
});
