/** Every parser of input from clients and files, with the ways in which its input may grow. */
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { Faults } from '../../../core/config/layer.js';
import { parseYaml } from '../../../core/config/yaml.js';
import { receiveForm, receiveSmallForm } from '../../../core/files/receive.js';
import { readBed, SkippedLines, sourceOf } from '../../../core/files.js';
import { refuseBrokenData } from '../../../core/http/body.js';
import { samplesOfCases } from '../../../plugins/beacon/commands/samples.js';
import { beacon } from '../../../plugins/beacon/contract.js';
import { checkedText, object, texts as strings } from '../../../plugins/beacon/faces/v1/answers.js';
import { misspelt, sentIn } from '../../../plugins/beacon/faces/v1/parameters.js';
import { readQuery } from '../../../plugins/beacon/faces/v1/query.js';
import { readGenes } from '../../../plugins/beacon/genes/files.js';
import { loadVariants } from '../../../plugins/beacon/loading/load.js';
import { permitAll } from '../../../plugins/beacon/loading/permit.js';
import { checkStated } from '../../../plugins/beacon/loading/relatedness.js';
import { readPed } from '../../../plugins/beacon/loading/sheets/sample-sheet.js';
import { sampleFactsService } from '../../../plugins/beacon/register.js';
import { genePanel, Panel, readPanel } from '../../../plugins/beacon/vcf/panel.js';
import { openVcf } from '../../../plugins/beacon/vcf/reader.js';
import { recordFilterOf } from '../../../plugins/beacon/vcf/rules.js';
import { memorySource, openD4 } from '../../../plugins/coverage/d4/index.js';
import { AnnotationReader } from '../../../plugins/coverage/intervals/gtf.js';
import { countedRows } from '../../../plugins/coverage/intervals/loading.js';
import { openIntervals } from '../../../plugins/coverage/intervals/reader.js';
import { itemsOfField } from '../../../plugins/coverage/report/form/fields.js';
import { parseLiteral } from '../../../plugins/coverage/report/form/literal.js';
import { parseForm } from '../../../plugins/coverage/report/form/request.js';
import { coverageSettings } from '../../../plugins/coverage/settings.js';
import { textsOfLanguage } from '../../../plugins/coverage/texts/texts.js';
import { readPatientList } from '../../../plugins/matchmaker/patients/lists.js';
import { readPatient } from '../../../plugins/matchmaker/patients/reading.js';
import { minus, withoutGenes } from '../../../plugins/panels/edits.js';
import { readGeneList } from '../../../plugins/panels/import/gene-list.js';
import { memorySubject } from '../../kit/memory.js';
import { buildFile } from '../coverage/d4/support/build.js';
import type { Scenario } from './scenario.js';

const folder = mkdtempSync(join(tmpdir(), 'trefoil-linear-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** The measured code may refuse the input: an error is a valid end. */
async function orRefused(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'TypeError' || error.name === 'ReferenceError') throw error;
  }
}

const many = <Value>(size: number, make: (i: number) => Value): Value[] =>
  Array.from({ length: size }, (_, i) => make(i));

/** A file on disk, and a scenario that reads it. */
function ofFile(size: number, text: (size: number) => string, read: (path: string) => unknown): Scenario {
  let files = 0;
  return {
    size,
    prepare(count) {
      const path = join(folder, `${files++}.txt`);
      writeFileSync(path, text(count));
      return () => orRefused(() => read(path));
    },
  };
}

const of = (size: number, make: (size: number) => () => unknown): Scenario => ({
  size,
  prepare(count) {
    const work = make(count);
    return () => orRefused(work);
  },
});

// --- VCF

interface Vcf {
  header?: string[];
  samples?: string[];
  records?: string[];
  wanted?: string[];
}

function vcf(size: number, make: (size: number) => Vcf): Scenario {
  return of(size, (count) => {
    const { header = [], samples = ['s'], records = [], wanted = [] } = make(count);
    const columns = ['#CHROM', 'POS', 'ID', 'REF', 'ALT', 'QUAL', 'FILTER', 'INFO', 'FORMAT', ...samples].join('\t');
    const bytes = Buffer.from(`${['##fileformat=VCFv4.2', ...header, columns, ...records].join('\n')}\n`);
    return async () => {
      const chunks = many(Math.ceil(bytes.length / 65_536), (i) => bytes.subarray(i * 65_536, (i + 1) * 65_536));
      const source = sourceOf('x.vcf', bytes.length, () => Readable.from(chunks, { objectMode: true }));
      const panel = new Panel([['1', 0, 1000]]);
      const file = await openVcf({
        source,
        assembly: 'GRCh37',
        samples: wanted,
        panel,
        filter: recordFilterOf(['PASS', 'q0']),
      });
      for await (const batch of file.batches()) if (batch.length < 0) break;
    };
  });
}

/** Alternates that differ from each other. */
const differing = (size: number) =>
  many(size, (i) => `A${i.toString(4).replace(/./g, (digit) => 'ACGT'[Number(digit)] ?? '')}`);
const sampleNames = (size: number) => many(size, (i) => `sample${i}`);
const record = (
  of: Partial<Record<'pos' | 'id' | 'ref' | 'alt' | 'filter' | 'info' | 'format' | 'calls', string>> = {},
) =>
  [
    ...['1', of.pos ?? '100', of.id ?? '.', of.ref ?? 'A', of.alt ?? 'C', '.', of.filter ?? 'PASS', of.info ?? '.'],
    ...[of.format ?? 'GT', of.calls ?? '0/1'],
  ].join('\t');

const vcfScenarios: Record<string, Scenario> = {
  'VCF: samples in the header': vcf(4000, (size) => ({ samples: sampleNames(size) })),
  'VCF: samples asked for by name': vcf(4000, (size) => ({ samples: sampleNames(size), wanted: sampleNames(size) })),
  'VCF: samples asked for that are not there': vcf(4000, (size) => ({
    samples: sampleNames(size),
    wanted: many(size, (i) => `x${i}`),
  })),
  'VCF: one sample twice, at the end': vcf(4000, (size) => ({ samples: [...sampleNames(size), 'sample0'] })),
  'VCF: lines of the header': vcf(4000, (size) => ({ header: many(size, (i) => `##x=${i}`) })),
  'VCF: contigs in the header': vcf(2000, (size) => ({
    header: many(size, (i) => `##contig=<ID=GL${i},length=${i + 1}>`),
  })),
  'VCF: one long line in the header': vcf(20_000, (size) => ({ header: [`##contig=<${',ID='.repeat(size)}`] })),
  'VCF: records': vcf(2000, (size) => ({ records: many(size, (i) => record({ pos: String(i + 1) })) })),
  'VCF: records on contigs that are none': vcf(2000, (size) => ({
    records: many(size, (i) => `x${record({ pos: String(i + 1) })}`),
  })),
  'VCF: genotypes of one record': vcf(4000, (size) => ({
    samples: sampleNames(size),
    records: [record({ calls: many(size, () => '0/1').join('\t') })],
  })),
  'VCF: alternates of one record': vcf(1000, (size) => ({
    records: [
      record({
        alt: differing(size).join(','),
      }),
    ],
  })),
  'VCF: alternates of one record, all in one genotype': vcf(2000, (size) => ({
    records: [record({ alt: differing(size).join(','), calls: many(size, (i) => i + 1).join('/') })],
  })),
  'VCF: alternates of one record, and samples': vcf(1000, (size) => ({
    samples: sampleNames(size),
    records: [record({ alt: differing(size).join(','), calls: many(size, (i) => `0/${i + 1}`).join('\t') })],
  })),
  'VCF: the same alternate again and again, and samples': vcf(1000, (size) => ({
    samples: sampleNames(size),
    records: [
      record({
        alt: many(size, () => 'C').join(','),
        calls: many(size, (i) => `${i % 2 === 0 ? 1 : i + 1}/0`).join('\t'),
      }),
    ],
  })),
  'VCF: alternates of a REF that is as long': vcf(1000, (size) => ({
    records: [
      record({
        ref: 'A'.repeat(size),
        alt: differing(size).join(','),
        calls: many(size, (i) => i + 1).join('/'),
      }),
    ],
  })),
  'VCF: placeholders, and samples': vcf(1000, (size) => ({
    samples: sampleNames(size),
    records: [record({ alt: `C,${many(size, () => '*').join(',')}`, calls: many(size, () => '0/1').join('\t') })],
  })),
  'VCF: samples of a load, of which no two share enough sites': {
    size: 2000,
    prepare: async (size) => {
      const file = [
        '##fileformat=VCFv4.2',
        ['#CHROM', 'POS', 'ID', 'REF', 'ALT', 'QUAL', 'FILTER', 'INFO', 'FORMAT', ...sampleNames(size)].join('\t'),
        record({ calls: many(size, () => '0/1').join('\t') }),
      ];
      const bytes = Buffer.from(`${file.join('\n')}\n`);
      const { storage } = await memorySubject.open([beacon]);
      const repository = storage.repository(beacon);
      const description = { id: 'd', name: 'd', assembly: 'GRCh37', access: 'PUBLIC', version: 1 } as const;
      await repository.addDataset(description, new Date(0));
      const dataset = await repository.dataset('d');
      if (!dataset) throw new Error('the dataset was added');
      const source = sourceOf('x.vcf', bytes.length, () => Readable.from([bytes], { objectMode: true }));
      const thresholds = { sites: 100, samePerson: 0.85, parentChild: 0.1, unrelated: 0.35 };
      return async () => {
        await loadVariants({
          ...{ repository, dataset, sources: [source], samples: [], permit: permitAll, now: new Date(0) },
          compare: { thresholds },
        });
      };
    },
  },
  'VCF: alleles of one genotype': vcf(4000, (size) => ({
    records: [record({ calls: many(size, () => '1').join('/') })],
  })),
  'VCF: entries of INFO': vcf(32_000, (size) => ({
    records: [record({ info: many(size, (i) => `X${i}=${i}`).join(';') })],
  })),
  'VCF: END again and again': vcf(4000, (size) => ({
    records: [record({ info: `SVTYPE=DEL;${'END=200;'.repeat(size)}`, alt: '<DEL>' })],
  })),
  'VCF: keys of FORMAT': vcf(4000, (size) => ({
    records: [record({ format: many(size, (i) => `K${i}`).join(':'), calls: many(size, () => '1').join(':') })],
  })),
  'VCF: values of FILTER': vcf(4000, (size) => ({
    records: [record({ filter: many(size, (i) => `q${i}`).join(';') })],
  })),
  'VCF: bases of one allele': vcf(20_000, (size) => ({
    records: [record({ ref: 'A'.repeat(size), alt: `${'A'.repeat(size)}C` })],
  })),
  'VCF: ids of one record': vcf(20_000, (size) => ({ records: [record({ id: 'rs1;'.repeat(size) })] })),
};

// --- BED, GTF and gene lists

const gtfGene = (i: number, more = '') =>
  `1\tensembl\tgene\t${i * 10 + 1}\t${i * 10 + 5}\t.\t+\t.\tgene_id "ENSG${String(i).padStart(11, '0')}"; gene_name "G${i}"; ${more}`;
const gtfPart = (type: string, transcript: number, exon: number) =>
  `1\tensembl\t${type}\t${exon * 10 + 1}\t${exon * 10 + 5}\t.\t+\t.\tgene_id "ENSG00000000001"; ` +
  `transcript_id "ENST${String(transcript).padStart(11, '0')}"; exon_number "${exon + 1}"; exon_id "ENSE${String(exon).padStart(11, '0')}";`;

async function readAnnotation(path: string): Promise<void> {
  const rows = countedRows(await openIntervals(path), new AnnotationReader('GRCh38'), new SkippedLines(), undefined);
  for await (const batch of rows) if (batch.genes === undefined) break;
}

const lines = (size: number, make: (i: number) => string) => `${many(size, make).join('\n')}\n`;
const genesOf = (path: string) =>
  readGenes(
    sourceOf('x', 0, () => createReadStream(path)),
    'GRCh38',
  );

const intervalScenarios: Record<string, Scenario> = {
  'BED panel: lines': ofFile(
    4000,
    (size) => lines(size, (i) => `1\t${i * 10}\t${i * 10 + 5}`),
    (path) => readPanel([path], 'GRCh38'),
  ),
  'BED panel: lines that overlap, last first': ofFile(
    4000,
    (size) => lines(size, (i) => `1\t${(size - i) * 10}\t${(size - i) * 10 + 15}`),
    (path) => readPanel([path], 'GRCh38'),
  ),
  'BED panel: columns': ofFile(
    20_000,
    (size) => `1\t1\t2${'\tx'.repeat(size)}\n`,
    (path) => readPanel([path], 'GRCh38'),
  ),
  'BED of a report: lines': of(4000, (size) => {
    const bytes = Buffer.from(lines(size, (i) => `1\t${i * 10}\t${i * 10 + 5}\tname${i}`));
    return () => readBed(sourceOf('x.bed', 0, () => Readable.from([bytes])));
  }),
  'BED of a report: columns': of(20_000, (size) => {
    const bytes = Buffer.from(`1\t1\t2${'\tx'.repeat(size)}\n`);
    return () => readBed(sourceOf('x.bed', 0, () => Readable.from([bytes])));
  }),
  'BED of a report: comments and blanks': of(4000, (size) => {
    const bytes = Buffer.from(`${'#\n\n \n'.repeat(size)}1\t1\t2\n`);
    return () => readBed(sourceOf('x.bed', 0, () => Readable.from([bytes])));
  }),
  'GTF: genes': ofFile(2000, (size) => lines(size, (i) => gtfGene(i)), readAnnotation),
  'GTF: attributes of one line': ofFile(
    4000,
    (size) => `${gtfGene(1, many(size, (i) => `tag "t${i}";`).join(' '))}\n`,
    readAnnotation,
  ),
  'GTF: exons of one transcript': ofFile(
    2000,
    (size) =>
      `${gtfPart('transcript', 1, 0)}\n${lines(size, (i) => `${gtfPart('exon', 1, i)}\n${gtfPart('CDS', 1, i)}`)}`,
    readAnnotation,
  ),
  'GTF: transcripts': ofFile(
    1000,
    (size) => lines(size, (i) => `${gtfPart('transcript', i, 0)}\n${gtfPart('exon', i, 0)}`),
    readAnnotation,
  ),
  'genes of the beacon: GTF': ofFile(2000, (size) => lines(size, (i) => gtfGene(i)), genesOf),
  'genes of the beacon: a table': ofFile(
    2000,
    (size) => lines(size, (i) => `ENSG${String(i).padStart(11, '0')}\tHGNC:${i + 1}\tG${i}\t1\t${i + 1}\t${i + 5}`),
    genesOf,
  ),
};

// --- D4

const d4 = (size: number, make: (size: number) => Parameters<typeof buildFile>[0]): Scenario =>
  of(size, (count) => {
    const bytes = buildFile(make(count));
    return async () => {
      const file = await openD4(memorySource(bytes, 'x.d4'));
      file.close();
    };
  });

const track = (chromosomes: number, cuts: number[], depths = 8) => ({
  chromosomes: many(chromosomes, (i) => ({ name: `chr${i}`, size: depths, depths: new Int32Array(depths) })),
  values: [0, 1],
  simple: false,
  cuts: many(chromosomes, () => cuts),
  deflate: false,
  firstFrame: 64,
});

const d4Scenarios: Record<string, Scenario> = {
  'D4: chromosomes': d4(400, (size) => track(size, [])),
  'D4: tracks': d4(100, (size) => Object.fromEntries(many(size, (i) => [`track${i}`, track(1, [])]))),
  'D4: partitions of one chromosome': d4(400, (size) =>
    track(
      1,
      many(size - 1, (i) => (i + 1) * 4),
      size * 4,
    ),
  ),
};

// --- forms and JSON

const settings = coverageSettings.parse({ limits: { samples: 1000 } });
const form = (size: number, sent: (size: number) => Record<string, string | string[]>): Scenario =>
  of(size, (count) => {
    const fields = { build: 'GRCh38', samples: "[{'name': 'a', 'coverage_file_path': '/a.d4'}]", ...sent(count) };
    return () => parseForm('report', { fields }, settings, textsOfLanguage('en'));
  });

const patient = (more: object) => ({
  id: 'p',
  contact: { name: 'A', href: 'mailto:a@example.org' },
  features: [{ id: 'HP:0001250' }],
  ...more,
});
const term = (i: number) => ({ id: `HP:${String(i % 9_999_999).padStart(7, '0')}` });

const multipart = (size: number) => {
  const boundary = 'limit';
  const parts = many(size, (i) => `--${boundary}\r\nContent-Disposition: form-data; name="f${i % 7}"\r\n\r\n${i}\r\n`);
  const bytes = Buffer.from(`${parts.join('')}--${boundary}--\r\n`);
  return () => {
    const file = { stream: Object.assign(new Writable({ write: (_c, _e, done) => done() }), { bytesWritten: 0 }) };
    const headers = {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(bytes.length),
    };
    const arriving = { ...file, keep: async () => undefined, discard: async () => undefined };
    return receiveForm(Readable.from([bytes]), headers, arriving);
  };
};

const sampleText = (i: number) => `{'name': 's${i}', 'coverage_file_path': '/a/${i}.d4'}`;

const formScenarios: Record<string, Scenario> = {
  'multipart form: fields': of(1000, multipart),
  'form of a report: samples in one list': form(500, (size) => ({ samples: `[${many(size, sampleText).join(', ')}]` })),
  'form of a report: samples one by one': form(20_000, (size) => ({ samples: many(size, () => '[1]') })),
  'form of a report: samples that are none': form(40_000, (size) => ({
    samples: `[${many(size, () => '1').join(',')}]`,
  })),
  'form of a report: genes in one field': form(4000, (size) => ({
    hgnc_gene_symbols: many(size, (i) => `G${i}`).join(','),
  })),
  'form of a report: genes one by one': form(4000, (size) => ({ hgnc_gene_symbols: many(size, (i) => `G${i}`) })),
  'form of a report: thresholds': form(2000, (size) => ({ completeness_thresholds: many(size, (i) => String(i + 1)) })),
  'form of a report: items': of(4000, (size) => {
    const sent = { list: many(size, (i) => `a${i}, b`) };
    return () => itemsOfField(sent, 'list');
  }),
  'literal of Python: a list': of(4000, (size) => {
    const text = `[${many(size, (i) => `'a\\'${i}'`).join(', ')}]`;
    return () => parseLiteral(text);
  }),
  'literal of Python: one text': of(20_000, (size) => {
    const text = `'${"\\'a".repeat(size)}'`;
    return () => parseLiteral(text);
  }),
  'JSON: lists and members': of(4000, (size) => {
    const body = { list: many(size, (i) => `x${i}`), members: Object.fromEntries(many(size, (i) => [`m${i}`, i])) };
    return () => refuseBrokenData(body);
  }),
  'beacon query: parameters that are none': of(4000, (size) => {
    const body = Object.fromEntries(many(size, (i) => [`stort${i}x`, 'x']));
    return () => misspelt(sentIn(body, false));
  }),
  'beacon query: ids in brackets': of(4000, (size) => {
    const body = Object.fromEntries(many(size, (i) => [`datasetIds[${i}]`, 'x']));
    return () => sentIn(body, false);
  }),
  'beacon query: dataset ids, and datasets': of(500, (size) => {
    const ids = many(size, (i) => `d${i}`);
    const created = new Date(0);
    const datasets = ids.map((id) => ({
      ...{
        id,
        name: id,
        assembly: 'GRCh37' as const,
        access: 'PUBLIC' as const,
        version: 1,
        created,
        updated: created,
      },
      ...{ alleleCount: 0, callCount: 0, sampleCount: 0 },
    }));
    const body = { assemblyId: 'GRCh37', referenceName: '1', start: 1, referenceBases: 'A', alternateBases: 'C' };
    const sent = sentIn(
      {
        ...body,
        datasetIds: ids
          .map((id) => `${id}x`)
          .concat(ids.slice(-1))
          .slice(-1000),
      },
      false,
    );
    const open = datasets.map((dataset) => ({ dataset, granularity: 'count' as const }));
    return () => readQuery({ sent, datasets, caller: { kind: 'anonymous' }, open, listProtected: true });
  }),
  'beacon: names of samples in JSON': of(4000, (size) => {
    const body = { samples: many(size, (i) => i) };
    return () => checkedText(object({ samples: strings() }), body);
  }),
  'beacon: genes of a load': of(4000, (size) => {
    const ids = many(size, (i) => `HGNC:${i + 1}`);
    const genes = async () => [];
    return () => genePanel({ genes } as never, 'GRCh37', { ids, id_type: 'HGNC' });
  }),
  'patient: features': of(1000, (size) => {
    const value = patient({ features: many(size, term) });
    return () => readPatient(value, 'patient');
  }),
  'patient: features that are wrong': of(1000, (size) => {
    const value = patient({ features: many(size, (i) => ({ id: i })) });
    return () => readPatient(value, 'patient');
  }),
  'patient: genomic features': of(40, (size) => {
    const value = patient({ genomicFeatures: many(size, (i) => ({ gene: { id: `G${i}` } })) });
    return () => readPatient(value, 'patient');
  }),
  'patients: a list': of(300, (size) => {
    const list = many(size, (i) => ({ ...patient({}), id: `p${i}` }));
    return () => readPatientList(list);
  }),
  'phenopackets: a list': of(300, (size) => {
    const packet = (i: number) => ({
      id: `p${i}`,
      metaData: {},
      subject: { id: 's' },
      phenotypicFeatures: [{ type: term(i) }],
    });
    return () => readPatientList({ phenopackets: many(size, packet), contact: patient({}).contact });
  }),
  'phenopacket: features, diseases and interpretations': of(500, (size) => {
    const packet = {
      ...{ id: 'p', metaData: {}, subject: { id: 's' } },
      phenotypicFeatures: many(size, (i) => ({ type: i % 2 === 0 ? term(i) : { id: `MP:${i}` } })),
      diseases: many(size, (i) => ({ term: { id: `OMIM:${100_000 + i}` } })),
      interpretations: many(size, (i) => ({
        diagnosis: {
          disease: { id: `OMIM:${100_000 + i}` },
          genomicInterpretations: [{ gene: { valueId: `HGNC:${i + 1}`, symbol: `G${i}` } }],
        },
      })),
    };
    return () => readPatientList([packet], patient({}).contact);
  }),
};

// --- lists of callers beside lists that are stored

const panelOf = (size: number) => ({
  name: 'p',
  genes: many(size, (i) => ({ hgnc: i + 1, symbol: `G${i}`, confidence: 'green' as const })),
});

const listScenarios: Record<string, Scenario> = {
  'panel: genes to remove, and genes': of(2000, (size) => {
    const [panel, wanted] = [panelOf(size), many(size, (i) => size - i)];
    return () => withoutGenes(panel as Parameters<typeof withoutGenes>[0], wanted);
  }),
  'panel: a table of columns with and without a title': of(1000, (size) => {
    const text = `hgnc_id\t${'x\t\t'.repeat(size)}\nHGNC:1\t${'x\t\t'.repeat(size)}\n`;
    return () => readGeneList({ name: 'x.tsv', text } as Parameters<typeof readGeneList>[0], () => false);
  }),
  'panel: entries that only one of two has': of(2000, (size) => {
    const [these, those] = [many(size, (i) => `x${i}`), many(size, (i) => `x${size - i}`)];
    return () => minus(these, those);
  }),
  'beacon: cases, and samples of cases': of(2000, (size) => {
    const samples = many(size, (i) => ({ name: `s${i}`, case: `c${i}` }));
    const cases = many(size, (i) => `c${size - 1 - i}`);
    return () => samplesOfCases(samples as unknown as Parameters<typeof samplesOfCases>[0], cases, 'd');
  }),
  'beacon: samples of one registered sample': of(2000, (size) => {
    const samples = many(size, (i) => ({ name: `s${i}`, case: 'c', sex: 'unknown', labels: {}, coverageId: 'one' }));
    const service = sampleFactsService({
      datasets: async () => [{ id: 'd' }],
      sampleFacts: async () => samples,
    } as unknown as Parameters<typeof sampleFactsService>[0]);
    return () => service.factsOf(['one']);
  }),
  'PED: individuals of one family': ofFile(
    2000,
    (size) => lines(size, (i) => `F\ts${i}\t${i === 0 ? '0\t0' : `s${i - 1}\t0`}\t1\t2`),
    (path) => readPed(path),
  ),
  'pedigree: individuals of one case': of(2000, (size) => {
    const people = new Map(
      many(size, (i) => [`s${i}`, { name: `s${i}`, case: 'c', sex: 'male', isStored: false, showsReference: true }]),
    ) as Parameters<typeof checkStated>[0]['people'];
    const thresholds = { sites: 100, samePerson: 0.85, parentChild: 0.1, unrelated: 0.35 };
    return () =>
      checkStated({ fresh: new Set(people.keys()), people, pedigree: new Map(), thresholds }, () => undefined);
  }),
  'multipart form: one field again and again': of(1000, (size) => {
    const part = '--limit\r\nContent-Disposition: form-data; name="f"\r\n\r\n1\r\n';
    const bytes = Buffer.from(`${part.repeat(size)}--limit--\r\n`);
    const headers = { 'content-type': 'multipart/form-data; boundary=limit', 'content-length': String(bytes.length) };
    return () => receiveSmallForm(Readable.from([bytes]), headers, { file: 1000 });
  }),
  'configuration: aliases, and anchors': of(1000, (size) => {
    const anchors = many(size, (i) => `k${i}: &a${i} x`).join('\n');
    const text = `${anchors}\nlist: [${many(size, (i) => `*a${i}`).join(', ')}]\n`;
    return () => parseYaml(text, 'x.yaml', new Faults());
  }),
  'configuration: keys of one section': of(1000, (size) => {
    const text = many(size, (i) => `k${i}: 1`).join('\n');
    return () => parseYaml(text, 'x.yaml', new Faults());
  }),
  'configuration: faults': of(1000, (size) => () => {
    const faults = new Faults();
    for (let i = 0; i < size; i++) faults.add([`k${i}`], 'is wrong');
  }),
};

export const scenarios: Record<string, Scenario> = {
  ...vcfScenarios,
  ...intervalScenarios,
  ...d4Scenarios,
  ...formScenarios,
  ...listScenarios,
};
