import { join } from 'node:path';
import { expect } from 'chai';
import { command } from '../../support/command.js';
import { useFolder } from '../../support/folder.js';
import { typedBeacon } from './support/commands.js';
import { vcf } from './support/vcf.js';

describe('beacon: users, and older spellings, on the command line', function () {
  this.timeout(120_000); // every step is a separate process
  const folder = useFolder();
  const options = () => ({
    cwd: folder.path(),
    env: { TREFOIL_SQLITE_FILE: join(folder.path(), 'beacon.sqlite') },
  });
  const { run: beacon } = typedBeacon(folder.path);

  it('issue tokens that may change data', async () => {
    const first = await beacon('add', 'user', '--uid', 'scout', '--name', 'Scout of the lab');
    expect(first.code, first.stderr).to.equal(0);
    expect(first.stdout).to.match(/^trf_[\w-]{43}\n$/);
    const own = 'a-token-of-32-printable-signs-00';
    const second = await beacon('add', 'user', '-id', 'scout', '-name', '-url', '-token', own, '-desc', 'x', '--json');
    expect(second.code, second.stderr).to.equal(0);
    expect(JSON.parse(second.stdout)).to.deep.include({ user: 'scout', scopes: ['beacon:write'] });
    expect(second.stdout + second.stderr).to.not.include(own);

    const { stdout } = await command(['token', 'list', '--json'], options());
    const list = JSON.parse(stdout) as Record<string, unknown>[];
    expect(list.map(({ owner, scopes, state }) => [owner, scopes, state])).to.deep.equal([
      ['scout', ['beacon:write'], 'valid'],
      ['scout', ['beacon:write'], 'valid'],
    ]);
    const again = await beacon('add', 'user', '--uid', 'other', '--name', 'x', '--token', own);
    expect([again.code, again.stdout]).to.deep.equal([1, '']);
  });

  it('may be limited to datasets, also by ids with colons', async () => {
    const limited = await beacon(
      ...['add', 'user', '--uid', 'cardio', '--name', 'Cardiology', '--json'],
      ...['--datasets', 'a,urn:b.c', '--datasets', 'd'],
    );
    expect(limited.code, limited.stderr).to.equal(0);
    const scopes = ['beacon:write:a', 'beacon:write:urn:b.c', 'beacon:write:d'];
    expect(JSON.parse(limited.stdout)).to.deep.include({ user: 'cardio', scopes });
    const { stdout } = await command(['token', 'list', '--owner', 'cardio', '--json'], options());
    expect((JSON.parse(stdout) as Record<string, unknown>[]).map((token) => token.scopes)).to.deep.equal([scopes]);
    const known =
      'Accepted: server:read, beacon:read[:<dataset>], beacon:write[:<dataset>], beacon:admin, beacon:observe[:<dataset>], ' +
      'beacon:cases[:<dataset>], beacon:shared[:<tenant>], coverage:load, coverage:register[:<tenant>], coverage:read[:<tenant>], coverage:report[:<tenant>], coverage:shared[:<tenant>], coverage:aneuploidy[:<tenant>], ' +
      'coverage:ticket[:<tenant>], matchmaker:query, matchmaker:submit, matchmaker:admin, ' +
      'matchmaker:read[:<client>], matchmaker:load[:<client>], matchmaker:triage[:<client>], matchmaker:state, panels:read[:<panel>], panels:edit[:<panel>], panels:sign[:<panel>], reviews:read[:<tenant>], reviews:write[:<tenant>], server:*, beacon:*, coverage:*, matchmaker:*, panels:*, reviews:*, *';
    for (const [scope, message] of [
      ['beacon:wirte', `Unknown scope "beacon:wirte"; did you mean "beacon:write"? ${known}`],
      ['beacon:raed:a', `Unknown scope "beacon:raed:a"; did you mean "beacon:read:a"? ${known}`],
      ['baecon:write', `Unknown scope "baecon:write"; did you mean "beacon:write"? ${known}`],
      ['beacon:admin:a', 'beacon:admin cannot be limited: write "beacon:admin" instead of "beacon:admin:a"'],
    ] as const) {
      const outcome = await command(['token', 'add', '--owner', 'x', '--scope', scope], options());
      expect([outcome.code, outcome.stdout, outcome.stderr]).to.deep.equal([1, '', `trefoil: ${message}\n`]);
    }
  });

  it('may query protected datasets instead, or in addition', async () => {
    for (const [args, scopes] of [
      [['--right', 'read'], ['beacon:read']],
      [
        ['--right', 'read', '--datasets', 'a,urn:b.c'],
        ['beacon:read:a', 'beacon:read:urn:b.c'],
      ],
      [
        ['--right', 'observe', '--right', 'cases', '--datasets', 'wgs'],
        ['beacon:observe:wgs', 'beacon:cases:wgs'],
      ],
      [
        ['--right', 'write', '--right', 'read', '--right', 'read'],
        ['beacon:write', 'beacon:read'],
      ],
      [
        ['--right', 'read', '--right', 'write', '--datasets', 'a'],
        ['beacon:read:a', 'beacon:write:a'],
      ],
    ] as const) {
      const { stdout, stderr, code } = await beacon('add', 'user', '--uid', 'c', '--name', 'Clinic', '--json', ...args);
      expect(code, stderr).to.equal(0);
      expect(JSON.parse(stdout).scopes).to.deep.equal(scopes);
    }
    const wrong = await beacon('add', 'user', '--uid', 'c', '--name', 'Clinic', '--right', 'admin');
    expect([wrong.code, wrong.stdout]).to.deep.equal([2, '']);
    expect(wrong.stderr).to.include('Allowed are read, write, observe, cases.');
  });

  it('refuse faults with one sentence', async () => {
    for (const [args, code, message] of [
      [['--uid', 'a b', '--name', 'x'], 1, /^beacon: User ID should not contain any space\n$/],
      [['--uid', '', '--name', 'x'], 1, /^beacon: User ID should not contain any space\n$/],
      [['--uid', 'a', '--name', 'x', '--token', 'short'], 1, /^beacon: A token has 16 to 512 printable/],
      [['--uid', 'a', '--name', 'x', '--datasets', 'a,'], 1, /^beacon: Invalid dataset ID\. It is made of/],
      [['--uid', 'a'], 2, /Missing option '--name'/],
    ] as const) {
      const outcome = await beacon('add', 'user', ...args);
      expect([outcome.code, outcome.stdout], args.join(' ')).to.deep.equal([code, '']);
      expect(outcome.stderr).to.match(message);
    }
  });

  it('accept a weak token with a warning on request', async () => {
    for (const [program, token, words] of [
      ['beacon', 'weak-1', ['add', 'user', '--uid', 'old', '--name', 'x']],
      ['trefoil', 'weak-2', ['token', 'add', '--owner', 'x', '--scope', 'beacon:write']],
      ['trefoil', 'weak-3', ['matchmaker', 'add', 'client', '--id', 'old']],
    ] as const) {
      const weak = [...words, '--token', token, '--allow-weak-token'];
      const { code, stderr } = await (program === 'beacon' ? beacon(...weak) : command(weak, options()));
      expect(stderr, token).to.match(/^Warning: a token of fewer than 16 characters can be guessed/);
      expect(code).to.equal(0);
      expect(stderr).to.not.include('weak-');
    }
  });

  it('are accepted in every command, and datasets are shown', async () => {
    const add = ['add', 'dataset', '-ds-id', 'ds', '-name', 'A set', '-build', 'GRCh38', '-authlevel', 'public'];
    // The consent code of -cc is accepted and not stored; it takes a value, as before.
    const more = ['-desc', '-vcf', '-version', '2.0', '-url', 'https://a.example/', '-cc', 'HMB'];
    expect((await beacon(...add, ...more)).code).to.equal(0);
    const without = await beacon(...add, '-cc');
    expect([without.code, without.stdout]).to.deep.equal([2, '']);
    expect(without.stderr).to.match(/--cc/);
    const file = await folder.write('x.vcf', vcf({ samples: ['a', 'b'], records: ['1 1 . A C . . . GT 0/1 1/1'] }));
    const panel = await folder.write('x.bed', '1\t0\t5\n');
    const loaded = await beacon(
      'add',
      'variants',
      '-ds',
      'ds',
      `-vcf=${file}`,
      '-sample',
      'a',
      '-sample',
      'b',
      '-panel',
      panel,
    );
    expect(loaded.stdout).to.match(/^Added to dataset 'ds': 1 allele, 3 calls, 2 samples\n/);
    const removed = await beacon('delete', 'variants', '-ds', 'ds', '-sample', 'a', '--yes');
    expect(removed.stdout).to.equal("Removed from dataset 'ds': 0 alleles, 1 call, 1 sample\n");

    const shown = await beacon('dataset', 'show', 'ds');
    expect(shown.stdout.replace(/20\d\d-.*Z/g, 'TIME').replace(/ +/g, ' ')).to.equal(
      'Id: ds\nName: A set\nDescription: -vcf\nURL: https://a.example/\nBuild: GRCh38\nAccess: PUBLIC\nVersion: 2\n' +
        'Alleles: 1\nCalls: 2\nSamples: 1\nCreated: TIME\nUpdated: TIME\n',
    );
    const none = await beacon('dataset', 'show', 'none');
    expect([none.code, none.stderr]).to.deep.equal([
      1,
      "beacon: Couldn't find any dataset with id 'none' in the database\n",
    ]);
    const deleted = await beacon('delete', 'dataset', '-id', 'ds', '--yes');
    expect([deleted.code, deleted.stdout]).to.deep.equal([0, 'Dataset was successfully deleted\n']);
  });
});
