import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import sqlite3 from 'sqlite3';
import { useFolder } from '../../support/folder.js';
import { beaconBin, serve } from '../../support/trefoil.js';
import { typedBeacon } from './support/commands.js';
import { ask, get, type Json } from './support/serve.js';
import { vcf } from './support/vcf.js';

describe('beacon: command line', function () {
  // Every step is a separate process.
  this.timeout(120_000);
  const folder = useFolder();

  const { run: beacon, json, failure } = typedBeacon(folder.path);

  it('adds, lists, updates, verifies and deletes', async () => {
    const file = await folder.write(
      'a.vcf',
      vcf({
        samples: ['a', 'b'],
        records: ['1 1 . A C . . . GT 0/1 1/1', '1 2 . A C,* . . . GT 0/1 0/2', 'Un 1 . A C . . . GT 0/1 0/1'],
      }),
    );
    const panel = await folder.write('panel.bed', 'chr1\t1\t2\n');

    const made = ['add', 'dataset', '--did', 'ds', '--name', 'A set', '--authlevel', 'Public', '--version', 'v1.0'];
    const added = await beacon(...made);
    expect([added.code, added.stdout]).to.deep.equal([0, "Dataset 'ds' was successfully added\n"]);
    expect(await failure(1, ...made)).to.match(/ds/);

    const first = await beacon('add', 'variants', '--ds', 'ds', '--vcf', file, '--sample', 'a', '--panel', panel);
    expect(first.stdout).to.equal(
      [
        "Added to dataset 'ds': 1 allele, 1 call, 1 sample",
        `${file}: 3 records read, 1 allele with 1 call`,
        '  skipped 1 records on other contigs (Un)',
        '  skipped 1 alleles outside the panel',
        '  skipped 1 placeholders (*, <NON_REF>)',
        '',
      ].join('\n'),
    );
    const rest = await json('add', 'variants', '--ds', 'ds', '--vcf', file);
    expect(rest).to.deep.include({ dataset: 'ds', samples: ['a', 'b'], added: { alleles: 1, calls: 3, samples: 1 } });
    expect((await beacon('add', 'variants', '--ds', 'ds', '--vcf', file)).stdout).to.match(
      /^Nothing to add: dataset 'ds' already has these alleles of these samples, and keeps their genotypes\n/,
    );

    const updated = await json(
      'add',
      'dataset',
      '--did',
      'ds',
      '--name',
      'B set',
      '--authlevel',
      'controlled',
      '--desc',
      'x',
      '--update',
    );
    expect(updated).to.deep.include({
      id: 'ds',
      name: 'B set',
      access: 'CONTROLLED',
      version: 1,
      description: 'x',
      alleleCount: 2,
    });
    expect((await beacon('verify')).stdout).to.equal('ds: right, 2 alleles, 4 calls, 2 samples\n');

    expect(await failure(1, 'delete', 'variants', '--ds', 'ds', '--sample', 'b')).to.match(/^Nothing was deleted/);
    const removed = await json('delete', 'variants', '--ds', 'ds', '--sample', 'b', '--yes');
    expect(removed).to.deep.equal({ dataset: 'ds', removed: { alleles: 0, calls: 2, samples: 1 } });
    const list = await beacon('dataset', 'list');
    expect(list.stdout).to.match(/^ID .*\nds +B set +GRCh37 +CONTROLLED +1 +2 +2 +1 +\d{4}-\d\d-\d\d\n$/);

    expect(await json('delete', 'dataset', '--id', 'ds', '--yes')).to.deep.equal({ deleted: 'ds' });
    expect(await json('dataset', 'list')).to.deep.equal([]);
  });

  it('exits with 1 and one sentence for invalid data, with 2 for invalid usage', async () => {
    expect(await failure(2, 'add', 'dataset', '--name', 'x', '--authlevel', 'public')).to.match(/--did/);
    expect(await failure(2, 'add', 'dataset', '--did', 'x', '--name', 'x', '--authlevel', 'secret')).to.match(
      /--authlevel/,
    );
    expect(
      await failure(
        1,
        'add',
        'dataset',
        '--did',
        'a b',
        '--name',
        ' ',
        '--authlevel',
        'public',
        '--version',
        'x',
        '--url',
        'y',
      ),
    ).to.match(/Invalid dataset ID.*Dataset name.*Dataset version.*Dataset url/);
    const file = await folder.write('a.vcf', vcf({ samples: ['a', 'b'], records: [] }));
    expect(await failure(1, 'add', 'variants', '--ds', 'x', '--vcf', file)).to.match(
      /Couldn't find any dataset with id 'x'/,
    );
    expect((await beacon('add', 'dataset', '--did', 'x', '--name', 'x', '--authlevel', 'public')).code).to.equal(0);
    expect(await failure(1, 'add', 'variants', '--ds', 'x', '--vcf', file)).to.match(/doesn't contain any variant/);
    expect(await failure(1, 'add', 'variants', '--ds', 'x', '--vcf', `${file}.gz`)).to.match(/no such file/);
    expect(await failure(1, 'add', 'variants', '--ds', 'x', '--vcf', file, '--sample', 'c')).to.match(
      /Valid samples are: a, b$/,
    );
    expect(await failure(1, 'delete', 'variants', '--ds', 'x', '--sample', 'c', '--yes')).to.match(
      /not found in the dataset: c/,
    );
    expect(await failure(1, 'delete', 'dataset', '--id', 'y', '--yes')).to.match(
      /Couldn't find any dataset with id 'y'/,
    );
    expect(await failure(1, 'run', '--port', '70000')).to.match(/--port must be a number from 0 to 65535; got "70000"/);
  });

  it('reads standard input', async () => {
    await beacon('add', 'dataset', '--did', 'piped', '--name', 'x', '--authlevel', 'public');
    const { status, stdout } = spawnSync(
      process.execPath,
      [beaconBin, 'add', 'variants', '--ds', 'piped', '--vcf', '-'],
      {
        cwd: folder.path(),
        env: { ...process.env, TREFOIL_SQLITE_FILE: join(folder.path(), 'beacon.sqlite') },
        input: gzipSync(vcf({ records: ['1 5 . A C . . . GT 1/1'] })),
        encoding: 'utf8',
      },
    );
    expect([status, stdout.split('\n')[0]]).to.deep.equal([0, "Added to dataset 'piped': 1 allele, 2 calls, 1 sample"]);
    await beacon('delete', 'dataset', '--id', 'piped', '--yes');
  });

  it('detects stored totals that differ from the alleles', async () => {
    await json('add', 'demo');
    const file = join(folder.path(), 'beacon.sqlite');
    const change = (to: number) =>
      new Promise<void>((resolve, reject) => {
        const database = new sqlite3.Database(file);
        const text = `update beacon_datasets set call_count = ${to} where id = 'test_public'`;
        database.exec(text, (error) => database.close(() => (error ? reject(error) : resolve())));
      });
    await change(49);
    const { code, stdout } = await beacon('verify', '--id', 'test_public');
    expect([code, stdout]).to.deep.equal([
      1,
      'test_public: WRONG, stored 25 alleles, 49 calls, 3 samples, counted 25 alleles, 50 calls, 3 samples\n',
    ]);
    await change(50);
    expect((await beacon('verify')).code).to.equal(0);
    await beacon('delete', 'dataset', '--id', 'test_public', '--yes');
  });

  it('serves the demo that it added', async () => {
    expect(await json('add', 'demo')).to.deep.include({
      dataset: 'test_public',
      added: { alleles: 25, calls: 50, samples: 3 },
    });
    const { url, process } = await serve(['run', '--port', '0'], {
      cwd: folder.path(),
      script: beaconBin,
      env: { TREFOIL_SQLITE_FILE: join(folder.path(), 'beacon.sqlite') },
    });
    try {
      expect(url).to.match(/^http:\/\/127\.0\.0\.1:/);
      const [dataset] = (await get(`${url}/apiv1.0/info`)).body.datasets as Json[];
      expect(dataset).to.deep.include({ id: 'test_public', variantCount: 25 });
      const sent = { assemblyId: 'GRCh37', referenceName: '1', referenceBases: 'C', alternateBases: 'A' };
      expect((await ask(url, { ...sent, start: 156146085 })).body.exists).to.equal(true);
      expect((await ask(url, { ...sent, start: 156146086 })).body.exists).to.equal(false);
      const duplication = {
        assemblyId: 'GRCh37',
        referenceName: '20',
        start: 54963148,
        end: 54963210,
        referenceBases: 'C',
        variantType: 'DUP',
      };
      expect((await ask(url, duplication)).body.exists).to.equal(true);
    } finally {
      expect((await process.kill()).code).to.equal(0);
    }
  });
});
