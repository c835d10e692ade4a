/** Pages and their exports show the numbers of /coverage/d4/interval_file/ for the same bases. */
import { expect } from 'chai';
import { percentOfShare } from '../../../../plugins/coverage/measure/measure.js';
import { useOnce } from '../../../support/use.js';
import { serveCoverage } from '../support/serve.js';
import { data, demoForm, type Fields, post, rowsOf, trio } from './support/post.js';
import { shownDepth, tableOf, titledTable } from './support/tables.js';

interface Interval {
  gene: string;
  interval: string;
  exon: number | null;
  chromosome: string;
  regions: [number, number][];
}
interface Line {
  length: number;
  mean_coverage: number;
  bases_at: Record<string, number>;
}
/** Exact counts of one interval in one sample. */
interface Counts {
  length: number;
  sum: number;
  reached: number[];
}

const thresholds = [10, 20, 30];
const names = trio.map(({ name }) => name);
const pages = ['report', 'overview', 'mane_overview', 'gene_overview'] as const;
const formFor = (page: (typeof pages)[number], type: string): Fields => ({
  ...demoForm,
  ...{ interval_type: type, completeness_thresholds: thresholds.join(',') },
  ...(page === 'gene_overview' ? { hgnc_gene_id: 'MTHFR' } : {}),
});

describe('coverage pages: numbers', () => {
  const server = useOnce(() => serveCoverage({ demo: true }));

  /** By sample and interval. Regions of one interval of the demo do not overlap. */
  async function counted(intervals: readonly Interval[]): Promise<Map<string, Counts>> {
    const found = new Map<string, Counts>();
    const bed = intervals.flatMap(({ chromosome, regions }) =>
      regions.map(([start, end]) => `${chromosome}\t${start}\t${end}\n`),
    );
    for (const { name, coverage_file_path } of trio) {
      const form = new FormData();
      form.set('coverage_file_path', coverage_file_path);
      form.set('completeness_thresholds', JSON.stringify(thresholds));
      form.set('file', new Blob([bed.join('')]), 'intervals.bed');
      const response = await fetch(`${server.url}/coverage/d4/interval_file/`, { method: 'POST', body: form });
      expect(response.status).to.equal(200);
      const lines = (await response.json()) as Line[];
      let at = 0;
      for (const [i, { regions }] of intervals.entries()) {
        const own = lines.slice(at, at + regions.length);
        at += regions.length;
        found.set(`${name} ${i}`, {
          length: own.reduce((all, { length }) => all + length, 0),
          sum: own.reduce((all, { length, mean_coverage }) => all + length * mean_coverage, 0),
          reached: thresholds.map((one) => own.reduce((all, { bases_at }) => all + (bases_at[one] ?? 0), 0)),
        });
      }
    }
    return found;
  }

  /** As formatted on pages: mean, then the percentages. */
  const asShown = ({ length, sum, reached }: Counts) => [
    shownDepth(Math.round((sum / length) * 100) / 100),
    ...reached.map((count) => `${percentOfShare(count / length).toFixed(2)} %`),
  ];
  const asValues = ({ length, sum, reached }: Counts) => [
    Math.round((sum / length) * 100) / 100,
    ...reached.map((count) => percentOfShare(count / length)),
  ];

  for (const type of ['genes', 'transcripts', 'exons']) {
    for (const page of pages) {
      it(`equal those of the JSON endpoint in every interval, and in the export: ${page}, ${type}`, async () => {
        const fields = formFor(page, type);
        const { intervals } = await data<{ intervals: Interval[] }>(`${server.url}/${page}`, fields);
        expect(intervals.length).to.be.greaterThan(3);
        const expected = await counted(intervals);
        const csv = await post(`${server.url}/${page}`, { ...fields, format: 'tsv', table: tableName(page) });
        const [head = '', ...lines] = csv.text.trimEnd().split('\n');
        const columns = head.split('\t');
        const rows = lines.map((line) => Object.fromEntries(line.split('\t').map((cell, i) => [columns[i], cell])));
        expect(rows.length).to.equal(intervals.length * names.length);
        for (const [i, { interval }] of intervals.entries()) {
          for (const name of names) {
            const own = expected.get(`${name} ${i}`) as Counts;
            const row = rows.find((one) => (one.interval ?? one.transcript) === interval && one.sample === name);
            expect(Number(row?.bases), `${interval} ${name}`).to.equal(own.length);
            expect([
              Number(row?.mean_coverage),
              ...thresholds.map((one) => Number(row?.[`completeness_${one}_percent`])),
            ]).to.deep.equal(asValues(own));
          }
        }
      });
    }
  }

  const tableName = (page: string) => (page === 'mane_overview' ? 'transcripts' : 'intervals');

  it('are in the cells of the overview', async () => {
    const fields = formFor('overview', 'exons');
    const { intervals } = await data<{ intervals: Interval[] }>(`${server.url}/overview`, fields);
    const expected = await counted(intervals);
    const { text } = await post(`${server.url}/overview`, fields);
    const shown = tableOf(text, 'incomplete').map(([, interval, place, bases, ...shares]) => [
      ...[interval, place, bases],
      ...shares,
    ]);
    const own = (i: number, name: string) => expected.get(`${name} ${i}`) as Counts;
    const incomplete = intervals.flatMap(({ chromosome, regions }, i) => {
      if (names.every((name) => own(i, name).reached[1] === own(i, name).length)) return [];
      const [[start, end] = [0, 0]] = regions;
      const shares = names.map((name) => asShown(own(i, name))[2]);
      return [[`${chromosome}:${start + 1}-${end}`, (end - start).toLocaleString('en'), ...shares].join(' ')];
    });
    expect(shown.map(([, ...cells]) => cells.join(' ')).sort()).to.deep.equal(incomplete.sort());
    expect(incomplete.length).to.be.greaterThan(2);
  });

  it('are in the cells of the MANE page', async () => {
    const fields = formFor('mane_overview', 'transcripts');
    const { intervals } = await data<{ intervals: Interval[] }>(`${server.url}/mane_overview`, fields);
    const expected = await counted(intervals);
    const { text } = await post(`${server.url}/mane_overview`, fields);
    const shown = tableOf(text, 'transcripts').map(([, transcript, , , ...cells]) => [transcript, ...cells]);
    const wanted = intervals.flatMap(({ interval }, i) =>
      names.map((name) => [interval, name, ...asShown(expected.get(`${name} ${i}`) as Counts)]),
    );
    expect(shown.sort()).to.deep.equal(wanted.sort());
  });

  it('are in the cells of the gene page: transcripts and their exons', async () => {
    const fields = formFor('gene_overview', 'transcripts');
    const { intervals } = await data<{ intervals: Interval[] }>(`${server.url}/gene_overview`, fields);
    const expected = await counted(intervals);
    const { text } = await post(`${server.url}/gene_overview`, fields);
    const [first] = intervals;
    const whole = names.map((name) => [name, ...asShown(expected.get(`${name} 0`) as Counts)]);
    expect(titledTable(text, `Transcript ${first?.interval}`)).to.deep.equal(whole);
    const exons = titledTable(text, `${first?.interval}: ${first?.regions.length} exons`);
    expect(exons.length).to.equal((first?.regions.length ?? 0) * names.length);
    for (const [, place, , name, ...cells] of exons) {
      const i = intervals.findIndex(
        ({ exon, chromosome, regions: [[start, end] = [0, 0]] }) =>
          exon !== null && `${chromosome}:${start + 1}-${end}` === place,
      );
      expect(cells, `${place} ${name}`).to.deep.equal(asShown(expected.get(`${name} ${i}`) as Counts));
    }
  });

  it('add up to the fully covered intervals of the report', async () => {
    for (const type of ['genes', 'transcripts', 'exons']) {
      const fields = formFor('report', type);
      const { intervals } = await data<{ intervals: Interval[] }>(`${server.url}/report`, fields);
      const expected = await counted(intervals);
      const { text } = await post(`${server.url}/report`, fields);
      const wanted = names.map((name) => {
        const incomplete = intervals.filter((_, i) => {
          const { reached, length } = expected.get(`${name} ${i}`) as Counts;
          return reached[1] !== length;
        });
        const share = percentOfShare((intervals.length - incomplete.length) / intervals.length);
        return [name, `${share.toFixed(2)} %`, `${incomplete.length} of ${intervals.length}`];
      });
      expect(tableOf(text, 'fully_covered'), type).to.deep.equal(wanted);
      const csv = rowsOf((await post(`${server.url}/report?table=fully_covered`, { ...fields, format: 'csv' })).text);
      expect(csv.map(({ sample, fully_covered_percent }) => [sample, Number(fully_covered_percent)])).to.deep.equal(
        wanted.map(([name, share]) => [name, Number.parseFloat(share as string)]),
      );
    }
  });
});
