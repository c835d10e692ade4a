/** Known sites are loaded, replaced, listed and deleted by commands. */
import { expect } from 'chai';
import { coverageSites } from '../../../../plugins/coverage/contract.js';
import { coverageServer } from '../../../crash/changes/coverage.js';
import { openPlace, type Place } from '../../../crash/harness.js';
import { sqlite } from '../../../support/storages.js';
import { record, vcf } from './support.js';

describe('coverage: known sites by commands', () => {
  let place: Place;
  before(async () => {
    place = await openPlace(sqlite, coverageServer);
    await place.write('clinvar.vcf', vcf([record('1 100 old G A'), record('1 101 old G A')]));
    await place.write('next.vcf', vcf([record('1 200 new G A'), record('1 201 new G A'), record('2 5 new G A')]));
  });
  after(() => place.close());

  const run = (words: string) => place.run(words.split(' '));
  const found = async () => {
    const places = [{ chromosome: '1' as const, start: 0, end: 1000 }];
    const { sets, sites } = await place.storage.repository(coverageSites).find('GRCh38', { places, genes: [] });
    return [...sets.map(({ release }) => release), ...sites.map(({ id, start }) => `${id} ${start}`)];
  };

  it('are replaced, listed and deleted', async () => {
    const loaded = await run('coverage load-sites --vcf clinvar.vcf --release 2026-10');
    expect([loaded.code, loaded.stdout.split('\n')[0]]).to.deep.equal([0, 'ClinVar 2026-10, GRCh38: 2 sites']);
    expect(await found()).to.deep.equal(['2026-10', 'old 99', 'old 100']);
    const next = await run('coverage load-sites --vcf next.vcf --release 2026-11 --json');
    expect(JSON.parse(next.stdout)).to.deep.include({ release: '2026-11', sites: 3, source: 'next.vcf' });
    expect(await found()).to.deep.equal(['2026-11', 'new 199', 'new 200']);

    const refused = await run('coverage load-sites --vcf missing.vcf');
    expect([refused.code, refused.stderr]).to.deep.equal([1, 'trefoil: missing.vcf: no such file\n']);
    const listed = await run('coverage list sites');
    expect(listed.stdout).to.match(/^ClinVar 2026-11, GRCh38: 3 sites\n {2}next\.vcf, loaded /);
    expect((await run('coverage delete sites --name ClinVar --build GRCh37 --yes')).code).to.equal(1);
    expect((await run('coverage delete sites --name ClinVar --build GRCh38')).code).to.equal(1);
    expect(await found()).to.have.lengthOf(3);
    expect((await run('coverage delete sites --name ClinVar --build grch38 --yes')).code).to.equal(0);
    expect(await found()).to.deep.equal([]);
    expect((await run('coverage list sites')).stdout).to.equal('No known sites are loaded: use load-sites.\n');
  });
});
