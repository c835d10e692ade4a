/** Files of Picard CollectHsMetrics beside the figures from depths. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readHsMetrics } from '../../../plugins/coverage/report/form/fields.js';
import { useFolder } from '../../support/folder.js';
import { request } from '../../support/http.js';
import { useEach } from '../../support/use.js';
import { chromosomesOf, writeD4 } from './support/d4.js';
import { serveCoverage } from './support/serve.js';

const names = [
  'BAIT_SET',
  'MEAN_TARGET_COVERAGE',
  'FOLD_80_BASE_PENALTY',
  'PCT_EXC_DUPE',
  'SAMPLE',
  'LIBRARY',
  'READ_GROUP',
];

/** As Picard writes it, with these rows. */
function picard(rows: readonly (readonly string[])[], kind = 'picard.analysis.directed.HsMetrics'): string {
  return [
    '## htsjdk.samtools.metrics.StringHeader',
    '# CollectHsMetrics --INPUT s1.bam --METRIC_ACCUMULATION_LEVEL ALL_READS',
    '',
    `## METRICS CLASS\t${kind}`,
    names.join('\t'),
    ...rows.map((row) => row.join('\t')),
    '',
    '## HISTOGRAM\tjava.lang.Integer',
    'coverage_or_base_quality\thigh_quality_coverage_count',
    '0\t17',
    '',
  ].join('\n');
}
const all = ['kit_v3', '87.25', '1.42', '0.081', '', '', ''];

describe('HsMetrics of Picard', () => {
  it('are those of all reads, as the file writes them', () => {
    const found = readHsMetrics(picard([all]), ['S1']);
    if (typeof found === 'string') throw new Error(found);
    expect(found).not.to.have.property('sample');
    expect(Object.fromEntries(found.values)).to.deep.equal({
      BAIT_SET: 'kit_v3',
      MEAN_TARGET_COVERAGE: '87.25',
      FOLD_80_BASE_PENALTY: '1.42',
      PCT_EXC_DUPE: '0.081',
    });
    const crlf = readHsMetrics(picard([all]).replaceAll('\n', '\r\n'), []);
    expect(typeof crlf === 'string' ? crlf : crlf.values.get('PCT_EXC_DUPE')).to.equal('0.081');
  });

  it('are those of the sample in a file of several levels', () => {
    const rows = [
      all,
      ['kit_v3', '50', '1.5', '0.1', 'S1', 'L1', ''],
      ['kit_v3', '60', '1.5', '0.1', 'S1', '', ''],
      ['kit_v3', '70', '1.5', '0.1', 'S2', '', ''],
    ];
    const meanOf = (own: string[]) => {
      const found = readHsMetrics(picard(rows), own);
      return typeof found === 'string' ? found : [found.sample, found.values.get('MEAN_TARGET_COVERAGE')];
    };
    expect(meanOf(['S1'])).to.deep.equal(['S1', '60']);
    expect(meanOf(['name', 'S2'])).to.deep.equal(['S2', '70']);
    expect(meanOf(['S3'])).to.deep.equal([undefined, '87.25']);
  });

  it('are refused from anything else, in one sentence', () => {
    expect(readHsMetrics('', [])).to.match(/no line "## METRICS CLASS"/);
    expect(readHsMetrics(picard([all], 'picard.sam.DuplicationMetrics'), [])).to.match(
      /has picard.sam.DuplicationMetrics, not/,
    );
    expect(readHsMetrics(picard([]), [])).to.match(/no figures/);
    expect(readHsMetrics(picard([[...all, 'more']]), [])).to.match(/more values than names/);
    expect(readHsMetrics('## METRICS CLASS\tHsMetrics\n', [])).to.match(/no figures/);
  });

  describe('in reports', () => {
    const folder = useFolder();
    const server = useEach(() => serveCoverage({ settings: { roots: [folder.path()] } }));

    async function report(more: Record<string, string>) {
      const runs = [{ chromosome: '1', begin: 1000, end: 1020, depth: 40 }];
      writeD4(join(folder.path(), 'a.d4'), { chromosomes: chromosomesOf('GRCh38'), runs });
      writeFileSync(join(folder.path(), 'a.hs.txt'), picard([['kit_v3', '38.5', '1.2', '0.05', 'other', '', '']]));
      const fields = {
        build: 'GRCh38',
        interval_type: 'custom_intervals',
        intervals_bed: '1\t1000\t1020\tone\n',
        samples: JSON.stringify(['S1', 'S2'].map((name) => ({ name, coverage_file_path: 'a.d4' }))),
        format: 'json',
      };
      return request(`${server.url}/report`, { form: { ...fields, ...more } });
    }

    it('stand beside the figures of the same formula, from a text or a path', async () => {
      const given = { hs_metrics_1: picard([all]), hs_metrics_path_2: 'a.hs.txt' };
      const { samples } = JSON.parse((await report(given)).text);
      expect(samples[0].picard_hs_metrics).to.deep.include({ sample: null });
      expect(samples[0].picard_hs_metrics.values).to.include({ PCT_EXC_DUPE: '0.081', MEAN_TARGET_COVERAGE: '87.25' });
      expect(samples[1].picard_hs_metrics).to.deep.include({ sample: 'other' });
      const { text } = await report({ ...given, format: 'csv', table: 'hs_metrics' });
      expect(text.split('\r\n')).to.deep.equal([
        'metric,S1_picard,S1_depths,S2_picard,S2_depths',
        'BAIT_SET,kit_v3,–,kit_v3,–',
        'MEAN_TARGET_COVERAGE,87.25,40,38.5,40',
        'FOLD_80_BASE_PENALTY,1.42,1,1.2,1',
        'PCT_EXC_DUPE,0.081,–,0.05,–',
        '',
      ]);
      const page = (await report({ ...given, format: 'html' })).text;
      expect(page).to.include('The file given for S2 names another sample: other.').and.include('S1: Picard');
      // The page sends them again with its buttons.
      expect(page).to.include('name="hs_metrics_path_2" value="a.hs.txt"').and.include('0.081');
      expect((await report({ ...given, format: 'html', lang: 'sv' })).text).to.include('gäller ett annat prov: other.');
    });

    it('are refused if they are something else, or out of reach, or of no sample', async () => {
      const wrong = [
        [{ hs_metrics_1: 'nothing' }, /hs_metrics_1.*The text is no file of Picard/],
        [{ hs_metrics_path_1: 'a.d4' }, /hs_metrics_path_1.*The text is no file|too large/],
        [{ hs_metrics_path_1: '/etc/passwd' }, /hs_metrics_path_1.*The file does not exist, or is not under/],
        [{ hs_metrics_path_1: 'absent.txt' }, /hs_metrics_path_1.*The file does not exist, or is not under/],
        [{ hs_metrics_3: picard([all]) }, /hs_metrics_3.*There is no sample of this number: the form has 2/],
      ] as const;
      for (const [fields, sentence] of wrong) {
        const { status, text } = await report(fields as unknown as Record<string, string>);
        expect(status, text).to.equal(422);
        expect(text).to.match(sentence);
      }
      expect(JSON.parse((await report({})).text).samples[0]).not.to.have.property('picard_hs_metrics');
    });
  });
});
