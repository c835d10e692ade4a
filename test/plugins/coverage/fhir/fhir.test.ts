/** Reports as FHIR documents: against the schema of R4, the published extensions, and the numbers of the JSON export. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { coverageSites } from '../../../../plugins/coverage/contract.js';
import {
  difference,
  lazyList,
  lengthOfRegions,
  type Region,
  union,
} from '../../../../plugins/coverage/measure/region.js';
import type { ReportData } from '../../../../plugins/coverage/report/data.js';
import { geneCoding, studiedRegions } from '../../../../plugins/coverage/report/formats/fhir/content.js';
import type { TargetGaps } from '../../../../plugins/coverage/report/sections/target-gaps.js';
import type { PanelVersion } from '../../../../plugins/panels/contract.js';
import { useOnce } from '../../../support/use.js';
import { data, demoForm, type Fields, post, trio } from '../pages/support/post.js';
import { openPanelWorld, versions } from '../panels/support.js';
import { serveCoverage } from '../support/serve.js';
import { type Bundle, type Extension, profileFaults, type Resource, schemaFaults } from './published.js';

interface ReportJson {
  samples: {
    name: string;
    length: number;
    mean_coverage: number;
    bases_at: Record<string, number>;
    completeness_percent: Record<string, number>;
    fingerprint: string;
    incompletely_covered_genes: string[];
  }[];
  genes_found: { genes: { hgnc: number; symbol: string }[] }[];
  intervals: { chromosome: string; regions: [number, number][] }[];
  gaps: (Region & { sample: string })[];
}

const bed = '1\t11785722\t11787000\tA\n1\t11786500\t11790800\tB\n5\t80626226\t80627000\tC\n';
const kinds: Record<string, Fields> = {
  'on genes': { ...demoForm, hgnc_gene_ids: 'MTHFR,DHFR,FOLR1,SLC46A1,LAMA1', panel_name: 'Folate' },
  'at a low threshold': { ...demoForm, default_level: '2' },
  'at a threshold that nothing reaches': { ...demoForm, default_level: '100000' },
  'on overlapping transcripts': { ...demoForm, transcripts: 'all', interval_type: 'exons' },
  'on a BED file': {
    ...{ build: 'GRCh38', samples: JSON.stringify(trio), interval_type: 'custom_intervals' },
    ...{ intervals_bed: bed, default_level: '20' },
  },
};

const regionsUrl = 'http://hl7.org/fhir/uv/genomics-reporting/StructureDefinition/genomic-study-analysis-regions';

function partsOf({ extension = [] }: Resource, ending: string): Extension[] {
  return extension.find(({ url }) => url.endsWith(ending))?.extension ?? [];
}

/** Codes and files of one kind of region. */
function slice(bundle: Bundle, analysis: Resource, kind: string) {
  const own = partsOf(analysis, 'analysis-regions').filter(({ url }) => url === kind);
  const codes = own.flatMap(({ valueCodeableConcept: concept }) => (concept === undefined ? [] : [concept]));
  const files = own.flatMap(({ valueReference }) => {
    const target = bundle.entry.find(({ fullUrl }) => fullUrl === valueReference?.reference);
    return target === undefined ? [] : [target.resource];
  });
  expect(files.length).to.be.lessThan(2);
  return { codes, regions: files.flatMap(regionsIn) };
}

/** Checks the attachment's size and hash. */
function regionsIn({ content = [] }: Resource): Region[] {
  const { data: encoded = '', size, hash } = content[0]?.attachment ?? {};
  const bytes = Buffer.from(encoded, 'base64');
  expect(size).to.equal(bytes.length);
  expect(hash).to.equal(createHash('sha1').update(bytes).digest('base64'));
  const lines = bytes.toString('utf8').trimEnd().split('\n');
  expect(lines[0]).to.match(/^# .*GRCh38/);
  return lines.slice(1).map((line) => {
    const [chromosome = '', start, end] = line.split('\t');
    return { chromosome, start: Number(start), end: Number(end) };
  });
}

const sorted = (regions: readonly Region[]) =>
  regions.toSorted((a, b) => a.chromosome.localeCompare(b.chromosome) || a.start - b.start);

describe('coverage reports as FHIR documents', () => {
  const server = useOnce(() => serveCoverage({ demo: true }));

  async function fhir(fields: Fields): Promise<{ bundle: Bundle; text: string }> {
    const { status, headers, text } = await post(`${server.url}/report`, { ...fields, format: 'fhir' });
    expect(status, text).to.equal(200);
    expect(headers.get('content-type')).to.equal('application/fhir+json');
    return { bundle: JSON.parse(text) as Bundle, text };
  }
  const analysesOf = ({ entry }: Bundle) =>
    entry.flatMap(({ resource }) => (resource.meta?.profile[0]?.endsWith('analysis') ? [resource] : []));

  for (const [kind, fields] of Object.entries(kinds)) {
    it(`keep to R4 and to the published profiles: ${kind}`, async () => {
      const { bundle } = await fhir(fields);
      expect(schemaFaults(bundle)).to.deep.equal([]);
      const urls = bundle.entry.map(({ fullUrl }) => fullUrl);
      expect(new Set(urls).size).to.equal(urls.length);
      const procedures = bundle.entry.filter(({ resource }) => resource.resourceType === 'Procedure');
      expect(procedures).to.have.length(2 * trio.length);
      for (const { resource } of procedures) expect(profileFaults(resource, bundle)).to.deep.equal([]);
    });

    it(`have the regions and numbers of the JSON export: ${kind}`, async () => {
      const report = await data<ReportJson>(`${server.url}/report`, fields);
      const { bundle } = await fhir(fields);
      const level = String(fields.default_level);
      const all = union(
        report.intervals.flatMap(({ chromosome, regions }) =>
          regions.map(([start, end]) => ({ chromosome, start, end })),
        ),
      );
      for (const [i, analysis] of analysesOf(bundle).entries()) {
        const sample = report.samples[i] as ReportJson['samples'][number];
        const [studied, called, uncalled] = ['studied', 'called', 'uncalled'].map((one) =>
          slice(bundle, analysis, one),
        ) as [ReturnType<typeof slice>, ReturnType<typeof slice>, ReturnType<typeof slice>];
        expect(sorted(studied.regions)).to.deep.equal(sorted(all));
        const gaps = union(report.gaps.filter((gap) => gap.sample === sample.name));
        expect(sorted(uncalled.regions)).to.deep.equal(
          sorted(gaps.map(({ chromosome, start, end }) => ({ chromosome, start, end }))),
        );
        expect(sorted(union([...called.regions, ...uncalled.regions]))).to.deep.equal(sorted(all));
        expect(lengthOfRegions(called.regions)).to.equal(sample.bases_at[level]);
        expect(lengthOfRegions(uncalled.regions)).to.equal(sample.length - (sample.bases_at[level] ?? 0));
        const codes = ({ codes: some }: ReturnType<typeof slice>) =>
          some.map(({ coding }) => coding[0]?.display).sort();
        const genes = report.genes_found.flatMap((found) => found.genes);
        expect(codes(studied)).to.deep.equal(genes.map(({ symbol }) => symbol).sort());
        expect(codes(uncalled)).to.deep.equal(genes.length === 0 ? [] : sample.incompletely_covered_genes);
        expect([...codes(called), ...codes(uncalled)].sort()).to.deep.equal(codes(studied));
        for (const { text } of uncalled.codes) expect(text).to.match(/ of [\d,]+ bases \([\d.]+ %\) at or above /);
        const [depth, covered] = partsOf(analysis, 'analysis-metrics').map(({ valueQuantity }) => valueQuantity?.value);
        expect([depth, covered]).to.deep.equal([
          Math.round(sample.mean_coverage * 100) / 100,
          sample.completeness_percent[level],
        ]);
      }
    });
  }

  it('state the version of a panel, whether it is in use, and what they do not cover', async () => {
    const world = await openPanelWorld();
    try {
      const asked = async (panel: string) => {
        const response = await world.ask('report', { panel, format: 'fhir', panel_name: 'Ours' });
        const bundle = (await response.json()) as Bundle;
        expect(schemaFaults(bundle)).to.deep.equal([]);
        const [analysis = { resourceType: '' }] = analysesOf(bundle);
        expect(profileFaults(analysis, bundle)).to.deep.equal([]);
        const title = analysis.extension?.find(({ url }) => url.endsWith('-title'))?.valueString;
        const notes = (analysis.note ?? []).map(({ text }) => text).join('\n');
        return { title, notes, name: response.headers.get('content-disposition') };
      };
      const signed = await asked('kidney@1.9');
      const { digest } = versions.find(({ panel, version }) => panel === 'kidney' && version === '1.9') as PanelVersion;
      expect(signed.title).to.equal('Coverage report: Ours (kidney@1.9)');
      expect(signed.notes).to.include(`sha256:${digest}`).and.include('signed off 2026-11-03 by anna, bo');
      expect(signed.notes)
        .to.include('NOWHERE (HGNC:999): not among the genes of this build')
        .and.include('16p11.2 loss; FMR1_CGG');
      expect(signed.notes).to.include('A newer version is signed off: kidney@1.10');
      expect(signed.name).to.include('kidney-1.9');
      expect((await asked('kidney@1.8')).notes).to.include('The panel kidney@1.8 is retired');
    } finally {
      await world.close();
    }
  });

  it('code genes by HGNC id', async () => {
    const { bundle } = await fhir(kinds['on genes'] as Fields);
    const [analysis] = analysesOf(bundle);
    expect(slice(bundle, analysis as Resource, 'studied').codes[0]?.coding).to.deep.equal([
      { system: 'http://www.genenames.org/geneId', code: 'HGNC:7436', display: 'MTHFR' },
    ]);
    expect(geneCoding({ ensembl: 'ENSG00000000001' })).to.deep.equal({
      system: 'http://www.ensembl.org',
      code: 'ENSG00000000001',
    });
  });

  it('state software, releases and limitations, of each sample its own', async () => {
    const { bundle } = await fhir(kinds['on genes'] as Fields);
    for (const [i, { note = [] }] of analysesOf(bundle).entries()) {
      const text = note.map((one) => one.text).join('\n');
      expect(text).to.include('Software: Trefoil').and.include('Gene set: genes, transcripts, exons: demo');
      expect(text)
        .to.include('(minimum depth: 20×)')
        .and.include('LAMA1: not in the gene set that is loaded')
        .and.include('repeat expansions');
      for (const [k, { name }] of trio.entries()) expect(text.includes(name), `${i} ${name}`).to.equal(i === k);
    }
  });

  it('count the known sites that could have been found', async () => {
    const fields = kinds['on genes'] as Fields;
    const sites = server.storage.repository(coverageSites);
    const site = {
      chromosome: '1',
      start: 11_785_800,
      end: 11_785_801,
      reference: 'G',
      alternate: 'A',
      genes: [],
    } as const;
    const record = { release: '2026-11', source: 'clinvar.vcf', checksum: `sha256:${'0'.repeat(64)}`, skipped: {} };
    async function* one() {
      yield [site];
    }
    await sites.load({ name: 'ClinVar', build: 'GRCh38', sites: one(), accept: () => record }, new Date());
    try {
      const { bundle } = await fhir(fields);
      const notes = analysesOf(bundle).flatMap(({ note = [] }) => note.filter(({ text }) => /^Known sites/.test(text)));
      expect(notes).to.have.length(trio.length);
      for (const { text } of notes)
        expect(text).to.match(/^Known sites \(ClinVar 2026-11.*\): [01] of 1 callable at 20×/);
    } finally {
      await sites.remove('ClinVar', 'GRCh38');
    }
  });

  it('warn of a sex that does not fit, in the notes of that sample', async () => {
    const samples = JSON.stringify(trio.map((one, i) => (i === 1 ? { ...one, sex: 'male' } : one)));
    const { bundle } = await fhir({ ...demoForm, samples });
    const warned = analysesOf(bundle).map(({ note = [] }) => note.some(({ text }) => /male/.test(text)));
    expect(warned).to.deep.equal([false, true, false]);
  });

  it('name samples and files, and nothing else about people', async () => {
    const samples = JSON.stringify(trio.map((one) => ({ ...one, case_name: 'Family-Secret' })));
    const { bundle, text } = await fhir({ ...demoForm, samples, case_display_name: 'Case-Secret' });
    expect(text).not.to.match(/Secret|Patient|female/);
    const specimens = bundle.entry.filter(({ resource }) => resource.resourceType === 'Specimen');
    expect(specimens.map(({ resource }) => resource.identifier)).to.deep.equal(
      trio.map(({ name }) => [{ value: name }]),
    );
    const { headers } = await post(`${server.url}/report`, {
      ...{ ...demoForm, case_display_name: 'Case-Secret', format: 'fhir' },
    });
    expect(headers.get('content-disposition'))
      .to.match(/GRCh38_20x_[-\d]+\.fhir\.json"$/)
      .and.not.include('Secret');
  });

  it('come in Swedish, and by Accept', async () => {
    const response = await post(
      `${server.url}/report`,
      { ...demoForm, lang: 'sv' },
      { accept: 'application/fhir+json' },
    );
    const bundle = JSON.parse(response.text) as Bundle;
    expect(bundle.language).to.equal('sv');
    expect(schemaFaults(bundle)).to.deep.equal([]);
    expect(response.text).to.include('Undersökta regioner under 20×');
  });

  it('are refused for other pages and for a case without genes', async () => {
    const overview = await post(
      `${server.url}/overview`,
      { ...demoForm, format: 'fhir' },
      { accept: 'application/json' },
    );
    expect(overview.status).to.equal(422);
    expect(overview.text).to.include('format').and.not.include('fhir"');
    const byAccept = await post(`${server.url}/overview`, demoForm, { accept: 'application/fhir+json' });
    expect(byAccept.status).to.equal(406);
    const { hgnc_gene_ids: _, ...empty } = demoForm;
    const refused = await post(`${server.url}/report`, { ...empty, format: 'fhir' }, { accept: 'application/json' });
    expect([refused.status, JSON.parse(refused.text).detail]).to.deep.equal([422, 'There is nothing to measure.']);
    const page = await post(`${server.url}/report`, { ...empty, format: 'fhir' });
    expect([page.status, page.text.includes('There is nothing to measure.')]).to.deep.equal([422, true]);
  });

  it('are refused if they would have too many regions', async () => {
    const target = (place: number) => ({ regions: [{ chromosome: '1', start: 10 * place, end: 10 * place + 5 }] });
    const many = { targets: lazyList(1_000_001, target), samples: [{}] } as unknown as ReportData;
    const none: TargetGaps[] = [];
    const refusal = await studiedRegions(many, none).catch((error: unknown) => error);
    expect(refusal).to.have.property('code', 'too-large');
    expect(refusal).to.have.property('public').that.includes('more than 2,000,000 regions');
  });

  it('are found faulty if they are', async () => {
    const { text } = await fhir(kinds['on genes'] as Fields);
    const wrong: Record<string, (bundle: Bundle, analysis: Resource) => void> = {
      'a status of no procedure': (_, analysis) => Object.assign(analysis, { status: 5 }),
      'an unknown element': (_, analysis) => Object.assign(analysis, { gene: 'MTHFR' }),
      'a closed element': (_, analysis) => Object.assign(analysis, { code: { text: 'coverage' } }),
      'no subject': (_, analysis) => Reflect.deleteProperty(analysis, 'subject'),
      'two categories': (_, { category }) => category?.coding.push({ system: 'x', code: 'laboratory' }),
      'regions twice': (_, { extension = [] }) => extension.push({ url: regionsUrl, extension: extension.slice(0, 1) }),
      'a region without a value': (_, analysis) => partsOf(analysis, 'regions').push({ url: 'uncalled' }),
      'a region as text': (_, analysis) => partsOf(analysis, 'regions').push({ url: 'uncalled', valueString: 'MTHFR' }),
      'an unknown part': (_, analysis) => partsOf(analysis, 'regions').push({ url: 'missed', valueString: 'MTHFR' }),
      'a file that is not there': ({ entry }) => entry.splice(1, 1),
      'a specimen for a device': (_, { extension = [] }) => {
        const [specimen, device] = ['specimen', 'device'].map((name) =>
          extension.find(({ url }) => url.endsWith(name)),
        );
        Object.assign(device?.extension?.[0] ?? {}, { valueReference: specimen?.valueReference });
      },
    };
    for (const [fault, spoil] of Object.entries(wrong)) {
      const bundle = JSON.parse(text) as Bundle;
      const analysis = analysesOf(bundle)[0] as Resource;
      spoil(bundle, analysis);
      expect([...schemaFaults(bundle), ...profileFaults(analysis, bundle)], fault).not.to.deep.equal([]);
    }
  });
});

describe('regions without others', () => {
  const region = fc
    .tuple(fc.constantFrom('1', 'X'), fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 12 }))
    .map(([chromosome, start, length]) => ({ chromosome, start, end: start + length }));
  const basesOf = (regions: Iterable<Region>) => {
    const bases: string[] = [];
    for (const { chromosome, start, end } of regions)
      for (let at = start; at < end; at++) bases.push(`${chromosome}:${at}`);
    return bases.sort();
  };

  it('have every base that the others lack, once', () => {
    fc.assert(
      fc.property(fc.array(region), fc.array(region), (some, others) => {
        const [whole, removed] = [union(some), union(others)];
        const lost = new Set(basesOf(removed));
        expect(basesOf(difference(whole, removed))).to.deep.equal(basesOf(whole).filter((base) => !lost.has(base)));
      }),
    );
  });
});
