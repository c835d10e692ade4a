/** The three commands as typed, in separate processes. */
import { expect } from 'chai';
import { useFolder } from '../../support/folder.js';
import { typedCommands } from '../../support/typed.js';
import { dataset, samples, variant } from './support/cgbeacon2.js';
import { table } from './support/chanjo2.js';
import { lines } from './support/site.js';

describe('migration commands', function () {
  this.timeout(120_000);
  const folder = useFolder();

  const { run, json, failure } = typedCommands(() => ({
    cwd: folder.path(),
    env: { TREFOIL_SQLITE_FILE: `${folder.path()}/t.sqlite` },
  }));

  it('coverage import-chanjo2', async () => {
    const gene = { chromosome: 'MT', start: 1, stop: 10, ensembl_ids: '["ENSG00000000001"]', build: 'GRCh38' };
    const genes = await folder.write('genes.tsv', table('genes', [gene]));
    const command = ['coverage', 'import-chanjo2', '--genes', genes];
    for (const build of [[], ['--build', 'grch38']]) {
      const { stdout } = await run(...command, ...build, '--dry-run');
      expect(stdout).to.equal('GRCh38: would be loaded\n  1 genes from 1 rows\n');
    }
    expect((await json(...command)).builds[0].outcome).to.equal('loaded');
    expect(await failure(1, ...command.slice(0, 3), folder.path())).to.match(/is a directory/);
    expect(await failure(2, ...command, '--build', 'hg19')).to.match(/--build/);
  });

  it('matchmaker import-patientmatcher', async () => {
    const patient = {
      _id: 'P1',
      id: 'P1',
      contact: { name: 'A', href: 'mailto:a@example.org' },
      features: [{ id: 'HP:0001250' }],
    };
    const patients = await folder.write(
      'patients.json',
      lines([patient, { ...patient, _id: 'P2', id: 'P2', sex: 'x' }]),
    );
    const command = ['matchmaker', 'import-patientmatcher', '--patients', patients, '--owner', 'scout'];
    expect((await json(...command, '--dry-run')).patients).to.include({ added: 1, left: 1 });
    expect((await run(...command)).stdout).to.equal(
      [
        'Patients: of 2, 1 added, 0 replaced, 0 unchanged, 1 left out',
        '  Not imported:',
        '    1: sex must be one of FEMALE, MALE, OTHER, MIXED_SAMPLE, NOT_APPLICABLE (P2)',
        '',
      ].join('\n'),
    );
    expect(await failure(1, ...command.slice(0, 4))).to.match(/--owner/);
    expect(await failure(2, ...command, '--scope', 'all')).to.match(/--scope/);
  });

  it('beacon import-cgbeacon2', async () => {
    const datasets = await folder.write('dataset.json', lines([dataset('ds', { samples: ['a'] })]));
    const variants = await folder.write(
      'variant.json',
      lines([variant({ place: '1:99', end: 100, alleles: 'A>C', type: 'SNP', datasetIds: { ds: samples('a1') } })]),
    );
    const users = await folder.write('user.json', lines([{ _id: 'scout', token: 'a-token-of-some-length' }]));
    const command = ['beacon', 'import-cgbeacon2', '--datasets', datasets, '--variants', variants, '--users', users];
    expect((await json(...command, '--dry-run')).variants.datasets[0]).to.not.have.property('added');
    const told = await run(...command);
    expect(told.stdout).to.equal(
      [
        'Users: of 1, 1 added, 0 unchanged',
        'Datasets: of 1, 1 added, 0 here already, 0 left out',
        'Alleles: 1 document',
        '  ds: 1 allele, 1 call, 1 sample; added 1 allele, 1 call, 1 sample',
        '',
      ].join('\n'),
    );
    expect(told.stdout + told.stderr).to.not.contain('a-token-of-some-length');
    expect(await failure(1, 'beacon', 'import-cgbeacon2', '--users', variants.replace('variant', 'absent'))).to.match(
      /no such file/,
    );
  });
});
