/** Sheets of statements, and `trefoil reviews load`, which keeps all of them or none. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { statementOf } from '../../../plugins/reviews/statements/entry.js';
import { readStatements, sheetColumns } from '../../../plugins/reviews/statements/sheet.js';
import { command } from '../../support/command.js';
import { approved, withdrawn } from '../panels/support/hgnc.js';

const header =
  'case,proband,sex,mother,affected,build,panel,thresholds,terms,conclusion,alleles,reviewer,decided,recontact';
const line = (name: string, more = 'GRCh38,kidney@1,20;10,HP:0001250 HP:0000707,negative,,"Berg, Anna",2026-11-01,') =>
  `${name},P1,female,M1,M1,${more}`;

describe('sheets of statements', () => {
  const refused = (...lines: string[]): string => {
    try {
      readStatements('cases.csv', lines);
    } catch (error) {
      return (error as Error).message;
    }
    return 'nothing is wrong';
  };

  it('have a statement in each line, as JSON has it', () => {
    const alleles = '7-101-a-T heterozygous likely pathogenic basis; X-5-G-GA';
    const [one, two, ...more] = readStatements('cases.csv', [
      header,
      '',
      line('F1'),
      line('F2', `GRCh38,kidney@1.10,20,,solved,"${alleles}",Bo,2026-11-01T10:00:00Z,2030-01-31\r`),
    ]);
    expect(more).to.deep.equal([]);
    expect([one?.place, two?.place]).to.deep.equal(['line 3', 'line 4']);
    expect(one?.fields).to.deep.equal({
      case: 'F1',
      persons: [
        { role: 'proband', isAffected: true, sample: 'P1', sex: 'female' },
        { role: 'mother', isAffected: true, sample: 'M1', sex: 'female' },
      ],
      ...{ build: 'GRCh38', panel: { panel: 'kidney', version: '1' }, thresholds: [20, 10], releases: {} },
      ...{ terms: ['HP:0001250', 'HP:0000707'], conclusion: 'negative', alleles: [], reviewer: 'Berg, Anna' },
      ...{ decided: new Date('2026-11-01T00:00:00Z'), recontact: 'yes' },
    });
    expect(two?.fields).to.deep.include({
      alleles: [
        {
          chromosome: '7',
          start: 100,
          reference: 'A',
          alternate: 'T',
          zygosity: 'heterozygous',
          class: 'likely pathogenic',
          isBasis: true,
        },
        { chromosome: 'X', start: 4, reference: 'G', alternate: 'GA', isBasis: false },
      ],
      recontact: new Date('2030-01-31T00:00:00Z'),
    });
  });

  it('may be separated by tabs, and name releases and a report', () => {
    const columns = [
      'case',
      'report',
      'conclusion',
      'reviewer',
      'decided',
      'releases',
      'replaces',
      'panel',
      'by_phenotype',
    ];
    const cells = [
      'F1',
      'r'.repeat(24),
      'uncertain',
      'Bo',
      '2026-11-01',
      'ClinVar=2026-01; HGNC = 5',
      '3',
      'a@2',
      'yes',
    ];
    expect(readStatements('cases.tsv', [columns.join('\t'), cells.join('\t')])[0]?.fields).to.deep.include({
      ...{ report: 'r'.repeat(24), replaces: 3, releases: { ClinVar: '2026-01', HGNC: '5' } },
      panel: { panel: 'a', version: '2', byPhenotype: true },
    });
  });

  it('name each mistake by line and column', () => {
    expect(refused('')).to.include('is empty');
    expect(refused(header)).to.include('no statement');
    expect(refused('case,name,case'))
      .to.include('line 1, column 2: "name" is none of case')
      .and.include('line 1, case: the column is there twice')
      .and.include('line 1, conclusion: the column is missing');
    const wrong = refused(
      header,
      line('F1'),
      line('F1'),
      line('F3', 'GRCh38,kidney@1,20;x,HP:1,perhaps,7-0-A-C,Bo,2026-02-31,'),
      line('F4', 'GRCh38,kidney@1,20,,negative,,,2026-11-01,,,more'),
      'F5,P1,female,P1,,GRCh38,kidney@1,20,,negative,,Bo,2026-11-01',
    );
    for (const mistake of [
      'line 3, case: is already in line 2',
      'line 4, thresholds, value 2',
      'line 4, terms, value 1: must be an HPO id such as HP:0001250',
      'line 4, conclusion: must be one of negative, uncertain, solved',
      'line 4, alleles, value 1',
      'line 4, decided',
      'line 5, column 16: the header names only 14 columns',
      'line 5, reviewer: is missing',
      'line 6, mother: is named twice',
    ]) {
      expect(wrong).to.include(mistake);
    }
  });
});

describe('a statement about a person who objects', () => {
  it('is kept only if it is not watched', async () => {
    const barred = async (_: string, ids: readonly string[]) =>
      new Map(ids.filter((id) => id === 'M1').map((id) => [id, { reason: 'objection', at: new Date(0) } as const]));
    const panels = { versionOf: async () => ({}) };
    const find = async (key: string) => (key === 'panels/versions@1' ? panels : undefined) as never;
    const tools = { find, tenants: [], keepDays: undefined, now: () => new Date(), erasures: { barred } };
    const state = (recontact: string) => {
      const [one] = readStatements('cases.csv', [header, `${line('F1')}${recontact}`]);
      if (one === undefined) throw new Error('the sheet has no statement');
      return statementOf(tools, 'operator', undefined, one.fields, new AbortController().signal);
    };
    expect((await state('no')).recontact).to.equal('no');
    for (const recontact of ['yes', '2999-01-01']) {
      const said = await state(recontact).catch((error: Error) => error.message);
      expect(said).to.include('recontact must be no: a person of the case objects to it');
    }
  });
});

describe('trefoil reviews load', function () {
  this.timeout(120_000);
  let folder = '';
  const run = (...args: string[]) => {
    const env = { TREFOIL_CONFIG: 'trefoil.yaml', TREFOIL_SQLITE_FILE: 'trefoil.sqlite' };
    return command(args, { cwd: folder, env });
  };
  const load = async (lines: readonly string[], ...more: string[]) => {
    await writeFile(join(folder, 'cases.csv'), lines.join('\n'));
    return run('reviews', 'load', 'cases.csv', ...more);
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trefoil-reviews-'));
    const settings = {
      audit: { key: 'k'.repeat(32) },
      plugins: { panels: {}, matchmaker: {}, reviews: {} },
      migrate: 'auto',
    };
    await writeFile(join(folder, 'trefoil.yaml'), JSON.stringify(settings));
    for (const [name, text] of Object.entries({ set: approved, withdrawn, list: 'BAP1\n' }))
      await writeFile(join(folder, `${name}.txt`), text);
    const names = ['--approved', 'set.txt', '--withdrawn', 'withdrawn.txt', '--release', '2026-11-01'];
    expect((await run('panels', 'load-hgnc', ...names)).code).to.equal(0);
    const imported = await run(
      'panels',
      'import',
      '--file',
      'list.txt',
      '--panel',
      'kidney',
      '--version',
      '1',
      '--by',
      'Anna',
    );
    expect(imported.code, imported.stderr).to.equal(0);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('keeps the statements of a sheet, all or none', async () => {
    const cases = async () => JSON.parse((await run('audit', 'list', '--action', 'reviews.state', '--json')).stdout);
    const wrong = await load([header, line('F1'), line('F2').replace('kidney@1', 'kidney@7')]);
    expect(wrong.code, wrong.stdout).to.equal(1);
    expect(wrong.stderr).to.include('line 3, panel: has no version 7 of kidney that you may read');
    const tried = await load([header, line('F1'), line('F2')], '--dry-run');
    expect([tried.code, tried.stdout], tried.stderr).to.deep.equal([0, '2 statements: nothing was stored\n']);
    expect(await cases()).to.deep.equal([]);
    const stored = await load([header, line('F1'), line('F2')]);
    expect([stored.code, stored.stdout], stored.stderr).to.deep.equal([0, '2 statements stored\n']);
    expect((await cases())[0].about).to.have.members(['case:F1', 'case:F2']);
    const again = await load([header, line('F3'), line('F2')]);
    expect(again.stderr).to.include('line 3, replaces: There is already a statement about this case');
    const next = await load([`${header},replaces`, `${line('F2')},1`]);
    expect([next.code, next.stdout], next.stderr).to.deep.equal([0, '1 statement stored\n']);
    expect((await run('reviews', 'load', '--help')).stdout.replaceAll(/\s+/g, ' ')).to.include(sheetColumns.join(', '));
  });
});
