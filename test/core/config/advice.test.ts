/** `check` and the start report the same wrong or probably unintended settings, without secrets. */
import { chmod } from 'node:fs/promises';
import { expect } from 'chai';
import { adviceOn } from '../../../core/config/advice.js';
import { command } from '../../support/command.js';
import { configured, faultsOf, shown } from '../../support/configured.js';
import { useFolder } from '../../support/folder.js';
import { started } from '../../support/started.js';
import { trefoil } from '../../support/trefoil.js';

describe('settings that are probably unintended', () => {
  const folder = useFolder();

  const cases: [name: string, file: string, says: RegExp][] = [
    ['no plugin', 'plugins: {}\n', /plugins: none is enabled/],
    [
      'a directory that does not exist',
      'plugins: { beacon: { roots: [/nowhere/vcf], organisation: { name: Lab } } }\n',
      /plugins\.beacon\.roots: \/nowhere\/vcf does not exist/,
    ],
    ['a beacon of nobody', 'plugins: { beacon: {} }\n', /plugins\.beacon\.organisation\.name: is empty/],
    [
      'a file in place of a directory',
      'plugins: { coverage: { roots: [/etc/passwd] } }\n',
      /plugins\.coverage\.roots: \/etc\/passwd is not a directory/,
    ],
    [
      'token checks without an issuer',
      'plugins: { coverage: { oidc: { jwksUrl: https://login.example.org/certs, audience: lab } } }\n',
      /plugins\.coverage\.oidc\.issuer: is not set \(ISSUER\)/,
    ],
    [
      'an issuer without token checks',
      'plugins: { coverage: { oidc: { issuer: https://login.example.org } } }\n',
      /plugins\.coverage\.oidc\.issuer: is set \(ISSUER\), but no token is required/,
    ],
    [
      'rules without an issuer where several are accepted',
      `plugins: { coverage: {} }
auth:
  issuers:
    - { issuer: https://a.example.org, audience: lab }
    - { issuer: https://b.example.org, audience: lab }
  roles:
    - { claim: groups, value: /doctors, role: read }
    - { claim: groups, value: /admins, role: admin, issuer: https://a.example.org }
`,
      /auth: 1 of the rules in roles and tenants name no issuer, so that each of the 2 accepted issuers can put/,
    ],
    [
      'a directory of one tenant in that of another',
      'plugins: { coverage: { roots: [/usr] } }\nauth: { tenants: { all: { roots: [/usr] }, neuro: { roots: [/usr/neuro] } } }\n',
      /auth\.tenants: the directory \/usr\/neuro of neuro is in \/usr of all, so that its members reach these files too/,
    ],
    [
      'a dataset of two tenants',
      'plugins: { coverage: {} }\nauth: { tenants: { cardio: { datasets: [d] }, neuro: { datasets: [d, e] } } }\n',
      /auth\.tenants: the dataset d belongs to cardio and to neuro, so that the members of both query it/,
    ],
  ];
  for (const [name, file, says] of cases) {
    it(`are reported by check and at the start: ${name}`, async () => {
      const sqlite = `${folder.path()}/t.sqlite`;
      const lab = await folder.write('lab.yaml', `demo: false\nstorage: { file: ${sqlite} }\n${file}`);
      const options = { cwd: folder.path(), env: { TREFOIL_CONFIG: 'lab.yaml' } };
      const checked = await command(['check'], options);
      expect(checked.code).to.equal(0);
      expect(checked.stderr).to.match(says);
      const { advice } = JSON.parse((await command(['check', '--json'], options)).stdout);
      expect(advice)
        .to.have.lengthOf(1)
        .and.to.satisfy(([sentence]: string[]) => says.test(sentence ?? ''));
      const server = await started(lab);
      await server.stop();
      const warnings = server
        .log()
        .split('\n')
        .filter((line) => line.includes('"level":"warn"'));
      expect(warnings)
        .to.have.lengthOf(1)
        .and.to.satisfy(([line]: string[]) => says.test(line ?? ''));
    });
  }

  it('include what of tenants no client can reach, and rules that match nobody', async () => {
    const advice = async (lines: string) => {
      const file = await folder.write('lab.yaml', `demo: false\nstorage: { adapter: memory }\n${lines}`);
      return adviceOn(await configured({ file }));
    };
    const auth = (issuer: string) => `auth:
  issuers: [{ issuer: https://a.example.org, audience: lab }]
  roles: [{ claim: groups, value: x, role: read, issuer: ${issuer} }]
  tenants:
    heart:
      roots: [/usr/share, /usr/, /etc]
      urls: [https://storage.example.org/heart/, https://elsewhere.example.org/heart/]
      members: [{ claim: groups, value: y, rights: [read], issuer: https://a.example.org }]
`;
    const oidc = (more: string) => `oidc: { jwksUrl: https://b.example.org/certs, audience: lab${more} }`;
    const coverage = (more = '') =>
      `plugins: { coverage: { roots: [/usr], hosts: [storage.example.org]${more === '' ? '' : `, ${more}`} } }\n`;
    const unreached = [
      'auth.tenants.heart.roots: /etc is below nothing of plugins.coverage.roots: no file in it is reached',
      'plugins.coverage.hosts: the host of https://elsewhere.example.org/heart/ of the tenant heart is not among them, so that no file there is reached',
    ];
    const deaf =
      'auth.roles.0.issuer: no tokens of https://b.example.org are accepted, so that this rule matches nobody';
    expect(await advice(coverage() + auth('https://a.example.org'))).to.deep.equal(unreached);
    expect(await advice(coverage() + auth('https://b.example.org'))).to.deep.equal([deaf, ...unreached]);
    const fromB = coverage(oidc(', issuer: https://b.example.org')) + auth('https://b.example.org');
    expect(await advice(fromB)).to.deep.equal(unreached);
    const asking = `plugins: { coverage: { authorize: { url: https://cases.example.org/, secret: ${'s'.repeat(16)} } } }\n`;
    expect(await advice(asking)).to.deep.equal([
      'plugins.coverage.authorize: nothing recognises people (auth.issuers, auth.signIn, oidc), so that it is asked about nobody',
    ]);
    const ids = 'auth: { tenants: { a: { sampleIds: c }, b: { sampleIds: c- }, d: { sampleIds: d- } } }\n';
    expect(await advice(`plugins: { coverage: {} }\n${ids}`)).to.deep.equal([
      'auth.tenants: sampleIds "c-" of b begins with "c" of a, so that each can learn which ids the other uses',
    ]);
    // Without an issuer, tokens of every issuer are accepted.
    expect((await advice(coverage(oidc('')) + auth('https://b.example.org'))).join()).to.not.include('matches nobody');
  });

  it('include the places from which the loaders of a tenant load no more', async () => {
    const advice = async (roots: Record<string, string>, beacon: string) => {
      const tenants = Object.entries(roots).map(([name, more]) => `${name}: { datasets: [${name}-set]${more} }`);
      const file = await folder.write(
        'lab.yaml',
        `demo: false
storage: { adapter: memory }
auth: { tenants: { ${tenants.join(', ')} } }
plugins: { beacon: { organisation: { name: Lab }, ${beacon} } }
s3: [{ prefix: 's3://lab/' }]
`,
      );
      return adviceOn(await configured({ file }));
    };
    const [own, other] = ['/usr/share', '/usr/lib'];
    const loses = (name: string) =>
      `plugins.beacon.roots: nothing of the tenant ${name} is below them or \`buckets\`, so that its members with \`load\` and API tokens for single datasets load no VCF file by its name; write where its VCF files are to auth.tenants.${name}.roots or .urls`;
    const unowned = (setting: string, place: string) =>
      `plugins.beacon.${setting}: nothing below ${place} is a tenant's, so that members with \`load\` and API tokens for single datasets load no VCF file from it; write what belongs to a tenant to auth.tenants.NAME.roots or .urls`;
    const both = { a: `, roots: [${own}]`, b: `, roots: [${other}]` };
    expect(await advice({ a: '', b: '' }, 'roots: [/usr]')).to.deep.equal([loses('a'), loses('b')]);
    expect(await advice({ ...both, b: '' }, 'roots: [/usr]')).to.deep.equal([loses('b')]);
    expect(
      await advice({ ...both, b: `, urls: ['s3://lab/b/']` }, `roots: [/usr], buckets: ['s3://lab/']`),
    ).to.deep.equal([]);
    expect(await advice(both, 'roots: [/usr]')).to.deep.equal([]);
    expect(await advice(both, `roots: [${own}, ${other}]`)).to.deep.equal([]);
    // A tenant's directory may be above a configured one.
    expect(await advice({ a: ', roots: [/usr]' }, `roots: [${own}]`)).to.deep.equal([]);
    expect(await advice(both, `roots: [/usr, /etc], buckets: ['s3://lab/vcf/']`)).to.deep.equal([
      unowned('roots', '/etc'),
      unowned('buckets', 's3://lab/vcf/'),
    ]);
    // Without a place to load from, nothing is lost.
    expect(await advice({ a: '' }, 'roots: []')).to.deep.equal([]);
  });

  it('include buckets that are not reached', async () => {
    await folder.write(
      'lab.yaml',
      `s3: [{ prefix: 's3://lab/a/' }]
auth: { tenants: { heart: { urls: ['s3://lab/a/heart/', 's3://lab/b/'] } } }
plugins: { coverage: { buckets: ['s3://lab/a/', 's3://other/'] }, beacon: { buckets: ['s3://lab/a/vcf/'], organisation: { name: Lab } } }
`,
    );
    const options = { cwd: folder.path(), env: { TREFOIL_CONFIG: 'lab.yaml' } };
    const { advice } = JSON.parse((await command(['check', '--json'], options)).stdout) as { advice: string[] };
    expect(advice.filter((sentence) => sentence.includes('s3://'))).to.deep.equal([
      'auth.tenants.heart.urls: s3://lab/b/ is below nothing of plugins.coverage.buckets and plugins.beacon.buckets: no file there is reached',
      'plugins.coverage.buckets: no prefix in the section s3 covers s3://other/, so that no object there is reached',
    ]);
  });

  it('include rules of signing that one person can get round, or by which nobody can sign', async () => {
    const advice = async (lines: string) => {
      const file = await folder.write('lab.yaml', `demo: false\nstorage: { adapter: memory }\n${lines}`);
      return adviceOn(await configured({ file }));
    };
    const auth = 'auth: { issuers: [{ issuer: https://a.example.org, audience: lab }] }\n';
    expect(await advice('plugins: { panels: { signatures: 2 } }\n')).to.deep.equal([]);
    expect(await advice(`plugins: { panels: {} }\n${auth}`)).to.deep.equal([]);
    expect(await advice(`plugins: { panels: { signatures: 2, signers: people } }\n${auth}`)).to.deep.equal([]);
    expect(await advice(`plugins: { panels: { signatures: 2 } }\n${auth}`)).to.deep.equal([
      'plugins.panels.signers: a person who also has an API token under another name can give both signatures; `people` prevents it',
    ]);
    expect(await advice('plugins: { panels: { signers: people } }\n')).to.deep.equal([
      'plugins.panels.signers: nothing recognises people (auth.issuers, auth.signIn), so that nobody can sign',
    ]);
  });

  it('include database files that every user of the machine can read', async () => {
    await folder.write('lab.yaml', `http: { port: 0 }\nstorage: { file: t.sqlite }\nplugins: { coverage: {} }\n`);
    const options = { cwd: folder.path(), env: { TREFOIL_CONFIG: 'lab.yaml' } };
    const advice = async () => JSON.parse((await command(['check', '--json'], options)).stdout).advice;
    expect(await advice()).to.deep.equal([]);
    // For example a copy by an administrator, whose group may read it on purpose.
    await chmod(`${folder.path()}/t.sqlite`, 0o640);
    expect(await advice()).to.deep.equal([]);
    await chmod(`${folder.path()}/t.sqlite`, 0o644);
    expect(await advice()).to.deep.equal([
      'storage.file: every user of this machine can read t.sqlite (mode 0644); chmod 600 restricts it to its owner',
    ]);
  });

  it('yield no advice if there are none', async () => {
    await folder.write(
      'lab.yaml',
      `http: { port: 0 }\nstorage: { file: t.sqlite }\nplugins: { coverage: { roots: [${folder.path()}] } }\n`,
    );
    const options = { cwd: folder.path(), env: { TREFOIL_CONFIG: 'lab.yaml' } };
    expect(JSON.parse((await command(['check', '--json'], options)).stdout).advice).to.deep.equal([]);
  });
});

describe('a malformed DATABASE_URL', () => {
  const folder = useFolder();
  const urls: [url: string, says: RegExp][] = [
    ['garbage', /expected postgres:\/\/user:password@host/],
    ['mysql://u:s3cret@h/db', /expected postgres:/],
    ['postgres://u:s3/cret@h/db', /a \/ is %2F/],
    ['postgres://u:s3#cret@h/db', /%23/],
    ['postgres://u:s3cret@h:99999/db', /expected postgres:/],
    ['postgres://u:s3cret@h/db%ZZ', /its database holds a %/],
    ['postgres://u%ZZ:s3cret@h/db', /its user holds a %/],
    ['postgres://u:s3cret@h/db?port=abc', /its port must be a whole number/],
    ['postgres://u:s3cret@h/db?port=99999', /its port must be a whole number/],
    ['postgres://u:s3cret@h/db?sslmode=requre', /its sslmode must be one of disable,/],
    [' postgres://u:s3cret@h/db', /begins or ends with a blank/],
  ];
  for (const [url, says] of urls) {
    it(`is reported without its text: ${url}`, async () => {
      for (const variable of ['DATABASE_URL', 'DATABASE_REPLICA_URL']) {
        const environment = { DATABASE_URL: 'postgres://h/db', [variable]: url };
        const faults = (await faultsOf({ environment })).map(shown).join('\n');
        expect(faults).to.match(says).and.include(`(environment variable ${variable})`);
        expect(faults).to.not.match(/s3|cret/);
      }
    });
  }

  it('is reported by check and at the start in one line', async () => {
    for (const command of ['check', 'serve']) {
      const env = { DATABASE_URL: 'postgres://u:s3cret@h/db%ZZ' };
      const { code, stdout, stderr } = await trefoil([command], { cwd: folder.path(), env });
      expect(stderr)
        .to.match(/storage\.url: its database holds a %.*DATABASE_URL/)
        .and.not.include('s3cret');
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    }
  });
});
