/** The README of each plugin: its commands and requests give the answers that it states. */
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { sizeIn } from '../../plugins/coverage/d4/index.js';
import { chromosomesOf, writeD4 } from '../plugins/coverage/support/d4.js';
import { type Block, blocksOf, follow } from '../support/guide.js';
import { type Installed, install } from '../support/installed.js';
import { sampled } from '../support/sample.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const shared = join(root, '../shared/data/matchmaker/');

interface Section {
  page: string;
  /** Headings whose blocks are followed one after another in one folder. */
  headings: readonly string[];
  /** Brings the reader's own files; false if they are not on this machine. */
  prepare?(folder: string): boolean;
}

const sections: readonly Section[] = [
  {
    page: 'beacon',
    headings: ['Load alleles', 'Who may query', 'Local observations'],
  },
  {
    page: 'coverage',
    headings: ['Load genes'],
    prepare(folder) {
      const gtf = readFileSync(join(root, 'plugins/coverage/demo/intervals.GRCh38.gtf'));
      writeFileSync(join(folder, 'gencode.gtf.gz'), gzipSync(gtf));
      const columns = ['hgnc_id', 'symbol', 'alias_symbol', 'prev_symbol', 'status', 'ensembl_gene_id'];
      const row = ['HGNC:7436', 'MTHFR', '', 'MTHFR-OLD', 'Approved', 'ENSG00000177000'];
      writeFileSync(join(folder, 'hgnc_complete_set.txt'), `${columns.join('\t')}\n${row.join('\t')}\n`);
      return true;
    },
  },
  { page: 'coverage', headings: ['Make a report'] },
  { page: 'coverage', headings: ['Known pathogenic sites', 'Regions of caution'] },
  {
    page: 'coverage',
    headings: ['Unique reads'],
    prepare(folder) {
      const chromosomes = chromosomesOf('GRCh38', { names: ['1', 'X', 'Y'] });
      const runs = [{ chromosome: '1', begin: 11_796_500, end: 11_803_500, depth: 15 }];
      writeD4(join(folder, 'child.q20.d4'), { chromosomes, runs });
      return true;
    },
  },
  { page: 'coverage', headings: ['Depths in a genome browser'] },
  { page: 'coverage', headings: ['Register samples', 'Compare with the assay', 'Whose file is it?'] },
  { page: 'coverage', headings: ['Kept reports'] },
  {
    page: 'coverage',
    headings: ['Depth files'],
    prepare(folder) {
      const names = [...Array.from({ length: 22 }, (_, i) => String(i + 1)), 'X', 'Y', 'MT'];
      const contigs = names.map((name) => ({ name, size: sizeIn('GRCh38', name) }));
      writeFileSync(join(folder, 'genome.txt'), contigs.map(({ name, size }) => `${name}\t${size}\n`).join(''));
      const depths = contigs.map(({ name, size }) => `${name}\t0\t${size}\t30\n`).join('');
      writeFileSync(join(folder, 'depth.bedgraph.gz'), gzipSync(depths));
      writeFileSync(join(folder, 'exons.bed'), '1\t1000\t2000\n');
      return true;
    },
  },
  {
    page: 'matchmaker',
    headings: ['Load the resources'],
    prepare(folder) {
      if (!existsSync(shared)) return false;
      writeFileSync(join(folder, 'hp.json.gz'), readFileSync(join(shared, 'hp.v2024-08-13.json.gz')));
      for (const [from, to] of [
        ['phenotype.hpoa.gz', 'phenotype.hpoa'],
        ['gene_table_merged.tsv.gz', 'hgnc_complete_set.txt'],
      ] as const) {
        writeFileSync(join(folder, to), gunzipSync(readFileSync(join(shared, from))));
      }
      // Marfan syndrome in MONDO and in OMIM.
      const val = 'https://omim.org/entry/154700';
      const basicPropertyValues = [{ pred: 'http://www.w3.org/2004/02/skos/core#exactMatch', val }];
      const nodes = [{ id: 'http://purl.obolibrary.org/obo/MONDO_0007947', meta: { basicPropertyValues } }];
      writeFileSync(join(folder, 'mondo.json'), JSON.stringify({ graphs: [{ nodes, edges: [] }] }));
      return true;
    },
  },
  { page: 'matchmaker', headings: ['Add a patient'] },
  { page: 'matchmaker', headings: ['Work with matches'] },
  { page: 'panels', headings: ['Import panels', 'Compare versions', 'What the numbers mean'] },
  { page: 'panels', headings: ['In reports'] },
  { page: 'panels', headings: ['Signing'] },
  { page: 'panels', headings: ['As BED'] },
  { page: 'reviews', headings: ['Try it'] },
];

describe('guides: the README of a plugin', function () {
  this.timeout(180_000); // builds, packs, and runs many commands
  let installed: Installed;
  let folder: string;
  before(() => {
    installed = install();
  });
  after(() => installed?.remove());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'trefoil-readme-'));
    symlinkSync(join(installed.folder, 'node_modules'), join(folder, 'node_modules'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  for (const { page, headings, prepare } of sampled(sections, 6)) {
    it(`${page}: ${headings.join(', ')}`, async function () {
      if (prepare?.(folder) === false) return this.skip();
      const file = `plugins/${page}/README.md`;
      await follow(
        headings.flatMap((heading) => blocksOf(file, heading)),
        { folder },
      );
    });
  }

  it('matchmaker: a patient of a registered sample is added like others', async () => {
    const page = 'plugins/matchmaker/README.md';
    const [serving, adding] = blocksOf(page, 'Add a patient').filter(({ language }) => language === 'sh');
    const [patient] = blocksOf(page, 'Covered here, seen here').filter(({ language }) => language === 'json');
    if (!serving || !adding || !patient) throw new Error('A patient and a command that adds one are on the page');
    const text = adding.text.replace(/<<'END'\n.*\nEND/s, `<<'END'\n${patient.text}\nEND`);
    const printed: string[] = [];
    await follow([serving, { ...adding, text }], { folder, onPrint: (output) => printed.push(output) });
    expect(text).to.include('_sample');
    expect(printed).to.deep.equal(['{"message":"Patient was successfully inserted into database."}']);
  });

  for (const page of new Set(sections.map((section) => section.page))) {
    it(`${page}: leaves out no command`, () => {
      const file = `plugins/${page}/README.md`;
      const followed = sections
        .filter((section) => section.page === page)
        .flatMap(({ headings }) => headings.flatMap((heading) => blocksOf(file, heading)));
      const commands = (blocks: readonly Block[]) => blocks.filter(({ language }) => language === 'sh').length;
      const [title = ''] = readFileSync(join(root, file), 'utf8').split('\n');
      expect(commands(followed)).to.equal(commands(blocksOf(file, title.slice(2))));
    });
  }
});
