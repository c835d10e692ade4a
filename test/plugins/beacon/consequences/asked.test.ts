/** Questions by protein change, transcript and effect over HTTP: v2, the search page and observations of a gene. */
import { expect } from 'chai';
import type { Allele, CalledAllele, Carrier } from '../../../../plugins/beacon/contract.js';
import { small } from '../../../conformance/beacon/build.js';
import { dealt } from '../../../support/dealt.js';
import { request } from '../../../support/http.js';
import { useOnce } from '../../../support/use.js';
import { engines } from '../support/engines.js';
import { alerts, rows } from '../support/form.js';
import { add, january, tokenWith } from '../support/observed.js';
import { type Beacon, dataset, type Json, serveBeacon } from '../support/serve.js';
import { annotate, annotated, atGene } from './support.js';

const mthfr = { hgnc: 7436, symbol: 'MTHFR' };
const ala222Val = small('1', 11_856_377, 'G', 'A');
/** The same change of the protein by two bases. */
const ala222ValToo = small('1', 11_856_376, 'CG', 'AA');
const glu429Ala = small('1', 11_854_475, 'T', 'G');
const stop = small('1', 11_855_000, 'C', 'T');
const frameshift = small('1', 11_855_100, 'CA', 'C');
const intronic = small('1', 11_855_500, 'C', 'T');
/** In the place of MTHFR, but stated to change another gene. */
const ofOther = small('1', 11_856_100, 'A', 'G');

const place = { transcript: 'ENST00000376590.9', mane: 'NM_005957.5' };
const annotations = [
  annotated(
    ala222Val,
    [
      atGene(mthfr, ['missense_variant'], { ...place, coding: 'c.665C>T', protein: 'p.Ala222Val' }),
      atGene({ hgnc: 1, symbol: 'AAA1' }, ['upstream_gene_variant']),
    ],
    { frequency: { value: 0.3, field: 'gnomADe_AF' }, clinVar: ['benign'] },
  ),
  annotated(ala222ValToo, [
    atGene(mthfr, ['missense_variant'], { ...place, coding: 'c.665_666delinsTT', protein: 'p.Ala222Val' }),
  ]),
  annotated(glu429Ala, [
    atGene(mthfr, ['missense_variant', 'splice_region_variant'], {
      ...place,
      coding: 'c.1286A>C',
      protein: 'p.Glu429Ala',
    }),
  ]),
  annotated(stop, [atGene(mthfr, ['stop_gained'], { ...place, coding: 'c.1000C>T', protein: 'p.Arg334Ter' })], {
    frequency: { value: 0.0001, field: 'gnomADe_AF' },
  }),
  annotated(frameshift, [
    atGene(mthfr, ['frameshift_variant'], { ...place, coding: 'c.900del', protein: 'p.Arg300ProfsTer5' }),
  ]),
  // On another transcript it has the name of the first.
  annotated(intronic, [
    {
      ...mthfr,
      transcripts: [
        { choice: 'mane-select', ...place, terms: ['intron_variant'] },
        { choice: 'worst', transcript: 'NM_001330358.2', terms: ['intron_variant'], coding: 'c.665C>T' },
      ],
    },
  ]),
  annotated(ofOther, [atGene({ hgnc: 1, symbol: 'AAA1' }, ['missense_variant'], { protein: 'p.Ala222Val' })]),
];

const people = { a: { case: 'F1' }, b: { case: 'F1' }, c: { case: 'F2' }, d: {} };
const called = (allele: Allele, ...carriers: Carrier[]): CalledAllele => ({ ...allele, carriers });
const carried = [
  called(ala222Val, [0, 1], [1, 2], [2, 1]),
  called(glu429Ala, [0, 1], [3, 1]),
  called(stop, [1, 1]),
  called(frameshift, [2, 1], [3, 1]),
  called(intronic, [0, 1]),
  called(ofOther, [3, 2]),
];

/** `open` is annotated; `plain` has two of its alleles without annotations; `closed` needs a grant, and alone names a change. */
async function fill({ repository, consequences, genes }: Beacon): Promise<void> {
  await repository.addDataset(dataset('open'), january);
  await add(repository, 'open', people, carried, january);
  await annotate(
    consequences,
    'open',
    annotations.filter(({ allele }) => allele !== ala222ValToo),
  );
  await repository.addDataset(dataset('plain'), january);
  await add(
    repository,
    'plain',
    { x: {}, y: {} },
    [called(ala222Val, [0, 1]), called(ala222ValToo, [0, 1], [1, 1])],
    january,
  );
  await repository.addDataset(dataset('closed', { access: 'CONTROLLED' }), january);
  await add(repository, 'closed', { z: {} }, [called(ala222ValToo, [0, 1])], january);
  await annotate(consequences, 'closed', annotations);
  const gene = { ensembl: 'ENSG00000177000', ...mthfr, contig: '1', start: 11_845_779, end: 11_866_977 } as const;
  await genes.replaceGenes('GRCh37', [gene], january);
}

for (const engine of dealt(engines, 'sqlite')) {
  describe(`beacon: questions by what annotations say (${engine.name})`, () => {
    const server = useOnce(() => serveBeacon(engine));
    let granted: string;
    before(async () => {
      await fill(server);
      granted = await tokenWith(server, 'beacon:read');
    });

    const get = async (path: string, query: Record<string, string | string[]>, token?: string) => {
      const { status, body, text } = await request(`${server.url}${path}`, {
        query,
        headers: token === undefined ? {} : { 'X-Auth-Token': token },
      });
      return { status, body, text };
    };
    /** By dataset that has any, the number of variants. */
    const variants = async (query: Record<string, string>, token?: string) => {
      const { status, body, text } = await get('/beacon/v2/g_variants', { assemblyId: 'GRCh37', ...query }, token);
      expect(status, text).to.equal(200);
      const sets = ((body.response as Json | undefined)?.resultSets ?? []) as Json[];
      return Object.fromEntries(sets.map(({ id, resultsCount }) => [id, resultsCount]));
    };
    const refusal = async (query: Record<string, string>) => {
      const { status, body } = await get('/beacon/v2/g_variants', { assemblyId: 'GRCh37', ...query });
      expect(status).to.equal(400);
      return ((body.error ?? {}) as Json).errorMessage;
    };

    it('v2: a protein change of a gene, however they are written, in every dataset that has its alleles', async () => {
      for (const geneId of ['MTHFR', 'mthfr', 'HGNC:7436', 'ENSG00000177000', 'ENSG00000177000.5']) {
        for (const aminoacidChange of ['A222V', 'p.A222V', 'p.Ala222Val', 'Ala222Val', 'p.(Ala222Val)']) {
          expect(await variants({ geneId, aminoacidChange }), `${geneId} ${aminoacidChange}`).to.deep.equal({
            open: 1,
            plain: 1,
          });
        }
      }
      expect(await variants({ geneId: 'MTHFR', aminoacidChange: 'R334*' })).to.deep.equal({ open: 1 });
      expect(await variants({ geneId: 'MTHFR', aminoacidChange: 'p.Arg300ProfsTer5' })).to.deep.equal({ open: 1 });
      expect(await variants({ geneId: 'MTHFR', aminoacidChange: 'A222G' })).to.deep.equal({});
      expect(await variants({ geneId: 'AAA1', aminoacidChange: 'A222V' })).to.deep.equal({ open: 1 });
    });

    it('v2: only datasets that the caller may query name alleles; several answer', async () => {
      const asked = { geneId: 'MTHFR', aminoacidChange: 'A222V' };
      expect(await variants(asked, granted)).to.deep.equal({ open: 1, plain: 2, closed: 1 });
    });

    it('v2: a protein change without a gene is found in all genes', async () => {
      for (const aminoacidChange of ['A222V', 'p.A222V', 'p.(Ala222Val)']) {
        expect(await variants({ aminoacidChange }), aminoacidChange).to.deep.equal({ open: 2, plain: 1 });
      }
      expect(await variants({ aminoacidChange: 'A222V' }, granted)).to.deep.equal({ open: 2, plain: 2, closed: 1 });
      expect(await variants({ genomicAlleleShortForm: 'p.Arg300ProfsTer5' })).to.deep.equal({ open: 1 });
      expect(await variants({ aminoacidChange: 'A222G' })).to.deep.equal({});
      const { text } = await get('/beacon/v2/g_variants', { assemblyId: 'GRCh37', aminoacidChange: 'A9V' });
      expect(text).to.include('No allele is annotated as Ala9Val here');
    });

    it('v2: refuses a protein change of too many alleles, and asks for its gene', async () => {
      const many = Array.from({ length: 101 }, (_, i) =>
        annotated(small('2', 1000 + i, 'A', 'G'), [
          atGene({ symbol: `START${i}` }, ['start_lost'], { protein: 'p.Met1Val' }),
        ]),
      );
      await annotate(server.consequences, 'closed', many);
      const query = { assemblyId: 'GRCh37', aminoacidChange: 'M1V' };
      const { status, text } = await get('/beacon/v2/g_variants', query, granted);
      expect(status, text).to.equal(400);
      expect(text).to.include('Met1Val names more than 100 alleles: give its gene, such as MTHFR p.Ala222Val');
      expect(await variants({ aminoacidChange: 'M1V' })).to.deep.equal({});
    });

    it('v2: records say what their dataset annotates, and only that', async () => {
      const { body } = await get('/beacon/v2/g_variants', {
        ...{ assemblyId: 'GRCh37', referenceName: '1', start: '11856376', end: '11856378' },
      });
      const sets = ((body.response as Json).resultSets ?? []) as Json[];
      const told = sets.map(({ id, results }) => [id, (results as Json[]).map((one) => one.molecularAttributes)]);
      expect(Object.fromEntries(told)).to.deep.equal({
        open: [
          {
            geneIds: ['MTHFR', 'HGNC:7436', 'AAA1', 'HGNC:1'],
            aminoacidChanges: ['p.Ala222Val'],
            molecularEffects: [
              { id: 'SO:0001583', label: 'missense_variant' },
              { id: 'SO:0001631', label: 'upstream_gene_variant' },
            ],
          },
        ],
        plain: [undefined, undefined],
      });
    });

    it('v2: a change of a transcript by its accession, or that of MANE by its gene', async () => {
      for (const text of [
        'NM_005957.5:c.665C>T',
        'NM_005957:c.665C>T',
        'NM_005957.5(MTHFR):c.665C>T (p.Ala222Val)',
        'MTHFR:c.665C>T',
        'NM_005957.5:p.Ala222Val',
      ]) {
        expect(await variants({ genomicAlleleShortForm: text }), text).to.deep.equal({ open: 1, plain: 1 });
      }
      expect(await variants({ genomicAlleleShortForm: 'NM_000001.1:c.665C>T' })).to.deep.equal({});
      const other = await get('/beacon/v2/g_variants', {
        assemblyId: 'GRCh37',
        genomicAlleleShortForm: 'NM_005957.4:c.665C>T',
      });
      expect(other.text).to.include('The annotations are of NM_005957.5, not of NM_005957.4');
      expect((other.body.responseSummary as Json).numTotalResults).to.equal(2);
    });

    it('v2: refuses what names nothing', async () => {
      expect(await refusal({ aminoacidChange: 'V' })).to.match(/^aminoacidChange must be a change/);
      expect(await refusal({ aminoacidChange: 'V', geneId: 'MTHFR' })).to.match(/^aminoacidChange must be a change/);
      expect(await refusal({ aminoacidChange: 'A222V', geneId: 'MTHFR', start: '1' })).to.match(
        /cannot be combined with start/,
      );
      expect(await refusal({ genomicAlleleShortForm: 'NP_005948.3:p.Ala222Val' })).to.match(
        /give the gene of NP_005948/,
      );
      const unknown = await get('/beacon/v2/g_variants', {
        assemblyId: 'GRCh37',
        geneId: 'MTHFR',
        aminoacidChange: 'A9V',
      });
      expect(unknown.text).to.include('No allele is annotated as Ala9Val here');
    });

    it('v2: filters on effects, with descendants', async () => {
      const gene = { geneId: 'MTHFR' };
      const effects = async (filters: string, more: Record<string, string> = gene) =>
        variants({ filters, datasets: 'open', ...more });
      expect(await effects('molecularEffects=missense_variant')).to.deep.equal({ open: 2 });
      expect(await effects('molecularEffects=SO:0001583')).to.deep.equal({ open: 2 });
      expect(await effects('molecularEffects=Missense variant')).to.deep.equal({ open: 2 });
      expect(await effects('SO:0001583')).to.deep.equal({ open: 2 });
      // Of another gene in its place, too, if no gene is named.
      expect(await effects('SO:0001583', { referenceName: '1', start: '11000000', end: '12000000' })).to.deep.equal({
        open: 3,
      });
      // A stop that is gained is a nonsynonymous variant.
      expect(await effects('SO:0001992')).to.deep.equal({ open: 3 });
      expect(await effects('molecularEffects=high')).to.deep.equal({ open: 2 });
      expect(await effects('molecularEffects=splice_region_variant,SO:0001583')).to.deep.equal({ open: 1 });
      expect(await effects('molecularEffects=inframe_deletion')).to.deep.equal({});
      expect(await effects('SO:0001583', {})).to.deep.equal({ open: 3 });
      expect(await effects('SO:0001583', { geneId: 'MTHFR', aminoacidChange: 'A222V' })).to.deep.equal({ open: 1 });
      expect(await effects('molecularEffects=high', { geneId: 'MTHFR', aminoacidChange: 'A222V' })).to.deep.equal({});
      // What `open` says of an allele holds in every dataset.
      expect(await variants({ filters: 'SO:0001583', geneId: 'MTHFR' })).to.deep.equal({ open: 2, plain: 1 });
      expect(await refusal({ filters: 'molecularEffects=nonsense', ...gene })).to.match(
        /"molecularEffects" must be high, moderate/,
      );
      expect(await refusal({ filters: 'molecularEffects', ...gene })).to.match(/takes the operator = and a value/);
      const { body } = await get('/beacon/v2/filtering_terms', {});
      expect(JSON.stringify(body)).to.include('"molecularEffects"');
      const individuals = await get('/beacon/v2/individuals', { filters: 'SO:0001583' });
      expect(individuals.status).to.equal(400);
    });

    it('search page: finds changes in both languages, and warns of another version', async () => {
      const search = (q: string, lang = 'en') => get('/beacon/search', { q, assemblyId: 'GRCh37', lang });
      for (const q of [
        'MTHFR p.Ala222Val',
        'MTHFR A222V',
        'mthfr p.(A222V)',
        'NM_005957.5:c.665C>T',
        'MTHFR c.665C>T',
      ]) {
        const { text } = await search(q);
        expect(rows(text).slice(0, 2), q).to.deep.equal([
          ['Dataset open open', 'found', '1', '3', 'not told'],
          ['Dataset plain plain', 'found', '1', '1', 'not told'],
        ]);
        expect(text).to.include('Read as: variant by its change of a protein or transcript');
      }
      expect((await search('MTHFR p.Ala222Val', 'sv')).text).to.include(
        'Tolkat som: variant efter sin ändring av ett protein',
      );
      expect(alerts((await search('NM_005957.3:c.665C>T')).text).join()).to.include('not of NM_005957.3');
      expect(alerts((await search('NM_005957.3:c.665C>T', 'sv')).text)).to.include(
        'warning: Annoteringarna gäller NM_005957.5, inte NM_005957.3: positionerna kan skilja sig',
      );
      expect(alerts((await search('MTHFR p.A222G')).text)[0]).to.match(/Not found in any dataset/);
    });

    it('search page: finds a protein change in all genes, and names them', async () => {
      const search = (q: string, lang: string) => get('/beacon/search', { q, assemblyId: 'GRCh37', lang });
      for (const [lang, heading] of [
        ['en', 'Gene'],
        ['sv', 'Gen'],
      ] as const) {
        for (const q of ['p.A222V', 'A222V', 'p.Ala222Val']) {
          const { text } = await search(q, lang);
          expect(rows(text)[0]?.slice(2, 4), q).to.deep.equal(['2', '4']);
          const named = [...text.matchAll(new RegExp(`data-label="${heading}"><span>([^<]*)`, 'g'))];
          expect(named.map(([, genes]) => genes).sort(), q).to.deep.equal(['AAA1', 'MTHFR', 'MTHFR']);
        }
        expect((await search('1:11856300-11856400', lang)).text).not.to.include(`data-label="${heading}"`);
      }
    });

    it('observations of a gene: the worst first, with carriers, copies and cases', async () => {
      const counting = await tokenWith(server, 'beacon:observe:open');
      const naming = await tokenWith(server, 'beacon:observe:open', 'beacon:cases:open');
      const observe = (query: Record<string, string> = {}, token = counting, gene = 'HGNC:7436') =>
        get(`/observations/genes/${gene}`, { assembly: 'GRCh37', ...query }, token);
      const listed = ({ body }: { body: Json }) =>
        (body.alleles as Json[]).map(({ allele }) => Object.values(allele as Json).join('-'));
      const { status, body, text } = await observe();
      expect(status, text).to.equal(200);
      expect(body.gene).to.deep.equal({ hgnc: 'HGNC:7436', symbol: 'MTHFR' });
      expect(listed({ body })).to.deep.equal([
        '1-11855001-C-T',
        '1-11855101-CA-C',
        '1-11854476-T-G',
        '1-11856378-G-A',
        '1-11855501-C-T',
      ]);
      const [first] = body.alleles as Json[];
      expect(first?.transcripts).to.deep.equal([
        { choice: 'mane-select', ...place, terms: ['stop_gained'], coding: 'c.1000C>T', protein: 'p.Arg334Ter' },
      ]);
      expect(first?.populationFrequency).to.deep.equal({ value: 0.0001, field: 'gnomADe_AF' });
      const [observation] = (first?.observations ?? []) as Json[];
      expect(observation).to.include({ dataset: 'open', cases: 1, carriers: 1, alleleCount: 1 });
      expect(observation).not.to.have.property('seenIn');
      expect(observation?.searched).to.deep.equal({ alleleCount: 1, alleleNumber: 8, unknown: 4, frequency: 0.125 });
      for (const gene of ['MTHFR', 'mthfr', 'ENSG00000177000']) {
        expect(listed(await observe({}, counting, gene)), gene).to.deep.equal(listed({ body }));
      }
      const named = (await observe({ effect: 'high' }, naming)).body;
      expect(listed({ body: named })).to.deep.equal(['1-11855001-C-T', '1-11855101-CA-C']);
      const cases = (named.alleles as Json[]).map((one) =>
        (one.observations as Json[]).flatMap(({ seenIn }) => seenIn as Json[]).map((each) => each.case),
      );
      expect(cases).to.deep.equal([['F1'], ['F2', 'd']]);
      expect(listed(await observe({ effect: 'missense_variant,SO:0001587' }))).to.have.length(3);
      // Three of eight copies are the most that one of them has: 0.5 of ala222Val is four of eight.
      expect(listed(await observe({ maxFrequency: '0.25' }))).not.to.include('1-11856378-G-A');
      expect(listed(await observe({ maxFrequency: '0.125' }))).to.deep.equal(['1-11855001-C-T', '1-11855501-C-T']);
      expect(listed(await observe({ maxPopulationFrequency: '0.001' }))).to.have.length(4);
    });

    it('observations of a gene: by page', async () => {
      const token = await tokenWith(server, 'beacon:observe:open');
      const all: unknown[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < 10; page++) {
        const query = { assembly: 'GRCh37', limit: '2', ...(cursor !== undefined && { cursor }) };
        const { body } = await get('/observations/genes/MTHFR', query, token);
        all.push(...(body.alleles as unknown[]));
        cursor = body.next as string | undefined;
        if (cursor === undefined) break;
      }
      const { body } = await get('/observations/genes/MTHFR', { assembly: 'GRCh37' }, token);
      expect(all).to.deep.equal(body.alleles);
      expect(body).not.to.have.property('next');
    });

    it('observations of a gene: refuse what they cannot answer', async () => {
      const token = await tokenWith(server, 'beacon:observe');
      const told = async (query: Record<string, string>, sent?: string) => {
        const { status, body } = await get('/observations/genes/MTHFR', { assembly: 'GRCh37', ...query }, sent);
        return `${status} ${body.detail}`;
      };
      expect(await told({})).to.match(/^401/);
      expect(await told({}, granted)).to.match(/^403/);
      expect(await told({ effect: 'bad' }, token)).to.match(/^400 effect must be high/);
      expect(await told({ cursor: 'x' }, token)).to.match(/^400 cursor/);
      expect(await told({ dataset: 'plain' }, token)).to.match(/^422 .*has annotations/);
      expect(await told({ maxFrequency: '2' }, token)).to.match(/^400 maxFrequency/);
      const misspelt = await get('/observations/genes/MTFHR', { assembly: 'GRCh37' }, token);
      expect(misspelt.status).to.equal(404);
      expect(misspelt.body.detail).to.match(/^No allele is annotated with the gene "MTFHR", and no loaded gene/);
      const { body } = await get('/observations/genes/MTHFR', { assembly: 'GRCh37' }, token);
      expect(body.unannotated).to.deep.equal(['plain']);
    });
  });
}

const careful = { profile: 'careful', anonymous: { budget: 0.5, least: 1 }, minimumSize: 5, batch: 3 };

for (const engine of dealt(engines, 'sqlite')) {
  describe(`beacon: a protected dataset with annotations (${engine.name})`, () => {
    const settings = { protection: { datasets: { d: careful } } };
    const server = useOnce(() => serveBeacon(engine, { settings }));
    const samples = Array.from({ length: 10 }, (_, i) => `s${i}`);
    const common = small('1', 5_000_000, 'A', 'C');
    const rare = small('1', 25_000_000, 'A', 'C');
    const change = { protein: 'p.Ala5Val' };

    before(async () => {
      const { repository, consequences } = server;
      await repository.addDataset(dataset('d'), january);
      const facts = Object.fromEntries(samples.map((name) => [name, {}]));
      const alleles = [called(common, ...samples.slice(0, 5).map((_, i): Carrier => [i, 1])), called(rare, [0, 1])];
      await add(repository, 'd', facts, alleles, january);
      await annotate(consequences, 'd', [
        annotated(common, [atGene({ symbol: 'COMMON' }, ['missense_variant'], change)]),
        annotated(rare, [atGene({ symbol: 'RARE' }, ['missense_variant'], change)]),
      ]);
      const { created = january, alleleCount = 0, callCount = 0 } = (await repository.dataset('d')) ?? {};
      const totals = { alleles: alleleCount, calls: callCount, samples: samples.length };
      await server.protection().publish({ dataset: 'd', created, samples, totals }, new Date());
      // Another dataset has both alleles without annotations: what the protected one says must not show in it.
      await repository.addDataset(dataset('open'), january);
      await add(repository, 'open', { o: {} }, [called(common, [0, 1]), called(rare, [0, 1])], january);
    });

    /** Whether each of the datasets has it, and the whole of the last answer. */
    const ask = async (query: Record<string, string>) => {
      const found: Record<string, unknown> = {};
      let answer = '';
      for (const datasets of ['d', 'open']) {
        const asked = { assemblyId: 'GRCh37', datasets, ...query };
        const { body, text } = await request(`${server.url}/beacon/v2/g_variants`, { query: asked });
        found[datasets] = (body.responseSummary as Json | undefined)?.exists;
        answer += text;
      }
      return { found, answer };
    };

    it('answers of its own alleles within its budget, and names none to others', async () => {
      const { found } = await ask({ geneId: 'COMMON', aminoacidChange: 'A5V' });
      expect(found).to.deep.equal({ d: true, open: false });
      // One of ten carries it, who cannot pay.
      expect((await ask({ geneId: 'RARE', aminoacidChange: 'A5V' })).found).to.deep.equal({ d: false, open: false });
      expect((await ask({ geneId: 'NONE', aminoacidChange: 'A5V' })).found).to.deep.equal({ d: false, open: false });
      const ofAny = await ask({ aminoacidChange: 'A5V' });
      expect(ofAny.found).to.deep.equal({ d: true, open: false });
      // Whatever is annotated.
      const none = await ask({ aminoacidChange: 'A6V' });
      expect(none.found).to.deep.equal({ d: false, open: false });
      for (const { answer } of [ofAny, none]) {
        expect(answer).to.include('Without a gene at most 100 alleles are searched in each protected dataset');
        expect(answer).not.to.include('COMMON');
      }
    });

    it('is left out of questions by effect, with a note', async () => {
      const place = { referenceName: '1', start: '4000000', end: '6000000' };
      const { found, answer } = await ask({ filters: 'SO:0001583', ...place });
      expect(found).to.deep.equal({ d: false, open: false });
      expect(answer).to.include('not protected from the caller');
    });
  });
}

describe('beacon: questions by annotations of a beacon without any', () => {
  const server = useOnce(() => serveBeacon(dealt(engines, 'sqlite')[0] as (typeof engines)[number]));

  it('are refused as ever', async () => {
    await server.repository.addDataset(dataset('open'), january);
    const ask = async (query: Record<string, string>) => {
      const { status, body } = await request(`${server.url}/beacon/v2/g_variants`, { query });
      return `${status} ${((body.error ?? {}) as Json).errorMessage}`;
    };
    expect(await ask({ geneId: 'MTHFR', aminoacidChange: 'A222V' })).to.match(/^400 aminoacidChange is not supported/);
    expect(await ask({ genomicAlleleShortForm: 'NM_005957.5:c.665C>T' })).to.match(/^400 .*\(c\.\) are not supported/);
    expect(await ask({ geneId: 'MTHFR', filters: 'SO:0001583' })).to.match(/^400 There is no filter/);
    const { text } = await request(`${server.url}/beacon/v2/filtering_terms`);
    expect(text).not.to.include('molecularEffects');
  });
});
