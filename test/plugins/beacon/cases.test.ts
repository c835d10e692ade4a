/** Cases and other facts of samples: given by commands at load, listed, corrected, and removed by case. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { blockFolder } from '../../support/folder.js';
import { beaconBin } from '../../support/trefoil.js';
import { typedCommands } from '../../support/typed.js';
import type { Json } from './support/serve.js';
import { vcf } from './support/vcf.js';

describe('beacon: cases on the command line', function () {
  this.timeout(120_000);
  // The tests are steps: each goes on with what the one before left.
  const folder = blockFolder();

  async function write(name: string, text: string): Promise<string> {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  }

  const env = { TREFOIL_SQLITE_FILE: join(folder, 'cases.sqlite') };
  const { run: beacon, json, failure: failed } = typedCommands(() => ({ cwd: folder, script: beaconBin, env }));
  const failure = async (...args: string[]) => (await failed(1, ...args)).replace(/^beacon: /, '');

  /** Name, case, sex, affected and labels of every sample. */
  async function facts(...more: string[]): Promise<unknown[]> {
    const samples = (await json('list', 'samples', '--ds', 'ds', ...more)) as unknown as Json[];
    return samples.map(({ name, case: id, sex, affected, labels }) => [name, id, sex, affected, labels]);
  }

  const quoted = ['1 1 . A C . PASS . GT:GQ 0/1:40 0/1:40 1/1:40', '1 2 . A C . PASS . GT:GQ 0/1:5 0/0:40 0/0:40'];
  const trio = ['child', 'father', 'mother'];

  it('makes a dataset of observations, and changes its rules', async () => {
    const made = ['add', 'dataset', '--did', 'ds', '--name', 'Seen', '--authlevel', 'controlled'];
    expect(await failure(...made, '--gq', '30')).to.equal(
      "'gq' is a rule of datasets of observations: set 'observations'",
    );
    expect(await failure(...made, '--observations', '--gq', 'high')).to.equal(
      `'gq' must be a whole number from 0 to 1000 or 'none'; got "high"`,
    );
    expect((await json(...made, '--observations')).counting).to.deep.equal({
      quality: 20,
      passOnly: false,
      window: 2000,
    });
    const update = ['update', 'dataset', '--did', 'ds'];
    expect(await failure(...update, '--threshold', '0')).to.equal(
      `'threshold' must be a whole number of reads from 1 to 10000; got "0"`,
    );
    expect((await json(...update, '--threshold', '15')).counting).to.deep.include({ threshold: 15 });
    expect((await beacon('dataset', 'show', 'ds')).stdout).to.match(/^Observations: GQ ≥ 20, .*, covered at ≥ 15x$/m);
    await json(...update, '--no-observations');
    await json(...update, '--observations');
    expect(await json(...update, '--pass', '--window', '500')).to.deep.include({
      name: 'Seen',
      counting: { quality: 20, passOnly: true, window: 500 },
    });
    expect((await json(...update, '--gq', 'none', '--no-pass')).counting).to.deep.equal({
      passOnly: false,
      window: 500,
    });
    expect(await json(...update, '--no-observations', '--name', 'Other')).to.deep.include({ name: 'Other' });
    expect(await failure(...update, '--pass')).to.equal(
      "'pass' is a rule of datasets of observations: set 'observations'",
    );
    expect((await json(...update, '--observations', '--pass')).counting).to.deep.equal({
      quality: 20,
      passOnly: true,
      window: 2000,
    });
    expect((await beacon('dataset', 'list')).stdout).to.match(/GQ ≥ 20, PASS, window 2000\n$/);
    expect((await beacon('dataset', 'show', 'ds')).stdout).to.match(/^Observations: GQ ≥ 20, PASS, window 2000$/m);
    expect(await failure('update', 'dataset', '--did', 'none', '--pass')).to.equal("There is no dataset 'none'");
  });

  it('loads facts of one sample by options, and applies the rules of the dataset', async () => {
    const file = await write('trio.vcf', vcf({ samples: trio, records: quoted }));
    const add = ['add', 'variants', '--ds', 'ds', '--vcf', file];
    const one = ['--case', 'F1', '--sex', 'male', '--affected', 'yes', '--assay', 'WGS', '--run', 'R1'];
    expect(await failure(...add, ...one)).to.equal(
      'sex, affected, coverage_id, phenotypes and diseases describe one sample, and the load has 3: state them for each sample',
    );
    expect(await failure(...add, '--filter', 'all')).to.match(
      /^Dataset 'ds' takes only records that passed all filters/,
    );
    expect(await failure(...add, '--gq', '10')).to.match(/^Dataset 'ds' takes no genotypes with GQ below 20/);
    const { stdout } = await beacon(...add, '--sample', 'child', ...one);
    expect(stdout).to.contain("Added to dataset 'ds': 1 allele, 1 call, 1 sample\n");
    expect(stdout).to.contain('\n  skipped 1 genotypes with GQ below 20\n');
    expect(await facts()).to.deep.equal([['child', 'F1', 'male', true, { assay: 'WGS', run: 'R1' }]]);
    // The same again with one label more: others stay, and without facts all do.
    await beacon(...add, '--sample', 'child', '--kit', 'K');
    await beacon(...add, '--sample', 'child');
    expect(await facts()).to.deep.equal([['child', 'F1', 'male', true, { assay: 'WGS', run: 'R1', kit: 'K' }]]);
  });

  it('loads facts of several samples by a PED file', async () => {
    const add = ['add', 'variants', '--ds', 'ds', '--vcf', join(folder, 'trio.vcf')];
    const ped = (...lines: string[]) => write('family.ped', `${lines.join('\n')}\n`);
    const file = await ped('F1 child father mother 3 2', 'F1 child 0 0 1 2', 'F1 father 0', 'F1 mother 0 0 2 ill');
    expect(await failure(...add, '--ped', file)).to.equal(
      [
        `${file}: 4 mistakes`,
        '  line 1, column 5: sex must be 1 (male), 2 (female) or 0 (unknown); got "3"',
        '  line 2, column 2: the individual "child" is already on line 1',
        '  line 3, column 3: expected family, individual, father, mother, sex and phenotype, separated by tabs or blanks',
        '  line 4, column 6: phenotype must be 1 (unaffected), 2 (affected), 0 or -9 (unknown); got "ill"',
      ].join('\n'),
    );
    await ped('F1 child father mother 1 2', 'F1 father 0 0 1 1');
    expect(await failure(...add, '--ped', file)).to.equal(`${file}: no individual is called mother`);
    expect(await failure(...add, '--ped', file, '--case', 'F1')).to.match(/^--ped gives the case/);
    // Tabs, a comment, an individual that was not sequenced.
    await ped(
      '#Family\tId',
      'F1\tchild\tfather\tmother\t1\t2',
      'F1\tfather\t0\t0\t1\t1',
      'F1\tmother\t0\t0\t2\t-9',
      'F1\taunt\t0\t0\t2\t1',
    );
    await beacon(...add, '--ped', file, '--pipeline', 'P2');
    expect(await facts('--case', 'F1')).to.deep.equal([
      ['child', 'F1', 'male', true, { assay: 'WGS', run: 'R1', kit: 'K', pipeline: 'P2' }],
      ['father', 'F1', 'male', false, { pipeline: 'P2' }],
      ['mother', 'F1', 'female', null, { pipeline: 'P2' }],
    ]);
  });

  it('corrects facts by options, a PED file or a sheet, all of it or nothing', async () => {
    const update = ['update', 'samples', '--ds', 'ds'];
    expect(await failure(...update, '--sample', 'mother')).to.equal('Give what is to change, such as --case or --sex');
    expect(await failure(...update, '--sex', 'male')).to.match(
      /^Give --sample with what is to change, or --ped, or --sheet/,
    );
    expect(await failure(...update, '--sample', 'uncle', '--sex', 'male')).to.equal("Dataset 'ds' has no sample uncle");
    expect(
      await json(...update, '--sample', 'mother', '--affected', 'no', '--pipeline', '', '--run', 'R9'),
    ).to.deep.equal({
      dataset: 'ds',
      changed: 1,
    });
    expect((await facts())[2]).to.deep.equal(['mother', 'F1', 'female', false, { run: 'R9' }]);

    const sheet = (...lines: string[]) => write('s.tsv', `\uFEFF${lines.join('\r\n')}\r\n`);
    const file = await sheet('sample\tcase_id\tsex\tage', 'child\tF2\tmale\t3');
    expect(await failure(...update, '--sheet', file)).to.equal(
      `${file}, line 1, column 4: "age" is none of sample, case_id, sex, affected, assay, run, kit, pipeline, coverage_id, phenotypes, diseases, run_date, analysis_date`,
    );
    await sheet('sample\tcase_id\tsex', 'child\tF2\tboy', 'child\tF2', 'uncle\tF2\tmale\tx', 'uncle\tF2', '\tF2');
    expect(await failure(...update, '--sheet', file)).to.equal(
      [
        `${file}: 5 mistakes`,
        '  line 2, column sex: sex must be male, female or unknown; got "boy"',
        '  line 3, column sample: "child" is already on line 2',
        '  line 4, column 4: the header names only 3 columns',
        '  line 5, column sample: "uncle" is not in the dataset',
        '  line 6, column sample: the sample has no name',
      ].join('\n'),
    );
    expect((await facts())[0]).to.deep.include('F1');
    await sheet('affected\tsample\tcase_id', 'unknown\tchild\tF2', '\tfather\tF2');
    expect((await beacon(...update, '--sheet', file)).stdout).to.equal("Changed 2 samples of dataset 'ds'\n");
    const ped = await write('other.ped', 'F3 mother 0 0 0 2\nF3 cousin 0 0 1 1\n');
    expect((await beacon(...update, '--ped', ped)).stdout).to.equal("Changed 1 sample of dataset 'ds'\n");
    expect((await facts()).map((row) => (row as unknown[]).slice(0, 4))).to.deep.equal([
      ['child', 'F2', 'male', null],
      ['father', 'F2', 'male', false],
      ['mother', 'F3', 'unknown', true],
    ]);
    expect((await beacon('list', 'samples', '--ds', 'ds', '--case', 'F3')).stdout).to.match(
      /^SAMPLE +CASE +SEX +AFFECTED +ASSAY +RUN +KIT +PIPELINE +RUN_DATE +ANALYSIS_DATE +COVERAGE_ID +PHENOTYPES +DISEASES +SEARCHED FOR +ADDED\nmother +F3 +unknown +yes +- +R9( +-){7} +small +\d{4}-\d\d-\d\d\n$/,
    );
  });

  it('links samples to registered ones by a mapping file or an option', async () => {
    const update = ['update', 'samples', '--ds', 'ds'];
    const links = async () =>
      ((await json('list', 'samples', '--ds', 'ds')) as unknown as Json[]).map(({ name, coverageId }) => [
        name,
        coverageId,
      ]);
    const map = (...lines: string[]) => write('map.tsv', `${lines.join('\n')}\n`);
    expect(await links()).to.deep.equal(trio.map((name) => [name, name]));
    const file = await map('sample\tcoverage_id', 'child\tC1', 'father\tC1', `mother\t${'x'.repeat(201)}`, 'aunt\tC2');
    expect(await failure(...update, '--sheet', file)).to.equal(
      [
        `${file}: 3 mistakes`,
        '  line 3, column coverage_id: "C1" is already on line 2',
        '  line 4, column coverage_id: coverage_id must have no more than 200 characters',
        '  line 5, column sample: "aunt" is not in the dataset',
      ].join('\n'),
    );
    await map('sample\tcoverage_id', 'child\tC1', 'mother\tC3', 'father\t');
    expect((await beacon(...update, '--sheet', file)).stdout).to.equal("Changed 2 samples of dataset 'ds'\n");
    await json(...update, '--sample', 'mother', '--coverage-id', 'mother');
    expect(await failure(...update, '--sample', 'mother', '--coverage-id', ' ')).to.equal(
      '--coverage-id must not be empty',
    );
    expect(await links()).to.deep.equal([
      ['child', 'C1'],
      ['father', 'father'],
      ['mother', 'mother'],
    ]);
  });

  it('states phenotypes and diseases by options or phenopackets, and takes them back', async () => {
    const update = ['update', 'samples', '--ds', 'ds'];
    const seizure = { id: 'HP:0001250', label: 'Seizure' };
    const stated = async () =>
      ((await json('list', 'samples', '--ds', 'ds')) as unknown as Json[]).map(({ phenotypes, diseases }) => [
        phenotypes,
        diseases,
      ]);
    await json(...update, '--sample', 'child', '--phenotypes', 'HP:0001250=Seizure', '--diseases', 'OMIM:607208');
    expect(await stated()).to.deep.equal([
      [[seizure], [{ id: 'OMIM:607208' }]],
      [[], []],
      [[], []],
    ]);
    const packet = { subject: { id: 'mother' }, phenotypicFeatures: [{ type: seizure }] };
    const file = await write('mother.json', JSON.stringify(packet));
    expect((await beacon(...update, '--sheet', file)).stdout).to.equal("Changed 1 sample of dataset 'ds'\n");
    await json(...update, '--sample', 'child', '--phenotypes', '');
    expect(await stated()).to.deep.equal([
      [[], [{ id: 'OMIM:607208' }]],
      [[], []],
      [[seizure], []],
    ]);
    const row = (await beacon('list', 'samples', '--ds', 'ds')).stdout.split('\n').find((line) => /^mother/.test(line));
    expect(row).to.match(/ HP:0001250 +- +small /);
    expect(await failure(...update, '--sample', 'child', '--run-date', 'May')).to.equal(
      '--run-date must be a date such as 2026-01-31; got "May"',
    );
    expect(await failure(...update, '--sample', 'child', '--phenotypes', 'Seizure')).to.equal(
      'phenotypes: "Seizure" is not the id of a term, such as HP:0001250',
    );
  });

  it('deletes all samples of a case', async () => {
    const remove = ['delete', 'variants', '--ds', 'ds'];
    expect(await failure(...remove, '--yes')).to.equal('Give --sample or --case');
    expect(await failure(...remove, '--case', 'F1', '--yes')).to.equal("Dataset 'ds' has no case F1");
    // 1 A>C: one call each of child and father; the mother's two stay.
    expect(await json(...remove, '--case', 'F2', '--yes')).to.deep.equal({
      dataset: 'ds',
      removed: { alleles: 0, calls: 2, samples: 2 },
    });
    expect((await facts()).map((row) => (row as unknown[])[0])).to.deep.equal(['mother']);
  });
});
