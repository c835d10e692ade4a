/** The quality verdict on sample files: the same on every page and in every response. A bad file affects no other. */
import { copyFileSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { demoSamples } from '../../../../plugins/coverage/demo/demo.js';
import { createMeasure } from '../../../../plugins/coverage/measure/create-measure.js';
import { createExamine } from '../../../../plugins/coverage/measure/examine.js';
import { FileFault } from '../../../../plugins/coverage/measure/measure.js';
import { createFindSameFiles } from '../../../../plugins/coverage/measure/same-files.js';
import { createPredictSex } from '../../../../plugins/coverage/measure/sex.js';
import { type CoverageSources, coverageSources } from '../../../../plugins/coverage/measure/sources.js';
import { WorkQueue } from '../../../../plugins/coverage/measure/work-queue.js';
import { pageNames, parseForm } from '../../../../plugins/coverage/report/form/request.js';
import { type ReportNeeds, ServerTiming } from '../../../../plugins/coverage/report/formats/format.js';
import { makePage } from '../../../../plugins/coverage/report/report.js';
import type { MeasuringServices } from '../../../../plugins/coverage/services.js';
import { coverageSettings } from '../../../../plugins/coverage/settings.js';
import { en } from '../../../../plugins/coverage/texts/texts.js';
import { useFolder } from '../../../support/folder.js';
import { useEach } from '../../../support/use.js';
import { chromosomesOf, writeD4 } from '../support/d4.js';
import { type Json, post as postJson, serveCoverage } from '../support/serve.js';
import { demoForm, post, rowsOf, trio } from './support/post.js';

interface Warned {
  code: string;
  message: string;
  samples: string[];
}

interface PageData {
  warnings: Warned[];
  not_checked: Json[];
  samples: { name: string; mean_coverage: number }[];
  samples_not_included: Json[];
}

interface Sample {
  name: string;
  coverage_file_path: string;
  sex?: string;
}

const nothing = 'No warnings about files or samples; coverage is not judged here.';

describe('coverage: quality of the files', () => {
  const folder = useFolder();
  const server = useEach(() => serveCoverage({ demo: true, settings: { roots: [folder.path()] } }));

  const fieldsOf = (samples: readonly Sample[], more: Record<string, string> = {}) => ({
    ...demoForm,
    hgnc_gene_id: 'MTHFR',
    samples: JSON.stringify(samples),
    ...more,
  });
  const data = async (page: string, samples: readonly Sample[], more: Record<string, string> = {}) => {
    const { status, text } = await post(`${server.url}/${page}`, fieldsOf(samples, { ...more, format: 'json' }));
    expect(status, text.slice(0, 300)).to.equal(200);
    return JSON.parse(text) as PageData;
  };
  const summary = (samples: readonly Sample[], genes: readonly string[] = ['MTHFR']) =>
    postJson<Record<string, Json & { warnings: Omit<Warned, 'samples'>[] }>>(
      `${server.url}/coverage/d4/genes/summary`,
      {
        build: 'GRCh38',
        samples,
        hgnc_gene_ids: genes,
        coverage_threshold: 20,
        interval_type: 'transcripts',
      },
    );
  /** Depth 30 on autosomes; 15 on X and Y of males. */
  const sampleFile = (name: string, sex: 'male' | 'female', names?: string[]) => {
    const chromosomes = chromosomesOf('GRCh38', names === undefined ? {} : { names });
    const runs = chromosomes.flatMap(({ name: chromosome, size: end }) => {
      const depth = { X: sex === 'male' ? 15 : 30, Y: sex === 'male' ? 15 : 0 }[chromosome] ?? 30;
      return depth === 0 ? [] : [{ chromosome, begin: 0, end, depth }];
    });
    return writeD4(join(folder.path(), name), { chromosomes, runs });
  };
  /** The father's file, truncated. */
  const cutFather = () => {
    const path = join(folder.path(), 'father-cut.d4');
    const made = demoSamples[2]?.coverageFile ?? '';
    copyFileSync(made, path);
    truncateSync(path, readFileSync(made).length - 2000);
    return path;
  };

  it('is good only if everything was checked', async () => {
    for (const page of pageNames) {
      const { text } = await post(`${server.url}/${page}`, fieldsOf(trio));
      expect(text, page).to.include(nothing).and.not.to.include('was not checked');
      expect((await data(page, trio)).warnings, page).to.deep.equal([]);
      // No check failed, but the sexes were not declared.
      const undeclared = trio.map(({ name, coverage_file_path }) => ({ name, coverage_file_path }));
      const unsaid = await post(`${server.url}/${page}`, fieldsOf(undeclared));
      expect(unsaid.text, page)
        .to.include('The sex of demo_child, demo_mother, demo_father was not checked')
        .and.not.to.include(nothing);
      expect((await data(page, undeclared)).not_checked).to.have.length(3);
    }
  });

  it('is the same on every page and in the summary', async () => {
    const [male, female] = [sampleFile('male.d4', 'male'), sampleFile('female.d4', 'female')];
    const samples = [
      { name: 'a', coverage_file_path: male, sex: 'female' },
      { name: 'b', coverage_file_path: male, sex: 'male' },
      { name: 'c', coverage_file_path: female, sex: 'female' },
    ];
    const genes = { hgnc_gene_ids: 'MTHFR,SRY,DHFR' };
    const [report, ...others] = await Promise.all(
      ['report', 'overview', 'mane_overview'].map((page) => data(page, samples, genes)),
    );
    expect(report?.warnings.map(({ code, samples: names }) => [code, ...names])).to.deep.equal([
      ['same-file', 'a', 'b'],
      ['sex-mismatch', 'a'],
      // DHFR is on chromosome 5, which the files lack.
      ['missing-chromosome', 'a', 'b', 'c'],
    ]);
    for (const other of others) expect(other.warnings).to.deep.equal(report?.warnings);
    const { body } = await summary(samples, ['MTHFR', 'SRY', 'DHFR']);
    const bySample = (name: string) =>
      report?.warnings.filter((one) => one.samples.includes(name)).map(({ code, message }) => ({ code, message }));
    // Warnings about one file are the same; samples that share a file are both warned. Pages leave SRY out, the summary counts it.
    for (const { name } of samples) {
      const own = body[name]?.warnings ?? [];
      expect(own.filter(({ code }) => code === 'female-y').length, name).to.equal(name === 'c' ? 1 : 0);
      const others = own.filter(({ code }) => code !== 'female-y');
      expect(others, name).to.deep.equal(bySample(name));
    }
    const gene = await data('gene_overview', samples);
    expect(gene.warnings.map(({ code }) => code)).to.deep.equal(['same-file', 'sex-mismatch']);
    for (const page of pageNames) {
      expect((await post(`${server.url}/${page}`, fieldsOf(samples, genes))).text).not.to.include(nothing);
    }
  });

  it('warns of copies of one file', async () => {
    // Two pairs of copies, each with a time of its own.
    const mother = readFileSync(demoSamples[1]?.coverageFile ?? '');
    const father = readFileSync(demoSamples[2]?.coverageFile ?? '');
    const samples = Object.entries({ a: mother, b: father, c: mother, d: father }).map(([name, content], i) => {
      const path = join(folder.path(), `${name}.d4`);
      writeFileSync(path, content);
      utimesSync(path, 1_700_000_000 + i, 1_700_000_000 + i);
      return { name, coverage_file_path: path, sex: content === mother ? 'female' : 'male' };
    });
    const sentence = (names: string) => `The same file was given for ${names}: were samples mixed up?`;
    for (const page of pageNames) {
      const { warnings } = await data(page, samples);
      expect(warnings, page).to.deep.equal([
        { code: 'same-file', message: sentence('a and c'), samples: ['a', 'c'] },
        { code: 'same-file', message: sentence('b and d'), samples: ['b', 'd'] },
      ]);
      const { text } = await post(`${server.url}/${page}`, fieldsOf(samples));
      expect(text, page).to.include(sentence('a and c')).and.include(sentence('b and d')).and.not.include(nothing);
      const swedish = await post(`${server.url}/${page}`, fieldsOf(samples, { lang: 'sv' }));
      expect(swedish.text, page).to.include('Samma fil har angetts för a och c: har prover förväxlats?');
    }
    const { body } = await summary(samples);
    expect(body.d?.warnings).to.deep.equal([{ code: 'same-file', message: sentence('b and d') }]);
  });

  it('detects capped depths outside the requested regions', async () => {
    const chromosomes = chromosomesOf('GRCh38');
    const capped = writeD4(join(folder.path(), 'capped.d4'), {
      chromosomes,
      // MTHFR has fewer reads; the rest of chromosome 1 is at the dictionary's last value.
      runs: [
        { chromosome: '1', begin: 0, end: 11_700_000, depth: 31 },
        { chromosome: '1', begin: 11_700_000, end: 11_900_000, depth: 25 },
        { chromosome: '1', begin: 11_900_000, end: 248_956_422, depth: 31 },
      ],
      dictionary: 32,
    });
    const samples = [{ name: 'a', coverage_file_path: capped }];
    for (const page of pageNames) {
      const codes = (await data(page, samples, { hgnc_gene_ids: 'MTHFR' })).warnings.map(({ code }) => code);
      expect(codes, page).to.deep.equal(['capped', 'little-evidence']);
    }
  });

  describe('with one truncated file of three', () => {
    it('reports the others, and names it in its row', async () => {
      const samples = [...trio.slice(0, 2), { ...trio[2], name: 'demo_father', coverage_file_path: cutFather() }];
      const reason = /not a valid D4 file: .* reaches byte \d+ but the file has \d+/;
      for (const page of pageNames) {
        const sound = await data(page, trio);
        const { warnings, samples: measured, samples_not_included: missing } = await data(page, samples);
        expect(measured, page).to.deep.equal(sound.samples.slice(0, 2));
        expect(missing).to.have.length(1);
        expect(missing[0]).to.deep.include({ name: 'demo_father', file: 'father-cut.d4', code: 'unprocessable' });
        expect(missing[0]?.message).to.match(reason);
        expect(warnings.map(({ code, samples: names }) => [code, ...names])).to.deep.equal([
          ['not-included', 'demo_father'],
        ]);
        const { text } = await post(`${server.url}/${page}`, fieldsOf(samples));
        const row = /<tr>(?:(?!<\/tr>).)*father-cut\.d4.*?<\/tr>/s.exec(text)?.[0] ?? '';
        expect(row, page).to.match(reason).and.to.include('demo_father');
        expect(text).not.to.include(nothing);
      }
      const { text } = await post(`${server.url}/report`, fieldsOf(samples, { format: 'csv' }));
      const rows = rowsOf(text);
      expect(rows.map(({ sample }) => sample)).to.deep.equal(['demo_child', 'demo_mother', 'demo_father']);
      expect(rows[2]?.mean_coverage).to.equal('');
      const bed = await post(`${server.url}/report`, fieldsOf(samples, { format: 'bed' }));
      expect(bed.text).to.match(/^# Not included: demo_father \(father-cut\.d4\): .*$/m);
      const pdf = await fetch(`${server.url}/report`, {
        method: 'POST',
        body: new URLSearchParams(fieldsOf(samples, { format: 'pdf' }) as Record<string, string>),
      });
      expect(pdf.status).to.equal(200);
      expect(server.log()).not.to.include('father-cut').and.not.to.include(folder.path());
    });

    it('returns the summary of the others, and numbers for it that cannot be mistaken for coverage', async () => {
      const absent = join(folder.path(), 'no-such.d4');
      const samples = [...trio.slice(0, 2), { name: 'demo_father', coverage_file_path: cutFather() }];
      const sound = await summary(trio);
      const { status, body } = await summary([...samples, { name: 'other', coverage_file_path: absent }]);
      expect(status).to.equal(200);
      expect(Object.keys(body)).to.deep.equal(['demo_child', 'demo_mother', 'demo_father', 'other']);
      for (const name of ['demo_child', 'demo_mother']) expect(body[name]).to.deep.equal(sound.body[name]);
      for (const [name, file] of [
        ['demo_father', 'father-cut.d4'],
        ['other', 'no-such.d4'],
      ] as const) {
        expect(body[name]).to.deep.include({ mean_coverage: 0, coverage_completeness_percent: 0 });
        expect(body[name]?.warnings.map(({ code }) => code)).to.deep.equal(['not-included']);
        expect(body[name]?.error).to.deep.include({ file });
      }
    });

    it('refuses if none is left, naming each', async () => {
      const samples = [
        { name: 'demo_father', coverage_file_path: cutFather() },
        { name: 'other', coverage_file_path: join(folder.path(), 'no-such.d4') },
      ];
      for (const page of pageNames) {
        const { status, text } = await post(`${server.url}/${page}`, fieldsOf(samples));
        expect(status, page).to.equal(422);
        expect(text)
          .to.include('demo_father (father-cut.d4): The coverage file is not a valid D4 file')
          .and.include('other (no-such.d4): Coverage_file_path must be');
      }
      const mixed = await summary(samples);
      expect([mixed.status, mixed.body.detail]).to.satisfy(([status, detail]: [number, string]) => {
        return (
          status === 422 && detail.includes('demo_father (father-cut.d4)') && detail.includes('other (no-such.d4)')
        );
      });
      const missing = await summary(samples.slice(1));
      expect(missing.status).to.equal(404);
      expect(missing.body.detail).to.match(/^other \(no-such\.d4\): Coverage_file_path must be/);
      expect((await summary(samples.slice(0, 1))).status).to.equal(422);
    });
  });

  it('leaves out a sample whose file fails during further reads, for a plot or for gaps', async () => {
    const settings = coverageSettings.parse({ roots: [dirname(demoSamples[0]?.coverageFile ?? '')] });
    const sources = coverageSources({ settings, log: { warn() {} } });
    let broken: string | undefined;
    const files: CoverageSources = {
      ...sources,
      use: (location, work) =>
        location === broken
          ? Promise.reject(
              new FileFault(location, 'unprocessable', 'The coverage file is not a valid D4 file: it broke'),
            )
          : sources.use(location, work),
    };
    const measure = createMeasure(files, settings.limits);
    const predictSex = createPredictSex(files, settings.sex);
    const findSameFiles = createFindSameFiles(files);
    const examine = createExamine({ files, measure, predictSex, findSameFiles });
    const services: MeasuringServices = {
      settings,
      sources: files,
      intervals: server.intervals,
      measure,
      predictSex,
      queue: new WorkQueue(),
      shared: async () => [],
      members: async () => [],
      runCharts: async () => undefined,
      copyExons: async () => undefined,
      seesAneuploidy: false,
      sites: { find: async () => ({ sets: [], sites: [] }) },
      regions: { find: async () => [] },
      findingsOf: async () => new Map(),
      callability: { coveredNow: () => Promise.reject(new Error('no sample is registered')) },
      cohorts: {
        coding: async () => [],
        exons: async () => [],
        values: () => Promise.reject(new Error('no sample is registered')),
      },
      async examine(question) {
        const examined = await examine(question);
        broken = demoSamples[1]?.coverageFile;
        return examined;
      },
    };
    const needs: ReportNeeds = {
      ...{ curves: true, genes: true, caution: false, sexDepths: false },
      ...{ gaps: 'listed', compared: 'all', sites: 'listed' },
    };
    for (const page of ['report', 'gene_overview'] as const) {
      broken = undefined;
      const { levels, limits } = settings;
      const parsed = parseForm(page, { fields: fieldsOf(trio) }, { levels, limits, spliceBases: 8 }, en);
      if ('faults' in parsed) throw new Error('a good form');
      const { signal } = new AbortController();
      const making = { version: '', now: new Date(), texts: en, timing: new ServerTiming(), signal };
      const { data, view } = await makePage(services, parsed.request, needs, making);
      expect(data.samples.map(({ sample }) => sample.name)).to.deep.equal(['demo_child', 'demo_father']);
      expect(data.notIncluded.map(({ asked }) => asked.name)).to.deep.equal(['demo_mother']);
      expect(data.quality.warnings.map(({ code, samples }) => [code, ...samples])).to.deep.equal([
        ['not-included', 'demo_mother'],
      ]);
      expect(view('page').sampleTable.rows[1]?.at(-1)?.text).to.include('it broke');
      // If no sample is left, the refusal is that of the file.
      broken = undefined;
      const alone = { ...parsed.request, samples: parsed.request.samples.slice(1, 2) };
      const refusal = await makePage(services, alone, needs, making).catch((caught: unknown) => caught);
      expect(refusal).to.be.instanceOf(FileFault);
    }
    await sources.close();
  });

  it('reads the sexes of a file once for each of its versions', async () => {
    const path = sampleFile('once.d4', 'male');
    const settings = coverageSettings.parse({ roots: [folder.path()] });
    const sources = coverageSources({ settings, log: { warn() {} } });
    let read = 0;
    const predict = createPredictSex(
      {
        use: (location, work) =>
          sources.use(location, (file) => {
            const columns = file.columns.bind(file);
            file.columns = (...asked) => {
              read += 1;
              return columns(...asked);
            };
            return work(file);
          }),
      },
      settings.sex,
    );
    const sample = { name: 'a', location: await sources.coverageFile(path) };
    expect((await predict(sample, { build: 'GRCh38' })).sex).to.equal('male');
    expect((await predict(sample, { build: 'GRCh38' })).sex).to.equal('male');
    expect(read).to.equal(1);
    sampleFile('once.d4', 'female');
    expect((await predict(sample, { build: 'GRCh38' })).sex).to.equal('female');
    expect(read).to.equal(2);
    await sources.close();
  });
});
