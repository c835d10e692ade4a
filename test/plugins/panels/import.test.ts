/** `trefoil panels`: names of genes, imports of every form, and what is listed of them. */
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { PanelContent } from '../../../plugins/panels/versions/content.js';
import { useFolder } from '../../support/folder.js';
import { typedCommands } from '../../support/typed.js';
import { approved, withdrawn } from './support/hgnc.js';

/** As PanelApp answers, with the members that matter here; the shape is that of its API. */
const gene = (hgnc: string | null, symbol: string, level: string, more: object = {}) => ({
  gene_data: { hgnc_id: hgnc, hgnc_symbol: symbol, gene_symbol: symbol, ensembl_genes: {} },
  entity_type: 'gene',
  entity_name: symbol,
  confidence_level: level,
  penetrance: null,
  mode_of_pathogenicity: '',
  publications: ['27539938'],
  phenotypes: ['Porphyria, acute intermittent, OMIM:176000'],
  mode_of_inheritance: 'BIALLELIC, autosomal or pseudoautosomal',
  tags: [],
  transcript: null,
  ...more,
});
const porphyria = {
  id: 1207,
  hash_id: null,
  name: 'Acute intermittent porphyria',
  disease_group: 'Gastrohepatology',
  disease_sub_group: '',
  status: 'public',
  version: '1.6',
  version_created: '2026-01-22T16:47:20.255708Z',
  relevant_disorders: ['R169'],
  genes: [gene('HGNC:4982', 'HMBS', '3')],
  strs: [],
  regions: [],
};
const rhabdomyolysis = {
  ...porphyria,
  id: 1141,
  name: 'Made up, with everything that happens',
  version: '2.10',
  genes: [
    gene('HGNC:950', 'BAP1', '1'),
    gene('HGNC:950', 'BAP1', '3', { transcript: ['NM_004656.4'] }),
    gene('HGNC:7132', 'MLL', '2'),
    gene('HGNC:2', 'OLDBAP2', '3'),
    gene('HGNC:3', 'SPLIT', '3'),
    gene(null, 'GIG13', '4'),
    gene('HGNC:8847', 'PER3', '0'),
  ],
  strs: [
    {
      entity_name: 'HTT_CAG',
      confidence_level: '3',
      gene_data: { hgnc_id: 'HGNC:4851' },
      repeated_sequence: 'CAG',
      chromosome: '4',
      grch38_coordinates: [3074877, 3074933],
      normal_repeats: 35,
      pathogenic_repeats: 40,
    },
  ],
  regions: [{ verbose_name: '22q11.2 recurrent region', entity_name: 'ISCA-37446', confidence_level: '3' }],
};

describe('trefoil panels', function () {
  this.timeout(120_000); // many commands
  const folder = useFolder();

  const words = { first: ['panels'], last: ['--config', 'trefoil.yaml'] };
  const { run, done: succeeded } = typedCommands(() => ({ cwd: folder.path() }), words);
  const done = async (...words: string[]) => (await succeeded(...words)).stdout;
  async function json<Value>(...words: string[]): Promise<Value> {
    return JSON.parse(await done(...words, '--json')) as Value;
  }

  beforeEach(async () => {
    await folder.write('trefoil.yaml', JSON.stringify({ demo: false, migrate: 'auto', plugins: { panels: {} } }));
    await folder.write('hgnc_complete_set_2026-11-01.txt', approved);
    await folder.write('withdrawn.txt', withdrawn);
  });
  const load = () =>
    done('load-hgnc', '--approved', 'hgnc_complete_set_2026-11-01.txt', '--withdrawn', 'withdrawn.txt');

  it('imports PanelApp’s lines without losing an entry, and tells of each what needs a look', async () => {
    expect((await run('import', '--file', 'x', '--by', 'anna')).stderr).to.include('x');
    expect(await load()).to.include('Names of release 2026-11-01: 6 genes, 6 withdrawn');
    await writeFile(
      `${folder.path()}/all.jsonl.gz`,
      gzipSync([porphyria, rhabdomyolysis].map((one) => JSON.stringify(one)).join('\n')),
    );
    const told = await done('import', '--file', 'all.jsonl.gz', '--by', 'anna');
    expect(told.split('\n')).to.include.members([
      'panelapp-1207@1.6: 1 gene, added',
      'panelapp-1141@2.10: 3 genes, added',
      '  gene 2: BAP1 is listed before; the entry with the higher confidence (green) is kept',
      '  gene 3: MLL is now KMT2A',
      '  gene 4: HGNC:2 (OLDBAP) was merged into HGNC:950 (BAP1)',
      '  gene 5: no gene for SPLIT HGNC:3: HGNC:3 (SPLIT) was split into HGNC:950 (BAP1), HGNC:8847 (PER3); may be HGNC:950, HGNC:8847 (blocks signing)',
      '  gene 6: no gene for GIG13: GIG13 is an alias, which is not certain; may be HGNC:8847 (blocks signing)',
      '2 panels: 2 added, 0 unchanged, 0 refused; 2 without a gene',
    ]);
    const { content } = await json<{ content: Record<string, unknown[]> }>('show', 'panelapp-1141@2.10');
    expect(content.genes).to.deep.include({
      hgnc: 950,
      symbol: 'BAP1',
      confidence: 'green',
      inheritance: 'BIALLELIC, autosomal or pseudoautosomal',
      phenotypes: ['Porphyria, acute intermittent, OMIM:176000'],
      transcripts: ['NM_004656.4'],
    });
    expect(content.others).to.deep.equal([
      {
        kind: 'str',
        name: 'HTT_CAG',
        confidence: 'green',
        genes: [4851],
        place: '4:3074877-3074933 (GRCh38)',
        detail: 'repeat CAG, normal up to 35, pathogenic from 40',
      },
      { kind: 'region', name: '22q11.2 recurrent region', confidence: 'green' },
    ]);
    // Seven entries of genes: three genes, of which BAP1 has three entries, and two without a gene.
    expect(content.unmapped).to.have.length(2);

    expect(await done('import', '--file', 'all.jsonl.gz', '--by', 'bo')).to.include('0 added, 2 unchanged');
    const other = JSON.stringify({ ...porphyria, genes: [gene('HGNC:950', 'BAP1', '3')] });
    await folder.write('other.jsonl', other);
    const refused = await run('import', '--file', 'other.jsonl', '--by', 'bo');
    expect([refused.code, refused.stdout.split('\n')[0]]).to.deep.equal([
      1,
      'panelapp-1207@1.6: refused: panelapp-1207@1.6 is there with other content: give the new content another version',
    ]);
  });

  it('imports Scout’s exports, tables of spreadsheets and plain lists', async () => {
    await load();
    await folder.write(
      'scout.txt',
      [
        '##panel_id=kidney',
        '##institute=cust000',
        '##version=1.10',
        '##date=2026-01-01',
        '##display_name=Kidney tumours',
        '#hgnc_id\tsymbol\tdisease_associated_transcripts\treduced_penetrance\tmosaicism\tdatabase_entry_version\tinheritance_models\tcustom_inheritance_models\tcomment',
        '950\tBAP1\tNM_004656,NM_1\tYes\t\t\tAD\t\tlook',
        '\t\t\t\t\t\t\t\t',
        '8847\tPER3\t\t\tYes\t\tAR\t\t',
      ].join('\r\n'),
    );
    await done('import', '--file', 'scout.txt', '--by', 'anna');
    await folder.write('table.csv', 'HGNC_IDnumber;HGNC symbol\n950;BAP1\n;MLL\n;;\n');
    await done('import', '--file', 'table.csv', '--by', 'anna', '--panel', 'kidney', '--version', '1.9');
    await folder.write('list.txt', 'BAP1\nHGNC:8847\n4982\nNOGENE\n');
    await done('import', '--file', 'list.txt', '--by', 'anna', '--panel', 'list', '--name', 'A list');
    const heads =
      await json<{ panel: string; version: string; name: string; genes: number; unmapped: number }[]>('list');
    expect(
      heads.map(({ panel, version, name, genes, unmapped }) => [panel, version, name, genes, unmapped]),
    ).to.deep.equal([
      ['kidney', '1.9', 'kidney', 2, 0],
      ['kidney', '1.10', 'Kidney tumours', 2, 0],
      ['list', '1.0', 'A list', 3, 1],
    ]);
    expect(await done('show', 'kidney@1.10'))
      .to.match(/^ {2}from scout\.txt, read \d{4}-\d\d-\d\d, gene names of 2026-11-01$/m)
      .and.match(/^HGNC:950 +BAP1 +unrated +AD +NM_004656, NM_1$/m);
    const { content } = await json<{ content: { genes: object[]; source: object } }>('show', 'kidney@1.10');
    expect(content.genes).to.deep.equal([
      {
        hgnc: 950,
        symbol: 'BAP1',
        confidence: 'unrated',
        inheritance: 'AD',
        transcripts: ['NM_004656', 'NM_1'],
        penetrance: 'reduced',
        comment: 'look',
      },
      { hgnc: 8847, symbol: 'PER3', confidence: 'unrated', inheritance: 'AR', tags: ['mosaicism'] },
    ]);
    expect(content.source).to.include({ kind: 'scout', version: '1.10', name: 'scout.txt' });
    await folder.write('kit.bed', 'track name=kit\nchr3\t52401500\t52401700\tBAP1_ex1\nchr1\t7784000\t7785000\n');
    expect(
      (await done('import', '--file', 'kit.bed', '--by', 'anna', '--panel', 'kit')).split('\n').slice(0, 3),
    ).to.deep.equal([
      'kit@1.0: 1 gene, added',
      '  line 2: BAP1_ex1 is read as BAP1',
      '  Lines without a name are regions, which no report looks at, since a BED file states no build: 1',
    ]);
    expect(await done('diff', 'kidney@1.9', 'kidney@1.10'))
      .to.match(/KMT2A +removed/)
      .and.match(/PER3 +added/);
    expect(await json<object[]>('holding', 'PER3', 'mll')).to.deep.equal([
      { panel: 'kidney', version: '1.10', state: 'draft', hgnc: 8847 },
      { panel: 'list', version: '1.0', state: 'draft', hgnc: 8847 },
      { panel: 'kidney', version: '1.9', state: 'draft', hgnc: 7132 },
    ]);
    // An alias of PER3 may be PER3: the draft was made while no gene was certain.
    await folder.write('alias.txt', 'GIG13\nBAP1\n');
    await done('import', '--file', 'alias.txt', '--by', 'anna', '--panel', 'alias');
    expect(await done('holding', 'PER3')).to.match(
      /^PER3 +alias@1\.0 +draft +may be the entry without a gene: GIG13$/m,
    );
  });

  it('keeps what a laboratory requires of reports, and which genes are core genes', async () => {
    await load();
    const header = 'hgnc_symbol\tcore\tMode of inheritance\tphenotype';
    const lines = ['##required_depth=15', '##required_percent=98.5', header, 'BAP1\tyes\tAD\tred eyes', 'PER3\t\t\t'];
    await folder.write('required.tsv', lines.join('\n'));
    expect(await done('import', '--file', 'required.tsv', '--by', 'anna', '--panel', 'eye')).to.include(
      '\n  Columns that are not read: phenotype\n',
    );
    await folder.write('plain.tsv', 'BAP1\nPER3\n');
    await done('import', '--file', 'plain.tsv', '--by', 'anna', '--panel', 'eye', '--version', '1.1');
    const { content } = await json<{ content: PanelContent }>('show', 'eye@1.0');
    expect(content.requirement).to.deep.equal({ depth: 15, percent: 98.5, bases: 'exons' });
    expect(content.genes.map(({ symbol, core, inheritance }) => [symbol, core, inheritance])).to.deep.equal([
      ['BAP1', true, 'AD'],
      ['PER3', undefined, undefined],
    ]);
    expect(content.source.kind).to.equal('list');
    expect(await done('show', 'eye@1.0')).to.include('requires 98.5 % of the exonic bases at 15x or more');
    expect(await done('diff', 'eye@1.0', 'eye@1.1'))
      .to.include('requirement: 98.5 % of the exonic bases at 15x or more → nothing')
      .and.match(/BAP1 +changed +core/);
  });

  it('tells what a new release of names means for the panels in use', async () => {
    await load();
    await folder.write('list.txt', 'BAP1\nPER3\nHMBS\n');
    await done('import', '--file', 'list.txt', '--by', 'anna', '--panel', 'list');
    const later = approved.replace('HGNC:950\tBAP1', 'HGNC:950\tBAPX').replace(/HGNC:8847.*\n/, '');
    await folder.write('later_2026-12-01.txt', later);
    await folder.write('gone.txt', `${withdrawn}\nHGNC:8847\tEntry Withdrawn\tPER3\t`);
    const told = await done('load-hgnc', '--approved', 'later_2026-12-01.txt', '--withdrawn', 'gone.txt');
    expect(told.split('\n')).to.include.members([
      'Names of release 2026-12-01: 5 genes, 7 withdrawn',
      'list@1.0 (draft): BAP1 is now BAPX',
      'list@1.0 (draft): HGNC:8847 (PER3) was withdrawn (blocks signing)',
      '1 withdrawn: replace or remove the gene in the draft, or in a new version; until then it blocks signing',
      '1 renamed: nothing; reports find the gene by its id, and a new version has the new symbol',
    ]);
    expect(await done('check')).to.include('list@1.0 (draft): BAP1 is now BAPX');
    // The draft itself is as it was.
    expect((await json<{ content: { genes: object[] } }>('show', 'list@1.0')).content.genes).to.deep.include({
      hgnc: 950,
      symbol: 'BAP1',
      confidence: 'unrated',
    });
  });

  describe('from a server of PanelApp', () => {
    let server: Server;
    let asked: string[];
    /** Answers before the panel is sent. */
    let busy: number;
    let next: string | undefined;
    beforeEach(async () => {
      [asked, busy, next] = [[], 0, undefined];
      server = createServer((request, response) => {
        const url = new URL(request.url ?? '/', 'http://localhost');
        asked.push(request.url ?? '');
        const send = (value: unknown) =>
          response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
        if (busy-- > 0) {
          response.writeHead(429, { 'retry-after': '0' }).end();
          return;
        }
        const { host } = request.headers;
        const list = (from: object, then: string | null) =>
          send({ count: 2, next: then, previous: null, results: [from] });
        if (url.pathname === '/api/v1/panels/signedoff/') list({ ...porphyria, signed_off: '2026-02-03' }, null);
        else if (url.pathname === '/api/v1/panels/' && url.searchParams.has('page')) list(rhabdomyolysis, null);
        else if (url.pathname === '/api/v1/panels/') list(porphyria, next ?? `http://${host}/api/v1/panels/?page=2`);
        else if (url.pathname === '/api/v1/panels/1207/') send(porphyria);
        else if (url.pathname === '/api/v1/panels/1141/') send(rhabdomyolysis);
        else response.writeHead(404).end('{"detail":"Not found."}');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/`;
      const plugins = { panels: { panelApp: { url } } };
      await folder.write('trefoil.yaml', JSON.stringify({ demo: false, migrate: 'auto', plugins }));
      await load();
    });
    afterEach(() => server.close());

    it('imports all panels over all pages, waiting when it is asked to, and reads none again', async () => {
      busy = 2;
      expect(await done('import-panelapp', '--by', 'anna')).to.include('2 panels: 2 added');
      const first = asked.length;
      expect(await done('import-panelapp', '--by', 'anna')).to.include('2 panels with the version that is stored');
      expect(asked.slice(first)).to.deep.equal(['/api/v1/panels/', '/api/v1/panels/?page=2']);
    });

    it('keeps the day on which a stored version was signed off there, whatever was edited since', async () => {
      await done('import-panelapp', '1207', '1141', '--by', 'anna');
      const first = asked.length;
      const said = 'panelapp-1207@1.6: signed off in PanelApp on 2026-02-03; added to the draft\n';
      expect(await done('import-panelapp', '--signed-off', '--by', 'bo')).to.include(said);
      expect(asked.slice(first)).to.deep.equal(['/api/v1/panels/signedoff/']);
      const { content, history } = await json<{ content: PanelContent; history: { what: string; comment?: string }[] }>(
        ...['show', 'panelapp-1207@1.6'],
      );
      expect(content.source).to.include({ kind: 'panelapp', id: '1207', version: '1.6', signedOff: '2026-02-03' });
      expect(history.map(({ what, comment }) => [what, comment])).to.deep.equal([
        ['made', undefined],
        ['edited', 'signed off in PanelApp on 2026-02-03'],
      ]);
      expect(await done('import-panelapp', '--signed-off', '--by', 'bo')).not.to.include('2026-02-03');
      // From a file, with a content that differs by now.
      await folder.write('later.json', JSON.stringify({ ...rhabdomyolysis, genes: [], signed_off: '2026-04-05' }));
      const refused = await run('import', '--file', 'later.json', '--by', 'bo');
      expect([refused.code, refused.stdout]).to.satisfy(
        ([exit, text]: [number, string]) =>
          exit === 1 && text.includes('panelapp-1141@2.10: signed off in PanelApp on 2026-04-05; added to the draft\n'),
      );
    });

    it('says which panel is missing, or that the list leads elsewhere', async () => {
      const missing = await run('import-panelapp', '9', '--by', 'anna');
      expect(missing.code).to.equal(1);
      expect(missing.stderr).to.match(/127\.0\.0\.1:\d+\/api\/v1\/panels\/9\/: the server responded with status 404/);
      next = 'http://elsewhere.invalid/api/v1/panels/?page=2';
      expect((await run('import-panelapp', '--by', 'anna')).stderr).to.include('goes on at another server');
      busy = 99;
      expect((await run('import-panelapp', '--by', 'anna')).stderr).to.include('status 429');
      expect((await run('import-panelapp', 'R169', '--by', 'anna')).stderr).to.include('expected an id such as 1207');
    });
  });

  it('refuses what it cannot read with file, line and field', async () => {
    const words = ['import', '--by', 'anna', '--panel', 'p', '--file'];
    const early = await run(...words, 'withdrawn.txt');
    expect(early.stderr).to.include('No names of genes are loaded: load them with `trefoil panels load-hgnc`');
    await load();
    for (const [text, sentence] of [
      ['{"id":1}\n{"id":', 'bad, line 2: not JSON'],
      ['{"id":1,"version":"1","genes":[]}', 'bad: not a panel of PanelApp: name:'],
      ['hgnc_id\tsymbol\nX\tBAP1\n', 'bad, line 2: "X" is not an HGNC id'],
      ['colour\tsize\nred\t1\n', 'bad, line 1: expected a header with hgnc_id or symbol'],
      ['', 'bad: there are no genes in it'],
      ['hgnc_symbol\tconfidence\nBAP1\tpurple\n', 'bad, line 2: "purple" is not a confidence: expected green'],
      ['BAP1\nPE\0R3\n', 'bad, line 2: expected text without control characters'],
      ['##required_depth=15\nBAP1\n', 'bad: expected ##required_percent=, above 0 and at most 100'],
      [
        '##required_depth=5\n##required_percent=9\n##required_bases=all\nBAP1\n',
        'bad: expected ##required_bases= to be one of exons, coding',
      ],
      ['##required_depth=0.5\n##required_percent=9\nBAP1\n', 'bad: expected ##required_depth=, a depth from 1 to'],
      ['BAP1\n'.repeat(60_001), 'bad, line 60001: expected at most 60000 genes'],
      [
        JSON.stringify({ ...porphyria, genes: [gene('HGNC:950', 'BAP1', '99')] }),
        'genes.0.confidence_level: expected a level from 0 to 4',
      ],
    ] as const) {
      await folder.write('bad', text);
      const { code, stderr } = await run(...words, 'bad');
      expect([code, stderr], text).to.satisfy(
        ([exit, said]: [number, string]) => exit === 1 && said.includes(sentence),
      );
    }
    await folder.write('bad', JSON.stringify({ ...porphyria, name: 'a\0b' }));
    expect((await run(...words, 'bad')).stdout).to.include('refused: name: expected text without NUL characters');
    await folder.write('IEM.txt', '##panel_id=IEM 2\n##version=12.0\n#hgnc_id\thgnc_symbol\n950\tBAP1\n');
    const upper = await run('import', '--by', 'anna', '--file', 'IEM.txt');
    expect([upper.code, upper.stdout]).to.satisfy(
      ([exit, said]: [number, string]) => exit === 1 && said.includes('; import it with --panel iem-2\n'),
    );
    await folder.write('good', 'BAP1\n');
    for (const nobody of ['', ' ', 'y'.repeat(201)]) {
      const { code, stderr } = await run('import', '--by', nobody, '--panel', 'p', '--file', 'good');
      expect([code, stderr]).to.deep.equal([
        1,
        'trefoil: --by: expected the name of a person, of at most 200 characters\n',
      ]);
    }
    const bad = await run(...words, 'good', '--version', '1.x');
    expect([bad.code, bad.stdout]).to.satisfy(
      ([exit, said]: [number, string]) => exit === 1 && said.includes('"1.x" is not a version'),
    );
    expect((await run('check', 'nobody')).stderr).to.include('There is no panel nobody');
    expect((await run('show', 'nobody')).stderr).to.include('There is no panel nobody');
    await done(...words, 'good', '--version', '1.9');
    expect((await run('show', 'p')).stderr).to.include('No version of p is signed off: name one, such as p@1.9');
    for (const word of ['p@', '@', '@1', 'p@1.9@2']) {
      const { code, stderr } = await run('show', word);
      expect([code, stderr.includes('expected ID@VERSION')], word).to.deep.equal([1, true]);
    }
    expect((await run('show', 'p@2')).stderr).to.include('There is no version 2 of p; there are 1.9');
  });
});
