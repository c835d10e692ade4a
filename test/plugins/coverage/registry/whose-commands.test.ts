/** Whose file is this? Files made from others, and calls that fit another file, as commands, answers and reports name them. */
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { command } from '../../../support/command.js';
import { blockFolder } from '../../../support/folder.js';
import { assayOf, calledOf, chanceOf, partOf, personOf, vcfOf, writeAssay } from '../support/assays.js';

const people = ['ada', 'bea', 'cyd', 'dot', 'eva', 'fay'];

describe('commands on whose a file is', function () {
  this.timeout(200_000); // many processes
  const folder = blockFolder();
  const chance = chanceOf(11);
  const assay = assayOf(500, 0.4, { depth: 90, own: 0.08, called: 0.95 }, chance);
  const depths = new Map(people.map((name) => [name, personOf(assay, chance)]));
  const depthsOf = (name: string) => depths.get(name) as Float64Array;

  before(async () => {
    for (const name of people) {
      writeAssay(join(folder, `${name}.d4`), depthsOf(name));
      await writeFile(join(folder, `${name}.vcf`), vcfOf(name, calledOf(assay, depthsOf(name), chance)));
    }
    writeAssay(join(folder, 'deep.d4'), personOf(assay, chance, 12));
    writeAssay(join(folder, 'half.d4'), partOf(depthsOf('fay'), 0.5, chance));
    writeAssay(join(folder, 'panel.d4'), depthsOf('eva'), (exon) => exon % 5 < 4);
    const settings = {
      storage: { adapter: 'sqlite', file: 't.sqlite' },
      plugins: { coverage: { roots: [folder] }, beacon: {} },
    };
    await writeFile(join(folder, 'c.yaml'), JSON.stringify(settings));
    await run('migrate');
    await run(
      'beacon',
      'add',
      'dataset',
      '--did',
      'wes',
      '--name',
      'WES',
      '--build',
      'GRCh38',
      '--authlevel',
      'controlled',
    );
  });

  async function run(...words: string[]) {
    const { code, stdout, stderr } = await command([...words, '--config', 'c.yaml'], { cwd: folder });
    expect(code, stderr).to.equal(0);
    return { stdout, stderr };
  }
  const register = async (files: Record<string, string>) => {
    const lines = Object.entries(files).map(([id, file]) => `${id}\t${file}.d4\tGRCh38\tWES`);
    await writeFile(join(folder, 's.tsv'), `${['sample\tcoverage_file_path\tbuild\tassay', ...lines].join('\n')}\n`);
    return (await run('coverage', 'add', 'samples', '--sheet', 's.tsv')).stderr;
  };
  const load = async (sample: string, file = sample) =>
    run(
      'beacon',
      'add',
      'variants',
      '--ds',
      'wes',
      '--vcf',
      `${file}.vcf`,
      '--sample',
      file,
      ...(sample === file ? [] : ['--coverage-id', sample]),
    );
  const warnings = async () => {
    const all = JSON.parse((await run('coverage', 'list', 'samples', '--json')).stdout) as {
      id: string;
      warnings: { code: string; message: string }[];
    }[];
    return Object.fromEntries(
      all.map((one) => [one.id, one.warnings.filter(({ code }) => /^(nested|calls)/.test(code))]),
    );
  };

  it('name files that were made from others, in either order, and accuse no other person of the kit', async () => {
    expect(await register({ ada: 'ada', bea: 'bea', eva: 'eva', fay: 'fay', deep: 'deep' })).not.to.include(
      'was made from',
    );
    const told = await register({ half: 'half', panel: 'panel' });
    expect(told).to.match(
      /Warning: half: This file was made from that of fay, .* has 50 % of its depth .*\(\d{3} places\)/,
    );
    expect(told).to.match(/Warning: panel: This file was made from that of eva, .* has 100 % of its depth/);
    const found = await warnings();
    expect(found.fay?.map(({ code }) => code)).to.deep.equal(['nested-file']);
    expect(found.fay?.[0]?.message).to.include('The file of half was made from this one');
    expect(found.eva?.[0]?.message).to.include('The file of panel was made from this one');
    expect([found.ada, found.bea, found.deep]).to.deep.equal([[], [], []]);
    await copyFile(join(folder, 'eva.d4'), join(folder, 'copy.d4'));
    const copied = await register({ copy: 'copy' });
    expect(copied, 'a copy has no direction')
      .to.include('The same file was given for copy and eva')
      .and.not.match(/of eva,? was made|from that of eva/);
    expect((await warnings()).eva?.map(({ message }) => message).join()).to.not.include('copy');
    await run('coverage', 'delete', 'samples', '--sample', 'half', '--sample', 'panel', '--sample', 'copy', '--yes');
    expect((await warnings()).fay).to.deep.equal([]);
  });

  it('compare calls that are loaded with the files that are registered', async () => {
    expect((await load('ada')).stderr).to.match(
      /Sample ada: The calls of dataset wes fit the coverage file: r = 0\.\d+ at \d+ places/,
    );
    await run('beacon', 'delete', 'variants', '--ds', 'wes', '--sample', 'ada', '--yes');
  });

  it('find two people whose calls were swapped, when the file comes last and when the calls come last', async () => {
    // The calls of dot and cyd are stored under the ids of each other before the files are there.
    await load('cyd', 'dot');
    await load('dot', 'cyd');
    const told = await register({ cyd: 'cyd', dot: 'dot' });
    expect(told).to.match(
      /Warning: dot: The depths of the calls of dataset wes fit the coverage file of sample cyd better than its own/,
    );
    const found = await warnings();
    for (const [one, other] of [
      ['cyd', 'dot'],
      ['dot', 'cyd'],
    ] as const) {
      expect(
        found[one]?.map(({ code }) => code),
        one,
      ).to.deep.equal(['calls-elsewhere']);
      expect(found[one]?.[0]?.message).to.match(
        new RegExp(`sample ${other} better than its own: r = 0\\.\\d+, own −?0\\.\\d+, at \\d+ places`),
      );
    }
    const late = (await load('ada', 'bea')).stderr;
    expect(late).to.include(
      'WARNING Sample ada: The depths of the calls of dataset wes fit the coverage file of sample bea better',
    );
    expect((await load('eva')).stderr).to.include('Sample eva: The calls of dataset wes fit the coverage file');
    const after = await warnings();
    expect([after.bea, after.eva, after.fay, after.deep]).to.deep.equal([[], [], [], []]);
    expect((await run('coverage', 'list', 'samples')).stderr).to.include('Warning: ada: The depths of the calls');
  });

  it('forget what they found once the samples are gone or have another file', async () => {
    await run('coverage', 'delete', 'samples', '--sample', 'bea', '--yes');
    expect((await warnings()).ada).to.deep.equal([]);
    await register({ cyd: 'dot', dot: 'cyd' });
    const found = await warnings();
    expect([found.cyd, found.dot]).to.deep.equal([[], []]);
  });
});
