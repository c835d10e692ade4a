/** Commands of the pages for operators that are short: tokens, connecting a node, imports, going back to an older version. */
import { expect } from 'chai';
import { dataset, samples, variant } from '../plugins/migration-from/support/cgbeacon2.js';
import { table } from '../plugins/migration-from/support/chanjo2.js';
import { lines } from '../plugins/migration-from/support/site.js';
import { useFolder } from '../support/folder.js';
import { blocksOf, follow, prelude } from '../support/guide.js';
import { startedIn } from '../support/started.js';
import { trefoil } from '../support/trefoil.js';

describe('guides: commands for operators', function () {
  this.timeout(120_000); // many processes
  const folder = useFolder();
  const env = { TREFOIL_CONFIG: 'lab.yaml', MATCHMAKER_KEY: 'a key of thirty-two characters..' };
  beforeEach(() =>
    folder.write(
      'lab.yaml',
      'demo: false\nmigrate: auto\nplugins: { beacon: {}, coverage: {}, matchmaker: { exchange: { allowHttp: true } } }\n',
    ),
  );

  /** What the blocks of a section printed, after changes of its commands. */
  async function printedBy(page: string, heading: string, change = (text: string) => text): Promise<string> {
    let printed = '';
    const blocks = blocksOf(page, heading)
      .filter(({ language }) => language === 'sh')
      .map((block) => ({ ...block, text: change(block.text) }));
    await follow(blocks, { folder: folder.path(), env, prelude, onPrint: (text) => (printed += text) });
    return printed;
  }

  it('issue tokens, and list them', async () => {
    await trefoil(['beacon', 'add', 'demo'], { cwd: folder.path(), env });
    const printed = await printedBy('config/access.md', 'API tokens');
    expect(printed)
      .to.match(/lab +beacon:write .* 2030-01-01/)
      .and.match(/clinic +beacon:read:test_public/);
  });

  it('connect a node, which responds', async () => {
    const options = { cwd: folder.path(), env: { ...env, TREFOIL_SQLITE_FILE: 'partner.sqlite' } };
    const partner = await startedIn(options);
    try {
      const words = ['matchmaker', 'add', 'client', '--id', 'us', '--scope', 'query', '--url', partner.url, '--json'];
      const { token } = JSON.parse((await trefoil(words, options)).stdout);
      const printed = await printedBy('config/matchmaker-nodes.md', 'Connect a node', (text) =>
        text.replaceAll('https://partner.example.org', partner.url).replace('the-token-that-they-issued', token),
      );
      expect(printed).to.match(/partner +Partner hospital .* patientmatcher/);
    } finally {
      await partner.stop();
    }
  });

  it('say what imports of earlier servers would do', async () => {
    const place = { chromosome: 'MT', start: 1, stop: 10, build: 'GRCh38' };
    const gene = { ensembl_gene_id: 'ENSG00000000001' };
    await folder.write('genes.tsv', table('genes', [{ ...place, ensembl_ids: '["ENSG00000000001"]' }]));
    await folder.write('transcripts.tsv', table('transcripts', [{ ...place, ...gene, ensembl_id: 'ENST00000000001' }]));
    await folder.write(
      'exons.tsv',
      table('exons', [
        {
          ...place,
          ...gene,
          ensembl_id: 'ENSE00000000001',
          ensembl_transcript_id: 'ENST00000000001',
          rank_in_transcript: 1,
        },
      ]),
    );
    const contact = { name: 'A', href: 'mailto:a@example.org' };
    const features = [{ id: 'HP:0001250' }];
    await folder.write('patients.json', lines([{ _id: 'P1', id: 'P1', contact, features }]));
    await folder.write('dataset.json', lines([dataset('ds', { samples: ['a'] })]));
    const allele = { place: '1:99', end: 100, alleles: 'A>C', type: 'SNP', datasetIds: { ds: samples('a1') } };
    await folder.write('variant.json', lines([variant(allele)]));
    await folder.write('user.json', lines([{ _id: 'scout', token: 'a-token-of-some-length' }]));
    const address = 'https://scout.example.org';
    await folder.write(
      'clients.json',
      lines([{ _id: 'scout', auth_token: 'a-token-of-some-length', base_url: address }]),
    );
    await folder.write(
      'nodes.json',
      lines([{ _id: 'north', label: 'N', auth_token: 'x', matching_url: `${address}/match` }]),
    );
    const data = { patient: { _id: 'P1', id: 'P1', contact, features } };
    await folder.write(
      'matches.json',
      lines([{ created: { $date: 1600000000000 }, match_type: 'internal', data, results: [] }]),
    );
    const printed = await printedBy('config/moving.md', 'Moving the data');
    expect(printed)
      .to.include('GRCh38: would be loaded')
      .and.include('Patients (dry run): of 1, 1')
      .and.include('Datasets (dry run): of 1, 1');
  });

  it('say what going back to an older version would undo', async () => {
    await trefoil(['migrate'], { cwd: folder.path(), env });
    expect(await printedBy('config/upgrades.md', 'Back to an older version')).to.match(/^would be undone: /);
  });
});
