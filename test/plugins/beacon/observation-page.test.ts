/** The page of local observations, and what the query page says of them. Counted by hand in support/observed.ts. */
import { expect } from 'chai';
import { dealt } from '../../support/dealt.js';
import { useOnce } from '../../support/use.js';
import { engines } from './support/engines.js';
import { alerts, getForm, plain } from './support/form.js';
import { add, addObservations, january, send, tokenWith } from './support/observed.js';
import { dataset, serveBeacon } from './support/serve.js';

for (const engine of dealt(engines, 'sqlite')) {
  describe(`beacon: the page of observations (${engine.name})`, () => {
    const server = useOnce(async () => {
      const observations = { caseUrl: 'https://scout.example.org/cust000/{case}?from=trefoil' };
      return serveBeacon(engine, { settings: { name: 'Lab & <beacon>', observations } });
    });
    let counting: string;
    let naming: string;

    before(async () => {
      await addObservations(server.repository);
      await server.repository.addDataset(dataset('weird', { assembly: 'GRCh38' }), january);
      await server.repository.addDataset(dataset('open'), january);
      counting = await tokenWith(server, 'beacon:observe:wgs');
      naming = await tokenWith(server, 'beacon:observe:wgs', 'beacon:cases:wgs');
    });

    /** As a browser asks after it has prompted for a password. */
    const open = async (search: string, token = naming) => {
      const authorization = `Basic ${Buffer.from(`anna:${token}`).toString('base64')}`;
      const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
      const reply = await send(server, `/observations${search}`, { headers: { authorization, accept } });
      expect(reply.status, reply.text).to.equal(200);
      expect(reply.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(reply.headers.get('cache-control')).to.equal('no-store');
      return reply.text;
    };
    const facts = (text: string) =>
      Object.fromEntries(
        [...text.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name = '', value = '']) => [name, plain(value)]),
      );
    const cells = (text: string) =>
      [...text.matchAll(/<tr role="row">\n(.*?)<\/tr>/gs)].map(([, row = '']) =>
        [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell = '']) => plain(cell)),
      );

    it('is an empty form without parameters', async () => {
      const text = await open('');
      expect(text).to.include('<title>Local observations · Lab &amp; &lt;beacon&gt;</title>');
      expect(text).to.include('<option value="GRCh37" selected>');
      expect(alerts(text)).to.deep.equal([]);
      expect(alerts(await open('?assembly=GRCh37&allele=&chromosome=&type='))).to.deep.equal([]);
    });

    it('shows counts, and cases as links, homozygous ones first', async () => {
      const text = await open('?assembly=GRCh37&allele=1-880086-T-C');
      expect(text).to.include('<title>Seen before · ');
      expect(alerts(text)).to.deep.equal(['success: Seen in 2 of 4 cases (50 %)']);
      expect(facts(text)).to.deep.equal({
        Carriers: '4 of 6 samples',
        Homozygotes: '1',
        Hemizygotes: '0',
        'Allele count': '5',
        'First seen': '2026-01-10',
        'Last seen': '2026-02-10',
      });
      expect(cells(text)).to.deep.equal([
        ['fam1', 'homozygous', '2026-01-10'],
        ['fam2', 'heterozygous', '2026-02-10'],
      ]);
      expect(text).to.include(
        '<a href="https://scout.example.org/cust000/fam1?from=trefoil" rel="noreferrer">fam1</a>',
      );
      expect(text).to.include('Genotypes with a quality (GQ) of at least 20 are counted, of records with FILTER PASS.');
      expect(text).to.match(/name="allele" value="1-880086-T-C"/);
    });

    it('shows no case to a caller who may not see them', async () => {
      const text = await open('?assembly=GRCh37&allele=1-880086-T-C', counting);
      expect(facts(text)).to.include({ Homozygotes: '1', 'Allele count': '5' });
      expect(text).to.not.match(/fam1|fam2|scout|<table/);
    });

    it('pages the cases of each dataset', async () => {
      const text = await open('?assembly=GRCh37&allele=1-880086-T-C&limit=1');
      expect(cells(text).map(([id]) => id)).to.deep.equal(['fam1']);
      expect(text).to.include('Shown: 1 to 1 of 2.');
      const [, next = ''] = /<a href="([^"]*)">Next<\/a>/.exec(text) ?? [];
      const second = await open(plain(next));
      expect(cells(second).map(([id]) => id)).to.deep.equal(['fam2']);
      expect(second)
        .to.match(/>Previous<\/a>/)
        .and.not.match(/>Next<\/a>/);
      expect(cells(await open('?assembly=GRCh37&allele=1-880086-T-C&offset=9'))).to.deep.equal([]);
    });

    it('escapes the ids of cases, in links too', async () => {
      const id = 'weird';
      const allele = { contig: '5', start: 4, end: 5, reference: 'A', alternate: 'C', kind: 'SNP', structural: false };
      const called = { ...allele, contig: '5' as const, carriers: [[0, 1] as const] };
      await add(server.repository, id, { s: { case: 'a/b?c=<d>$&"' } }, [called], january);
      const token = await tokenWith(server, `beacon:observe:${id}`, `beacon:cases:${id}`);
      const text = await open('?assembly=GRCh38&allele=5-5-A-C', token);
      expect(text).to.include(
        '<a href="https://scout.example.org/cust000/a%2Fb%3Fc%3D%3Cd%3E%24%26%22?from=trefoil" rel="noreferrer">' +
          'a/b?c=&lt;d&gt;$&amp;&quot;</a>',
      );
    });

    it('explains what counts as the structural variant that was asked for', async () => {
      const text = await open('?assembly=GRCh37&chromosome=1&position=10001&end=11001&type=DEL');
      expect(plain(text)).to.include('DEL 1:10,001-11,001');
      expect(alerts(text)).to.deep.equal(['success: Seen in 2 of 3 cases (66.7 %)']);
      expect(text).to.include('Counts DEL whose start and end each lie within 200 bases of those asked for.');
      const far = await open('?assembly=GRCh37&chromosome=1&position=500000&end=600000&type=DEL');
      expect(alerts(far)).to.deep.equal(['secondary: Seen in 0 of 3 cases']);
      expect(far).to.include('<title>Not seen · ');
      const breakend = await open(
        '?assembly=GRCh37&chromosome=2&position=321681&mateChromosome=17&end=198982&type=BND',
      );
      expect(plain(breakend)).to.include('BND 2:321,681 and 17:198,982');
    });

    it('draws the nearest structural variants to scale, and says which of them count', async () => {
      const text = await open('?assembly=GRCh37&chromosome=1&position=10001&end=11001&type=DEL', counting);
      const rows = [
        ...text.matchAll(/<tr role="row"[^>]*>\s*<th scope="row"[^>]*>([^<]*)<svg(.*?)<\/svg>(.*?)<\/tr>/gs),
      ];
      expect(
        rows.map(([, place, , rest = '']) => [
          place,
          ...[...rest.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell]) => cell),
        ]),
      ).to.deep.equal([
        ['10,001–11,001', '', '', ''],
        ['10,001–11,001', '100 %', '1', 'yes'],
        // 751 of 1,001 bases; it starts 250 bases away, the window is 200.
        ['10,251–11,001', '75 %', '1', 'no'],
        // 851 of 1,030 bases.
        ['10,151–11,180', '82 %', '1', 'yes'],
      ]);
      // 1,180 bases from the first start to the last end.
      const bars = rows.map(([, , bar = '']) =>
        [...(/class="(\w+)" x="([\d.]+)%" y="1" width="([\d.]+)%"/.exec(bar) ?? [])].slice(1),
      );
      expect(bars).to.deep.equal([
        ['asked', '0', '84.83'],
        ['counted', '0', '84.83'],
        ['other', '21.19', '63.64'],
        ['counted', '12.71', '87.29'],
      ]);
      for (const search of [
        'allele=1-880086-T-C',
        'chromosome=2&position=321681&mateChromosome=17&end=198982&type=BND',
        'chromosome=1&position=50000&type=INS',
      ]) {
        expect(await open(`?assembly=GRCh37&${search}`, counting), search).to.not.include('<svg');
      }
    });

    it('explains what is wrong with a request', async () => {
      for (const [search, sentence] of [
        ['?assembly=GRCh37&allele=rs1', /^danger: An allele is written as .*; got .*rs1/],
        ['?assembly=&allele=1-5-A-C', /^danger: assembly must be GRCh37 or GRCh38/],
        ['?assembly=GRCh37&allele=1-5-A-C&dataset=secret', /^danger: There is no dataset .*secret/],
        ['?assembly=GRCh38&allele=1-5-A-C', /^warning: This token may not observe any dataset of GRCh38\. Nothing was/],
      ] as const) {
        const [alert = '', ...others] = alerts(await open(search));
        expect(alert).to.match(sentence);
        expect(others).to.deep.equal([]);
      }
    });

    describe('and the query page', () => {
      const query = {
        assemblyId: 'GRCh37',
        referenceName: '1',
        start: 880085,
        referenceBases: 'T',
        alternateBases: 'C',
      };
      const line = async (parameters: object, headers: Record<string, string>) => {
        const { status, text } = await getForm(server.url, { ...query, ...parameters }, headers);
        expect(status).to.equal(200);
        return [...text.matchAll(/<p class="observed">(.*?)<\/p>/g)].map(([, sentence = '']) => sentence);
      };
      it('says in how many cases an allele was seen, to those who may know', async () => {
        const basic = `Basic ${Buffer.from(`:${counting}`).toString('base64')}`;
        for (const headers of [
          { 'x-auth-token': counting },
          { authorization: `Bearer ${counting}` },
          { authorization: basic },
        ] as Record<string, string>[]) {
          const [sentence = '', ...others] = await line({}, headers);
          expect(others).to.deep.equal([]);
          expect(plain(sentence)).to.equal('Seen in 2 of 4 cases here: Dataset wgs. Coverage unknown (6 samples).');
          const [, href = ''] = /href="([^"]*)"/.exec(sentence) ?? [];
          expect(alerts(await open(plain(href).replace(/^\/observations/, '')))[0]).to.match(
            /^success: Seen in 2 of 4/,
          );
        }
        const reader = await tokenWith(server, 'beacon:read', 'beacon:cases', 'beacon:write');
        for (const headers of [
          {},
          { 'x-auth-token': reader },
          { 'x-auth-token': 'nonsense' },
          { authorization: 'x' },
        ]) {
          expect(await line({}, headers as Record<string, string>)).to.deep.equal([]);
        }
      });

      it('says so of structural variants, and of nothing that is more than one variant', async () => {
        const headers = { 'x-auth-token': counting };
        const without = { alternateBases: '', referenceBases: 'N' };
        const deletion = { ...without, start: 10_000, end: 11_001, variantType: 'DEL' };
        expect((await line(deletion, headers)).map(plain)).to.deep.equal([
          'Seen in 2 of 3 cases here: Dataset wgs. Coverage unknown (5 samples).',
        ]);
        const breakend = {
          ...without,
          referenceName: '17',
          start: 198_981,
          end: 321_680,
          variantType: 'BND',
          mateName: '2',
        };
        expect((await line(breakend, headers)).map(plain)).to.deep.equal([
          'Seen in 1 of 3 cases here: Dataset wgs. Coverage unknown (5 samples).',
        ]);
        for (const several of [
          { ...without, variantType: 'DEL' },
          { ...deletion, end: 10_020 },
          { ...deletion, variantType: 'INDEL' },
          { ...deletion, start: '', end: '', startMin: 1, startMax: 20_000 },
          { ...breakend, mateName: '' },
          { referenceBases: 'N' },
        ]) {
          expect(await line(several, headers), JSON.stringify(several)).to.deep.equal([]);
        }
      });
    });
  });
}
