/** What files would bring onto the list, foretold on a server before they are loaded, and what comes once they are. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { serveForTest } from '../../../core/testing/server.js';
import { type Allele, beacon, beaconConsequences } from '../../../plugins/beacon/contract.js';
import { coverage, coverageSites } from '../../../plugins/coverage/contract.js';
import { loadSites } from '../../../plugins/coverage/sites/loading.js';
import { panels } from '../../../plugins/panels/contract.js';
import { GeneTable } from '../../../plugins/panels/genes/gene-table.js';
import { readApproved, readWithdrawn } from '../../../plugins/panels/genes/hgnc.js';
import { draftVersion, signedVersion, submittedVersion } from '../../../plugins/panels/versions/lifecycle.js';
import { reviews } from '../../../plugins/reviews/contract.js';
import { preview, previewRows } from '../../../plugins/reviews/run/preview.js';
import { run, runTools } from '../../../plugins/reviews/run/run.js';
import { reviewSettings } from '../../../plugins/reviews/settings.js';
import { command } from '../../support/command.js';
import { finder, optionalService, service } from '../../support/finder.js';
import { storages } from '../../support/storages.js';
import { useOnce } from '../../support/use.js';
import { annotate, annotated, atGene } from '../beacon/consequences/support.js';
import { add } from '../beacon/support/observed.js';
import { dataset } from '../beacon/support/serve.js';
import { record, vcf } from '../coverage/sites/support.js';
import { approved, withdrawn } from '../panels/support/hgnc.js';
import { contentOf, green } from '../panels/support/served.js';

const now = new Date('2026-05-05T05:05:05.000Z');
const { signal } = new AbortController();
const place = { chromosome: '1', strand: 1, start: 1000, end: 1100 } as const;

/** BAP1 with one exon in this transcript, which is MANE Select. */
async function* intervals(ensembl: string) {
  const none = { refseqMrna: [], refseqMrnaPredicted: [], refseqNcrna: [], maneSelect: [], manePlusClinical: [] };
  const gene = 'ENSG00000163930';
  yield {
    genes: [{ ...place, ensembl: gene, hgnc: 950, symbol: 'BAP1', biotype: 'protein_coding' }],
    transcripts: [{ ...place, ensembl, gene, references: none, isManeSelect: true, isManePlusClinical: false }],
    exons: [{ ...place, ensembl: 'E', gene, transcript: ensembl, rank: 1, cds: { start: 1000, end: 1100 } }],
  };
}

for (const engine of storages)
  describe(`what files would bring onto the list on ${engine.name}`, function () {
    this.timeout(120_000);
    const plugins = { beacon: {}, coverage: {}, panels: {}, reviews: {}, [finder]: {} };
    const server = useOnce(() => serveForTest({ plugins, storage: engine, jobs: false }));
    let folder = '';
    const file = async (name: string, text: string) => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    };
    const tools = () => {
      const services = { find: optionalService, tenants: undefined, repository: server.repository(reviews) };
      return runTools({ ...services, now: () => now }, reviewSettings.parse({}));
    };
    const loadStructures = (release: string, ensembl: string) => {
      const sets = (['genes', 'transcripts', 'exons'] as const).map((kind) => ({ kind, build: 'GRCh38' as const }));
      const accept = () => ({ release, source: 'x', checksum: `sha256:${'0'.repeat(64)}`, read: 1, skipped: {} });
      return server.repository(coverage).load({ sets, rows: intervals(ensembl), accept }, now);
    };
    const loadVcf = (path: string, release: string) =>
      loadSites({
        ...{ repository: server.repository(coverageSites), file: path, release, leastStars: 0, maxShrink: 0.1 },
        ...{ now, signal, onProgress() {} },
      });
    const loadNames = (release: string, gone: string) => {
      const { genes } = readApproved({ name: 'set.txt', text: approved });
      const table = new GeneTable(genes, []).withWithdrawn(readWithdrawn({ name: 'w.txt', text: gone }));
      const names = { release, sources: ['t'], approved: genes.length, withdrawn: 6, loaded: now };
      return server.repository(panels).replaceNames(names, table.pack());
    };

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'trefoil-preview-'));
      const repository = server.repository(beacon);
      await repository.addDataset(dataset('wgs', { assembly: 'GRCh38' }), now);
      const frequent: Allele = {
        ...{ contig: '1', start: 1005, end: 1006, reference: 'A', alternate: 'C', kind: 'SNP', structural: false },
      };
      const called = { ...frequent, carriers: [[0, 1] as const], uncalled: [] };
      await add(repository, 'wgs', { child: {} }, [called], now, { small: true, structural: false });
      const bap1 = atGene({ hgnc: 950, symbol: 'BAP1' }, ['missense_variant']);
      await annotate(server.repository(beaconConsequences), 'wgs', [
        annotated(frequent, [bap1], { frequency: { value: 0.2, field: 'AF' } }),
      ]);
      await loadStructures('MANE 1.4', 'ENST00000460680');
      await loadVcf(await file('old.vcf', vcf([record('1 5001 7 A T')])), '2026-04');
      await loadNames('2026-04', withdrawn);
      const inheritance = 'MONOALLELIC, autosomal or pseudoautosomal, NOT imprinted';
      const content = contentOf([{ ...green(950, 'BAP1'), inheritance }, green(8847, 'PER3')]);
      const submitted = submittedVersion(draftVersion('kidney', '1', content, { by: 'a', at: now }), {
        by: 'a',
        at: now,
      });
      await server.repository(panels).add(signedVersion(submitted, submitted.digest, 1, { by: 'b', at: now }));
      const basis = { chromosome: '1', start: 5000, reference: 'A', alternate: 'T', isBasis: true } as const;
      await server.repository(reviews).put(
        {
          ...{ case: 'F1', revision: 1, build: 'GRCh38', thresholds: [20], releases: {}, terms: [] },
          persons: [{ role: 'proband', isAffected: true, sample: 'child', sex: 'female' }],
          ...{ panel: { panel: 'kidney', version: '1' }, conclusion: 'uncertain', alleles: [basis] },
          ...{ reviewer: 'a', decided: now, recontact: 'yes' },
        },
        now,
      );
      await run(tools(), {}, { signal });
      const { baseline } = (await server.repository(reviews).find({ case: 'F1' })) ?? {};
      expect(baseline?.genes).to.deep.equal({ gone: [], transcripts: '460680 ' });
    });
    after(() => rm(folder, { recursive: true, force: true }));

    it('are findings of a release of ClinVar', async () => {
      // The frequent allele is pathogenic, and the one that the conclusion rests on is not in it any more.
      const path = await file('clinvar.vcf', vcf([record('1 1006 8 A C', { GENEINFO: 'BAP1:8314' })]));
      const sites = await service('coverage/known-sites@1').assuming({ path, release: '2026-05', signal });
      const replaced = tools().assuming({ 'coverage/known-sites@1': sites });
      const told = await preview({ ...tools(), replaced: replaced.gather }, {}, { signal });
      expect(told).to.deep.equal({ byReason: { raised: 1, lowered: 1 }, cases: 1, asked: 1, unlooked: 0 });
      const repository = server.repository(reviews);
      expect(await repository.findings({ limit: 10 })).to.deep.equal([]);
      expect((await server.repository(coverageSites).sets()).map(({ release }) => release)).to.deep.equal(['2026-04']);

      await loadVcf(path, '2026-05');
      expect((await run(tools(), {}, { signal })).opened).to.equal(2);
      const found = await repository.findings({ limit: 10 });
      expect(found.map(({ reason, evidence: { now: of } }) => [reason, of.class]).sort()).to.deep.equal([
        ['lowered', 'ClinVar 2026-05: absent'],
        ['raised', 'ClinVar 2026-05: Pathogenic (2 of 4 stars)'],
      ]);
    });

    it('are rows of a release of HGNC, for the cases of panels with a gene that is none any more', async () => {
      const more = `${withdrawn}\nHGNC:8847\tMerged/Split\tPER3\tHGNC:4982|HMBS|Approved`;
      const path = await file('withdrawn_2026-05-01.txt', more);
      const assumed = await service('panels/versions@1').assuming({ path, signal });
      const told = await previewRows(tools(), tools().assuming({ 'panels/versions@1': assumed }), { signal });
      const shown = told.map(({ kind, subject, release, cases, panels: of }) => [kind, subject, release, cases, ...of]);
      expect(shown).to.deep.equal([['name', 'PER3 → HMBS', '2026-05-01', 1, 'kidney']]);
      const repository = server.repository(reviews);
      expect(await repository.groups({})).to.deep.equal([]);

      await loadNames('2026-05-01', more);
      await run(tools(), { genes: true }, { signal });
      const [row, ...others] = await repository.groups({});
      expect(others).to.deep.equal([]);
      expect(row).to.deep.include(told[0]);
      expect(await repository.held()).to.deep.equal([]);
    });

    it('are rows of genes with another preferred transcript', async () => {
      await loadStructures('MANE 1.5', 'ENST00000296288');
      await run(tools(), {}, { signal });
      const rows = (await server.repository(reviews).groups({})).filter(({ kind }) => kind === 'transcript');
      const shown = rows.map(({ subject, release, cases, evidence }) => [subject, release, cases, evidence.before]);
      const subject = 'BAP1 ENST00000460680 → ENST00000296288';
      expect(shown).to.deep.equal([[subject, 'MANE 1.5 (GRCh38)', 1, { transcripts: 'ENST00000460680' }]]);
    });
  });

describe('trefoil reviews preview', function () {
  this.timeout(120_000);
  let folder = '';
  const said = async (...args: string[]) => {
    const env = { TREFOIL_CONFIG: 'trefoil.yaml', TREFOIL_SQLITE_FILE: 'trefoil.sqlite' };
    const { code, stdout, stderr } = await command(['reviews', 'preview', ...args], { cwd: folder, env });
    return `${code} ${stdout}${stderr}`;
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trefoil-preview-'));
    const plugins = { coverage: {}, panels: {}, reviews: {} };
    const settings = { audit: { key: 'k'.repeat(32) }, plugins, migrate: 'auto' };
    const files = {
      'trefoil.yaml': JSON.stringify(settings),
      'set.txt': approved,
      'withdrawn.txt': withdrawn,
      'bad.txt': `${withdrawn}\nHGNC:zero\tEntry Withdrawn\tX\t`,
      'good.vcf': vcf([record('1 1006 8 A C')]),
      'bad.vcf': vcf([record('1 1006 8 A C'), record('1 zero 9 A C')]),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('refuses what it cannot read, with the file and the line, and what is not stated', async () => {
    expect(await said('--clinvar', 'bad.vcf')).to.include('bad.vcf, line 10: POS is not a whole number from 1 on');
    expect(await said('--clinvar', 'missing.vcf')).to.match(/^1 .*missing\.vcf/s);
    expect(await said('--hgnc', 'withdrawn.txt', '--release', '1')).to.include('No names of genes are loaded');
    const env = { TREFOIL_CONFIG: 'trefoil.yaml', TREFOIL_SQLITE_FILE: 'trefoil.sqlite' };
    const names = ['--approved', 'set.txt', '--withdrawn', 'withdrawn.txt', '--release', '2026-11-01'];
    expect((await command(['panels', 'load-hgnc', ...names], { cwd: folder, env })).code).to.equal(0);
    expect(await said('--hgnc', 'bad.txt', '--release', '1')).to.match(/^1 .*bad\.txt, line 8: "HGNC:zero" is not/s);
    expect(await said('--hgnc', 'set.txt', '--release', '1')).to.include('the column "withdrawn_symbol" is missing');
    expect(await said('--hgnc', 'withdrawn.txt')).to.include('name it with --release');
    expect(await said()).to.include('State one of --panel, --clinvar and --hgnc');
    expect(await said('--hgnc', 'withdrawn.txt', '--name', 'x')).to.include('--name and --build are of --clinvar');
  });

  it('says how many cases and rows would come', async () => {
    expect(await said('--clinvar', 'good.vcf')).to.equal('0 0 cases of 0 would come onto the list\n');
    const rows = await said('--hgnc', 'withdrawn.txt', '--release', '1');
    expect(rows).to.equal('0 0 rows about genes would come onto the list\n');
  });
});
