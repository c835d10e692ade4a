import { expect } from 'chai';
import { PostgresServer, postgresTools, postgresUser } from '../support/cluster.js';
import { type Block, blocksOf, follow } from '../support/guide.js';
import { type Installed, install } from '../support/installed.js';

const setup = 'config/install.md';
const backups = 'config/backup.md';
const shell = (text: string): Block => ({ language: 'sh', rest: '', text });

/** The answer of the beacon, before a backup and after its restore. */
const question = "curl -s 'http://127.0.0.1:5000/apiv1.0/query?assemblyId=GRCh37&referenceName=1&start=156146085";
const demoAllele = shell(
  `${question}&referenceBases=C&alternateBases=A&includeDatasetResponses=HIT' | grep -o '"\\(exists\\|callCount\\|variantCount\\)":[^,}]*' | sort | uniq`,
);
const loseTheData = shell('npx beacon delete dataset --id test_public --yes');

/** The blocks that verify this backup. */
const verify = (name: string) => blocksOf(backups, 'Verifying backups').filter(({ text }) => text.includes(name));
/** PostgreSQL does not run as root, so that root verifies a dump as its owner. */
const { uid, gid } = postgresUser;
const ofOthers = shell(process.getuid?.() === 0 ? `chown ${uid}:${gid} trefoil.dump; chmod 711 .` : 'true');
/** Tables of every plugin, what erased people leave in their files, and how large those of alleles are. */
const allPlugins: Block[] = [
  { language: 'yaml', rest: 'all.yaml', text: 'demo: false\nplugins: { beacon: {}, coverage: {}, matchmaker: {} }' },
  shell('export TREFOIL_CONFIG=all.yaml; npx trefoil migrate'),
];
const traces = blocksOf('config/erasure.md', 'Traces in the files of PostgreSQL');
const partitions = blocksOf('config/capacity.md', "Partitions of the beacon's alleles").map(({ text }) =>
  shell(`psql --quiet --command="${text}" "$DATABASE_URL" | grep beacon_alleles_grch37_21`),
);

describe('guides: running Trefoil', function () {
  this.timeout(180_000); // builds, packs, and runs many commands
  let installed: Installed;
  before(() => {
    installed = install();
  });
  after(() => installed.remove());

  it('sets it up on PostgreSQL, and a restored dump gives the same answers', async function () {
    if (postgresTools === undefined) return this.skip();
    const server = await PostgresServer.primary();
    try {
      const options = {
        folder: installed.folder,
        env: { DATABASE_URL: server.url, PATH: `${postgresTools}:${process.env.PATH}` },
      };
      const before = await answersAfter([...blocksOf(setup, 'On PostgreSQL'), shell('npx beacon add demo')], options);
      expect(before).to.include('"exists":true');
      const [dump, restore] = blocksOf(backups, 'PostgreSQL').filter(({ language }) => language === 'sh') as [
        Block,
        Block,
      ];
      const config = shell('export TREFOIL_CONFIG=lab.yaml');
      await follow([config, dump, ofOthers, ...verify('trefoil.dump'), loseTheData], options);
      expect(await answersAfter([config, serve], options)).to.not.equal(before);
      await follow([config, restore], options);
      expect(await answersAfter([config, serve], options)).to.equal(before);
      await follow([...allPlugins, ...traces, ...partitions], options);
    } finally {
      await server.remove();
    }
  });

  it('restores the embedded database, which gives the same answers', async () => {
    const options = { folder: installed.folder };
    const before = await answersAfter([serve], options);
    expect(before).to.include('"exists":true');
    const [backup, restore] = blocksOf(backups, 'The embedded database') as [Block, Block];
    await follow([backup, ...verify('backup.sqlite'), loseTheData], options);
    // A server of the default configuration would fill the empty database with demo data again.
    const empty = shell('printf "demo: false\\n" > empty.yaml; export TREFOIL_CONFIG=empty.yaml');
    expect(await answersAfter([empty, serve], options)).to.not.equal(before);
    await follow([restore], options);
    expect(await answersAfter([serve], options)).to.equal(before);
  });

  const serve: Block = { language: 'sh', rest: 'serve', text: 'npx trefoil serve' };

  /** The answer to the demo allele's query after the blocks have run. */
  async function answersAfter(
    blocks: Block[],
    options: { folder: string; env?: Record<string, string> },
  ): Promise<string> {
    let printed = '';
    await follow([...blocks, demoAllele], { ...options, onPrint: (text) => (printed = text) });
    return printed;
  }
});
