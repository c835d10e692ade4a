/** Local observations over HTTP; every expectation is counted by hand in support/observed.ts. */
import { expect } from 'chai';
import { depthLimits } from '../../../plugins/beacon/counts/denominator.js';
import { dealt } from '../../support/dealt.js';
import { useOnce } from '../../support/use.js';
import { engines } from './support/engines.js';
import { type Asking, add, addObservations, february, january, march, send, tokenWith } from './support/observed.js';
import { dataset, type Json, serveBeacon } from './support/serve.js';

const of = { small: { cases: 4, samples: 6 }, structural: { cases: 3, samples: 5 } };

for (const engine of dealt(engines, 'postgres')) {
  describe(`beacon: observations (${engine.name})`, () => {
    const server = useOnce(() => serveBeacon(engine));
    let counting: string;
    let naming: string;

    before(async () => {
      await addObservations(server.repository);
      await server.repository.addDataset(dataset('other'), january);
      await server.repository.addDataset(dataset('new', { assembly: 'GRCh38' }), january);
      await server.repository.addDataset(dataset('facts'), january);
      counting = await tokenWith(server, 'beacon:observe:wgs');
      naming = await tokenWith(server, 'beacon:observe:wgs', 'beacon:cases:wgs');
    });

    const observe = (search: string, asking: Asking = {}) =>
      send(server, `/observations?assembly=GRCh37&${search}`, { token: naming, ...asking });
    const one = async (search: string, asking: Asking = {}): Promise<Json> => {
      const { status, body, text } = await observe(search, asking);
      expect(status, text).to.equal(200);
      const observations = body.observations as Json[];
      expect(observations).to.have.length(1);
      return observations[0] as Json;
    };

    /** Of samples whose coverage no service knows. */
    const unknown = (samples: number, carriers?: number, threshold = 10) => ({
      ...{ method: 'depth', threshold, total: samples, covered: 0, notCovered: 0, unknown: samples, unknownSex: 0 },
      notCalled: 0,
      ...(carriers !== undefined && {
        ...{ carriers: 0, homozygotes: 0, alleleCount: 0, alleleNumber: 0, carriersBelowThreshold: 0 },
        carriersUnknown: carriers,
      }),
    });
    const inWords = { words: 'Coverage unknown (6 samples)', limits: depthLimits, unknownBecause: ['no-service'] };

    it('of an allele: cases, carriers, homozygotes, copies, totals, dates and cases', async () => {
      const { status, body, headers } = await observe('allele=1-880086-T-C');
      expect(status).to.equal(200);
      expect(headers.get('vary')).to.equal('Accept');
      expect(body).to.deep.equal({
        assembly: 'GRCh37',
        allele: { chromosome: '1', position: 880086, reference: 'T', alternate: 'C' },
        observations: [
          {
            dataset: 'wgs',
            cases: 2,
            carriers: 4,
            homozygotes: 1,
            hemizygotes: 0,
            alleleCount: 5,
            of: of.small,
            notCalled: 0,
            denominator: { ...unknown(6, 4), ...inWords },
            firstSeen: january.toISOString(),
            lastSeen: february.toISOString(),
            seenIn: [
              { case: 'fam2', homozygous: false, hemizygous: false, added: february.toISOString() },
              { case: 'fam1', homozygous: true, hemizygous: false, added: january.toISOString() },
            ],
            homozygousIn: ['fam1'],
          },
        ],
      });
    });

    it('count samples as covered from the threshold that is given', async () => {
      expect((await one('allele=1-880086-T-G&threshold=25')).denominator).to.deep.include({ threshold: 25 });
      const { status, body } = await observe('allele=1-880086-T-G&threshold=2.5');
      expect(status).to.equal(422);
      expect(body.detail).to.equal(`'threshold' must be a whole number of reads from 1 to 10000; got "2.5"`);
    });

    it('are the same however the allele is written', async () => {
      const expected = await observe('allele=1-880086-T-C');
      for (const search of [
        'allele=1_880086_T_C',
        'allele=chr1-880086-t-c',
        'chromosome=1&position=880086&reference=T&alternate=C',
        'chromosome=CHR1&position=880085&reference=GTA&alternate=GCA',
        'allele=1-880086-T-C&position=&type=',
        'allele=1-880086-T-C&dataset=wgs&dataset=wgs',
      ]) {
        expect((await observe(search)).body, search).to.deep.equal(expected.body);
      }
      const hg19 = await send(server, '/observations?assembly=hg19&allele=1-880086-T-C', { token: naming });
      expect(hg19.body).to.deep.equal(expected.body);
    });

    it('on X count men by the copies that they have', async () => {
      // Outside the PAR the son has one copy, although he was called 1/1; s3, of unknown sex, is called once.
      expect(await one('allele=X-31000000-G-A')).to.deep.include({
        cases: 2,
        carriers: 3,
        homozygotes: 0,
        hemizygotes: 1,
        alleleCount: 3,
        homozygousIn: [],
        seenIn: [
          { case: 's3', homozygous: false, hemizygous: false, added: march.toISOString() },
          { case: 'fam1', homozygous: false, hemizygous: true, added: january.toISOString() },
        ],
      });
      expect(await one('allele=X-100000-G-A')).to.deep.include({ homozygotes: 1, hemizygotes: 0, alleleCount: 2 });
    });

    it('of an allele that was never seen are zero, out of as many', async () => {
      expect(await one('allele=1-880086-T-G')).to.deep.equal({
        dataset: 'wgs',
        cases: 0,
        carriers: 0,
        homozygotes: 0,
        hemizygotes: 0,
        alleleCount: 0,
        of: of.small,
        notCalled: 0,
        denominator: { ...unknown(6, 0), ...inWords },
        firstSeen: null,
        lastSeen: null,
        seenIn: [],
        homozygousIn: [],
      });
    });

    it('of a structural variant follow a rule that the answer explains', async () => {
      // END - POS is 1,000 bases: a fifth, 200. Ends of fam2 are 150 and 179 away, the start of s3 is 250.
      const deletion = await one('chromosome=1&position=10001&end=11001&type=DEL');
      expect(deletion).to.deep.include({ cases: 2, carriers: 2, alleleCount: 2, of: of.structural, window: 200 });
      expect((deletion.seenIn as Json[]).map((seen) => seen.case)).to.deep.equal(['fam2', 'fam1']);
      expect(deletion.rule).to.match(/^Counts DEL whose start and end each lie within 200 bases of those asked for\./);
      expect(deletion.rule).to.match(/at most 2,000 bases in this dataset\.$/);
      // The same from the other side: 1,029 bases, a window of 206, rounded to 200; s3 starts 100 and ends 179 away.
      const wider = await one('chromosome=1&position=10151&end=11180&type=del');
      expect(wider).to.deep.include({ cases: 3, window: 200 });
      expect(await one('chromosome=1&position=10001&end=11001&type=DUP')).to.deep.include({ cases: 1, carriers: 1 });
    });

    it('of an insertion compare its length, of a breakend either side', async () => {
      // 300 bases: half, 150, to hundreds and to even 200. 500 bases differ by 200.
      expect(await one('chromosome=1&position=50000&type=INS&length=300')).to.deep.include({ cases: 2, window: 200 });
      expect(await one('chromosome=1&position=50000&type=INS&length=900')).to.deep.include({ cases: 1, window: 400 });
      const unknown = await one('chromosome=1&position=50000&type=INS');
      expect(unknown).to.deep.include({ cases: 2, window: 0 });
      expect(unknown.rule).to.match(/^Counts INS with a position within 0 bases/);
      for (const search of [
        'chromosome=2&position=321681&mateChromosome=17&end=198982&type=BND',
        'chromosome=17&position=198000&mateChromosome=chr2&end=325000&type=BND',
      ]) {
        const found = await one(search);
        expect(found, search).to.deep.include({ cases: 1, window: 4000 });
        expect(found.rule, search).to.match(
          /^Counts breakends and translocations whose two ends each lie within 4,000/,
        );
      }
    });

    it('page the cases', async () => {
      const first = await one('allele=1-880086-T-C&limit=1');
      expect((first.seenIn as Json[]).map((seen) => seen.case)).to.deep.equal(['fam2']);
      expect(first.homozygousIn, 'not only those of the page').to.deep.equal(['fam1']);
      const second = await one('allele=1-880086-T-C&limit=1&offset=1');
      expect((second.seenIn as Json[]).map((seen) => seen.case)).to.deep.equal(['fam1']);
      expect((await one('allele=1-880086-T-C&limit=0')).seenIn).to.deep.equal([]);
    });

    it('name cases only to callers that may see them', async () => {
      const { text, body } = await observe('allele=1-880086-T-C', { token: counting });
      expect((body.observations as Json[])[0]).to.include({ cases: 2, homozygotes: 1 });
      for (const word of ['seenIn', 'homozygousIn', 'fam1', 'fam2', 'son']) expect(text).to.not.include(word);
    });

    it('are of all datasets of the assembly that the caller may observe, unless some are named', async () => {
      const token = await tokenWith(server, 'beacon:observe');
      const ids = async (search: string) => {
        const { status, body, text } = await send(server, `/observations?allele=1-880086-T-C&${search}`, { token });
        expect(status, text).to.equal(200);
        return (body.observations as Json[]).map((found) => found.dataset);
      };
      expect(await ids('assembly=GRCh37')).to.deep.equal(['facts', 'other', 'wgs']);
      expect(await ids('assembly=GRCh37&dataset=wgs')).to.deep.equal(['wgs']);
      expect(await ids('assembly=GRCh38')).to.deep.equal(['new']);
      // The datasets that are named say which assembly is meant.
      expect(await ids('dataset=wgs')).to.deep.equal(['wgs']);
      for (const [datasets, status, message] of [
        [['new', 'wgs'], 400, 'assembly is missing: the datasets are of GRCh37 and GRCh38'],
        [['wgs', 'no-such'], 422, 'There is no dataset "no-such" that this token may observe'],
      ] as const) {
        const search = datasets.map((id) => `dataset=${id}`).join('&');
        for (const reply of [
          await send(server, `/observations?allele=1-880086-T-C&${search}`, { token }),
          await send(server, '/observations/batch', { token, body: { datasets, alleles: ['1-880086-T-C'] } }),
        ])
          expect([reply.status, reply.body.detail]).to.deep.equal([status, message]);
      }
      const batch = await send(server, '/observations/batch', {
        token,
        body: { datasets: ['new'], alleles: ['1-5-A-C'] },
      });
      expect([batch.status, batch.body.assembly], batch.text).to.deep.equal([200, 'GRCh38']);
    });

    it('treat a dataset that the caller may not observe as absent', async () => {
      const messages = new Set<string>();
      for (const id of ['other', 'nowhere']) {
        const { status, body } = await observe(`allele=1-880086-T-C&dataset=${id}`);
        expect(status).to.equal(422);
        messages.add(String(body.detail).replace(id, 'ID'));
      }
      expect([...messages]).to.deep.equal(['There is no dataset "ID" that this token may observe']);
      const { body } = await send(server, '/observations?assembly=GRCh38&allele=1-5-A-C', { token: counting });
      expect(body.observations).to.deep.equal([]);
    });

    it('refuse requests that are not valid, in one sentence', async () => {
      for (const [search, status, detail] of [
        ['', 400, /^An allele needs chromosome and position, or one word such as 1-880086-T-C$/],
        ['allele=rs4988235', 400, /such as 1-880086-T-C; got "rs4988235"$/],
        ['allele=24-5-A-C', 400, /^chromosome must be 1 to 22, X, Y or MT/],
        ['allele=1-249250622-A-C', 400, /from 1 to 249,250,621 for chromosome 1 of GRCh37; got 249250622$/],
        ['allele=1-5-A-C&type=DEL', 400, /^type cannot be given together with allele$/],
        ['chromosome=1&position=5', 400, /^An allele needs reference and alternate, or the type/],
        ['chromosome=1&position=5&type=SNV', 400, /^type must be one of INS, DEL/],
        ['chromosome=1&position=5&type=DEL', 400, /^end is missing/],
        ['chromosome=1&position=5&type=DEL&end=x', 400, /^end must be a whole number; got "x"$/],
        ['chromosome=1&position=5&type=DEL&end=9&alternate=C', 400, /^alternate cannot be given together with type$/],
        ['chromosome=1&position=5&reference=A&alternate=C&end=9', 400, /^end cannot be given together with reference$/],
        ['chromosome=1&position=5&position=6&reference=A&alternate=C', 400, /^position: /],
        ['allele=1-5-A-C&alele=x', 400, /^"alele" is not a known field$/],
        ['allele=1-5-A-C&limit=1001', 400, /^limit: /],
        ['allele=1-5-A-C&offset=-1', 400, /^offset: /],
        ['allele=1-5-A-C&dataset=new', 422, /that this token may observe$/],
      ] as const) {
        const answer = await observe(search);
        expect(answer.status, search).to.equal(status);
        expect(answer.body.detail, search).to.match(detail);
      }
      for (const assembly of ['', 'assembly=&', 'assembly=T2T&']) {
        const { status, body } = await send(server, `/observations?${assembly}allele=1-5-A-C`, { token: naming });
        expect([status, body.detail]).to.deep.equal([
          400,
          `assembly must be GRCh37 or GRCh38 (or hg19, hg38); got "${assembly.includes('T2T') ? 'T2T' : ''}"`,
        ]);
      }
      const both = await tokenWith(server, 'beacon:observe');
      const other = await observe('allele=1-5-A-C&dataset=new', { token: both });
      expect([other.status, other.body.detail]).to.deep.equal([
        422,
        'Dataset "new" uses GRCh38, and the request GRCh37',
      ]);
    });

    describe('in a batch', () => {
      const batch = (body: unknown, asking: Asking = {}) =>
        send(server, '/observations/batch', { token: counting, body, ...asking });

      it('are those of single requests, in the order of the request', async () => {
        const alleles = [
          '1-880086-T-C',
          { chromosome: 'X', position: 31_000_000, reference: 'G', alternate: 'A' },
          { chromosome: '1', position: 10_001, end: 11_001, type: 'DEL' },
          'chr1_880086_T_G',
          { chromosome: '1', position: 50_000, type: 'INS', length: 300 },
          { chromosome: '17', position: 198_982, type: 'BND', mateChromosome: '2', end: 321_681 },
          '1-880086-T-C',
        ];
        const { status, body, text } = await batch({ assembly: 'GRCh37', alleles });
        expect(status, text).to.equal(200);
        const none = { dataset: 'wgs', homozygotes: 0, hemizygotes: 0, notCalled: 0 };
        const structural = { of: of.structural, denominator: unknown(5) };
        const small = (carriers: number) => ({ of: of.small, denominator: unknown(6, carriers) });
        const t880086 = { ...none, cases: 2, carriers: 4, homozygotes: 1, alleleCount: 5, ...small(4) };
        expect(body).to.deep.equal({
          assembly: 'GRCh37',
          observations: [
            [t880086],
            [{ ...none, cases: 2, carriers: 3, hemizygotes: 1, alleleCount: 3, ...small(3) }],
            [{ ...none, cases: 2, carriers: 2, alleleCount: 2, ...structural, window: 200 }],
            [{ ...none, cases: 0, carriers: 0, alleleCount: 0, ...small(0) }],
            [{ ...none, cases: 2, carriers: 2, alleleCount: 2, ...structural, window: 200 }],
            [{ ...none, cases: 1, carriers: 1, alleleCount: 1, ...structural, window: 4000 }],
            [t880086],
          ],
        });
        expect(text).to.not.match(/fam|son/);
        const strict = await batch({ assembly: 'GRCh37', alleles: ['1-880086-T-G'], threshold: 30 });
        expect((strict.body.observations as Json[][])[0]?.[0]).to.deep.include({ denominator: unknown(6, 0, 30) });
        const wrong = await batch({ assembly: 'GRCh37', alleles: [], threshold: 0 });
        expect([wrong.status, wrong.body.detail]).to.satisfy(
          ([status, detail]: [number, string]) => status === 400 && /^threshold: /.test(detail),
        );
      });

      it('may be none, and up to 10,000', async () => {
        const empty = await batch({ assembly: 'GRCh37', alleles: [] });
        expect(empty.body).to.deep.equal({ assembly: 'GRCh37', observations: [] });
        const alleles = Array.from({ length: 10_000 }, (_, i) => `1-${875_087 + i}-T-C`);
        const { status, body } = await batch({ assembly: 'GRCh37', alleles });
        expect(status).to.equal(200);
        const seen = (body.observations as Json[][]).flatMap(([found], i) =>
          found?.cases === 0 ? [] : [[i, found?.cases]],
        );
        expect(seen).to.deep.equal([[880_086 - 875_087, 2]]);
        const more = await batch({ assembly: 'GRCh37', alleles: [...alleles, '1-5-A-C'] });
        expect([more.status, more.body.detail]).to.deep.equal([400, 'alleles: must have no more than 10000 alleles']);
      });

      it('refuse a body that is too large or not JSON', async () => {
        const large = await batch({ assembly: 'GRCh37', alleles: ['x'.repeat(9 * 1024 ** 2)] });
        expect(large.status).to.equal(413);
        expect((await batch('{')).status).to.equal(400);
        expect((await batch('x', { headers: { 'content-type': 'text/plain' } })).status).to.equal(415);
        for (const body of ['null', '[]', '"x"', '{}', '{"assembly":1,"alleles":[]}', '{"assembly":"GRCh37"}']) {
          expect((await batch(body)).status, body).to.equal(400);
        }
      });

      it('name the place of each allele that is not valid', async () => {
        const alleles = [
          '1-5-A-C',
          'rs1',
          5,
          null,
          [],
          { chromosome: '1' },
          { chromosome: '1', position: '5' },
          { x: 1 },
        ];
        const { status, body } = await batch({ assembly: 'GRCh37', alleles: [...alleles, '1-5-A-A'] });
        expect(status).to.equal(400);
        expect(body.detail).to.match(/^alleles\.1: An allele is written as .*; got "rs1"; and 7 more$/);
        const errors = body.errors as { path: string; detail: string }[];
        expect(errors.map(({ path }) => path)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8].map((i) => `alleles.${i}`));
        expect(errors[1]?.detail).to.equal('must be text or an object');
        expect(errors[5]?.detail).to.match(/^position: /);
        expect(errors[7]?.detail).to.equal('alternate must differ from reference');
        const unknown = await batch({ assembly: 'GRCh37', alleles: [], datasets: ['other'] });
        expect(unknown.status).to.equal(422);
        expect((await batch({ assembly: 'GRCh39', alleles: [] })).status).to.equal(400);
      });
    });

    it('list the datasets that the caller may observe, with rules and totals', async () => {
      const { status, body } = await send(server, '/observations/datasets', { token: counting });
      expect(status).to.equal(200);
      const [wgs, ...others] = body.datasets as Json[];
      expect(others).to.deep.equal([]);
      const { updated, ...listed } = wgs as Json;
      expect(updated).to.equal(march.toISOString());
      expect(listed).to.deep.equal({
        id: 'wgs',
        name: 'Dataset wgs',
        assembly: 'GRCh37',
        counting: { minimumQuality: 20, passOnly: true, window: 2000 },
        of,
        lastLoad: march.toISOString(),
      });
      const all = await send(server, '/observations/datasets', { token: await tokenWith(server, 'beacon:observe') });
      expect((all.body.datasets as Json[]).map(({ id }) => id)).to.deep.equal(['facts', 'new', 'other', 'wgs']);
      expect((all.body.datasets as Json[])[1]).to.deep.include({
        counting: { minimumQuality: null, passOnly: false, window: 2000 },
        of: { small: { cases: 0, samples: 0 }, structural: { cases: 0, samples: 0 } },
        lastLoad: null,
      });
    });

    describe('of samples whose facts', () => {
      const path = '/observations/datasets/facts/samples';
      let editing: string;

      before(async () => {
        const allele = {
          ...({
            contig: 'X',
            start: 30_999_999,
            end: 31_000_000,
            reference: 'G',
            alternate: 'A',
            kind: 'SNP',
          } as const),
          structural: false,
        } as const;
        const samples = { a: { case: 'one' }, b: { case: 'two' }, c: {} };
        await add(
          server.repository,
          'facts',
          samples,
          [
            {
              ...allele,
              carriers: [
                [0, 2],
                [1, 2],
              ],
            },
          ],
          january,
        );
        editing = await tokenWith(server, 'beacon:cases:facts', 'beacon:write:facts', 'beacon:observe:facts');
      });

      it('are listed by name, in pages', async () => {
        const { status, body } = await send(server, path, { token: editing });
        expect(status).to.equal(200);
        const unknown = { sex: 'unknown', affected: null, labels: {}, phenotypes: [], diseases: [] };
        const known = { ...unknown, searched: { small: true, structural: true } };
        const added = january.toISOString();
        expect(body).to.deep.equal({
          samples: [
            { name: 'a', case: 'one', ...known, coverageId: 'a', added },
            { name: 'b', case: 'two', ...known, coverageId: 'b', added },
            { name: 'c', case: 'c', ...known, coverageId: 'c', added },
          ],
        });
        const first = await send(server, `${path}?limit=2`, { token: editing });
        expect([(first.body.samples as Json[]).map(({ name }) => name), first.body.next]).to.deep.equal([
          ['a', 'b'],
          'b',
        ]);
        const last = await send(server, `${path}?limit=2&after=b`, { token: editing });
        expect([(last.body.samples as Json[]).map(({ name }) => name), last.body.next]).to.deep.equal([
          ['c'],
          undefined,
        ]);
        expect((await send(server, `${path}?limit=0`, { token: editing })).status).to.equal(400);
      });

      it('are corrected change the counts of what was loaded before', async () => {
        const seen = async () => {
          const address = '/observations?assembly=GRCh37&allele=X-31000000-G-A&dataset=facts';
          const { body } = await send(server, address, { token: editing });
          const { cases, homozygotes, hemizygotes, alleleCount } = (body.observations as Json[])[0] as Json;
          return { cases, homozygotes, hemizygotes, alleleCount };
        };
        expect(await seen()).to.deep.equal({ cases: 2, homozygotes: 2, hemizygotes: 0, alleleCount: 4 });
        const [seizure, delay] = [{ id: 'HP:0001250', label: 'Seizure' }, { id: 'HP:0001263' }];
        const diseases = [{ id: 'OMIM:607208' }];
        const samples = [
          { name: 'a', sex: 'male', affected: true, labels: { assay: 'WES', run: 'r1', run_date: '2026-01-31' } },
          {
            name: 'b',
            case: 'one',
            coverageId: 'B-2024',
            phenotypes: [delay, seizure, { id: 'hp:0001250' }],
            diseases,
          },
          { name: 'c', case: 'c' },
        ];
        const { status, body, text } = await send(server, path, { token: editing, method: 'PATCH', body: { samples } });
        expect(status, text).to.equal(200);
        expect(body).to.deep.equal({ changed: 2 });
        expect(await seen()).to.deep.equal({ cases: 1, homozygotes: 1, hemizygotes: 1, alleleCount: 3 });
        const listed = await send(server, path, { token: editing });
        const [a, b] = listed.body.samples as Json[];
        expect(b).to.deep.include({ coverageId: 'B-2024', phenotypes: [seizure, delay], diseases });
        const labels = { assay: 'WES', run: 'r1', run_date: '2026-01-31' };
        expect(a).to.deep.include({ sex: 'male', affected: true, labels, case: 'one', phenotypes: [] });
        const undone = {
          samples: [
            { name: 'a', affected: null, labels: {} },
            { name: 'b', phenotypes: [] },
          ],
        };
        await send(server, path, { token: editing, method: 'PATCH', body: undone });
        const again = await send(server, path, { token: editing });
        expect((again.body.samples as Json[])[0]).to.deep.include({ sex: 'male', affected: null, labels: {} });
        expect((again.body.samples as Json[])[1]).to.deep.include({ phenotypes: [], diseases });
      });

      it('refuse changes that are not valid, whole', async () => {
        const before = await send(server, path, { token: editing });
        const good = { name: 'a', case: 'never' };
        for (const [samples, status, detail] of [
          [[], 400, /^samples: /],
          [[good, { name: 'b', sex: 'F' }], 400, /^samples\.1\.sex: must be one of female, male, unknown$/],
          [[good, { name: 'b', case: ' ' }], 400, /^samples\.1\.case: must not be empty$/],
          [[good, { name: 'b', case: 'F\uFFFD' }], 400, /^samples\.1\.case: has bytes that are not UTF-8$/],
          [[good, { name: 'b', case: 'x\ny' }], 400, /^samples\.1\.case: must be one line/],
          [[good, { name: 'b', labels: { lane: '1' } }], 400, /^samples\.1\.labels: "lane" is not a known field$/],
          [[good, { name: 'b', affected: 'yes' }], 400, /^samples\.1\.affected: /],
          [
            [good, { name: 'b', labels: { run_date: '2026' } }],
            400,
            /^samples\.1\.labels\.run_date: must be a date such/,
          ],
          [
            [good, { name: 'b', phenotypes: [{ id: 'Fit' }] }],
            400,
            /^samples\.1\.phenotypes\.0: "Fit" is not the id of/,
          ],
          [[good, { name: 'a' }], 400, /^samples: must name each sample only once$/],
          [[good, { name: 'nobody', case: 'x' }], 422, /^samples\.1\.name: the dataset has no such sample$/],
        ] as const) {
          const answer = await send(server, path, { token: editing, method: 'PATCH', body: { samples } });
          expect(answer.status, JSON.stringify(samples)).to.equal(status);
          expect(answer.body.detail).to.match(detail);
        }
        expect((await send(server, path, { token: editing })).body).to.deep.equal(before.body);
      });

      it('need the rights for their dataset', async () => {
        const change = { method: 'PATCH', body: { samples: [{ name: 'a', case: 'x' }] } };
        const writing = await tokenWith(server, 'beacon:write:wgs', 'beacon:cases:wgs');
        expect((await send(server, path, { token: writing })).status, 'another dataset').to.equal(404);
        expect((await send(server, path, { token: writing, ...change })).status).to.equal(403);
        expect((await send(server, path, { token: counting })).status).to.equal(403);
        expect((await send(server, path, { token: naming, ...change })).status).to.equal(403);
        const all = await tokenWith(server, 'beacon:write', 'beacon:cases');
        for (const asking of [{}, change]) {
          const absent = await send(server, '/observations/datasets/nowhere/samples', { token: all, ...asking });
          expect([absent.status, absent.body.detail]).to.deep.equal([404, 'There is no dataset with this id']);
        }
      });
    });

    it('are asked for with a token as a bearer or a password, which the challenge says', async () => {
      const path = '/observations?assembly=GRCh37&allele=1-880086-T-C';
      for (const accept of ['*/*', 'text/html']) {
        const anonymous = await send(server, path, { headers: { accept } });
        expect(anonymous.status).to.equal(401);
        expect(anonymous.headers.get('www-authenticate')).to.equal('Basic realm="trefoil", charset="UTF-8"');
        const basic = `Basic ${Buffer.from(`anyone:${naming}`).toString('base64')}`;
        for (const authorization of [`Bearer ${naming}`, basic]) {
          expect((await send(server, path, { headers: { accept, authorization } })).status).to.equal(200);
        }
      }
    });

    it('are in no log', () => {
      // Ids of requests, times and the process have any digits by chance.
      const log = server.log().replace(/"(requestId|time|pid)":("[^"]*"|\d+)/g, '');
      expect(log).to.include('/observations/batch');
      for (const word of ['880086', 'fam1', 'trf_', 'wgs', 'mother']) expect(log).to.not.include(word);
    });
  });
}
