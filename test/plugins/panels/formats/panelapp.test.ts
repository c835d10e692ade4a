/** Panels of PanelApp: regions of its API, and the table that it offers for download. */
import { expect } from 'chai';
import { addDraft, keepSignedOff } from '../../../../plugins/panels/import/drafts.js';
import { isPanelAppTable, readPanelApp, readPanelAppTable } from '../../../../plugins/panels/import/panelapp.js';
import { placesOf } from '../../../../plugins/panels/versions/content.js';
import { draftVersion } from '../../../../plugins/panels/versions/lifecycle.js';
import { at, contentOf, green } from '../support/served.js';

/** The columns of PanelApp's table. */
const titles = [
  ...['Entity Name', 'Entity type', 'Gene Symbol', 'Sources(; separated)', 'Level4', 'Level3', 'Level2'],
  ...['Model_Of_Inheritance', 'Phenotypes', 'Omim', 'Orphanet', 'HPO', 'Publications', 'Description', 'Flagged'],
  ...['GEL_Status', 'UserRatings_Green_amber_red', 'version', 'ready', 'Mode of pathogenicity', 'EnsemblId(GRch37)'],
  ...['EnsemblId(GRch38)', 'HGNC', 'Position Chromosome', 'Position GRCh37 Start', 'Position GRCh37 End'],
  ...['Position GRCh38 Start', 'Position GRCh38 End', 'STR Repeated Sequence', 'STR Normal Repeats'],
  ...['STR Pathogenic Repeats', 'Region Haploinsufficiency Score', 'Region Triplosensitivity Score'],
  ...['Region Required Overlap Percentage', 'Region Variant Type', 'Region Verbose Name'],
];
const row = (cells: Record<string, string>) => titles.map((title) => cells[title] ?? '').join('\t');
const bap1 = {
  ...{ 'Entity Name': 'BAP1', 'Entity type': 'gene', 'Gene Symbol': 'BAP1', Level4: 'Kidney', version: '2.1' },
  ...{ GEL_Status: '3', HGNC: 'HGNC:950', Phenotypes: 'One;"Two"', Model_Of_Inheritance: '"MONO, ""x"""' },
};
const repeat = {
  ...{ 'Entity Name': 'HTT_CAG', 'Entity type': 'str', 'Gene Symbol': 'HTT', Level4: 'Kidney', GEL_Status: '2' },
  ...{ HGNC: 'HGNC:4851', 'Position Chromosome': '4', 'Position GRCh38 Start': '3074877' },
  ...{ 'Position GRCh37 Start': '3076604', 'Position GRCh37 End': '3076660' },
  ...{ 'Position GRCh38 End': '3074933', 'STR Repeated Sequence': 'CAG', 'STR Normal Repeats': '26' },
};
const region = {
  ...{ 'Entity Name': 'ISCA-37404-Loss', 'Entity type': 'region', Level4: 'Kidney', version: '2.1', GEL_Status: '3' },
  ...{ 'Region Verbose Name': '15q11q13 Loss', 'Region Haploinsufficiency Score': '3' },
  ...{ 'Region Required Overlap Percentage': '60', 'Region Variant Type': 'cnv_loss' },
};
const table = (...rows: Record<string, string>[]) => [titles.join('\t'), ...rows.map(row)].join('\r\n');
const read = (text: string) => readPanelAppTable({ name: 'Kidney.tsv', text });

describe('panels of PanelApp', () => {
  it('keep the type of variants and the required overlap of regions', () => {
    const one = {
      ...{ entity_name: 'ISCA-37404-Loss', verbose_name: '15q11q13 Loss', confidence_level: '3' },
      ...{ haploinsufficiency_score: '3', triplosensitivity_score: '', required_overlap_percentage: 60 },
    };
    const regions = ['cnv_loss', 'cnv_gain', 'cnv_both', 'small', 'new', null].map((type_of_variants) => ({
      ...one,
      type_of_variants,
      ...(type_of_variants === 'cnv_gain' && { required_overlap_percentage: 0, triplosensitivity_score: '40' }),
    }));
    const { others } = readPanelApp({ id: 1, name: 'x', version: '1', genes: [], regions }, 'x');
    expect(others?.map(({ detail }) => detail)).to.deep.equal([
      'copy number loss, overlap of 60 % required, haploinsufficiency score 3',
      'copy number gain, overlap of 0 % required, haploinsufficiency score 3, triplosensitivity score 40',
      'copy number loss or gain, overlap of 60 % required, haploinsufficiency score 3',
      'small variants, overlap of 60 % required, haploinsufficiency score 3',
      'new, overlap of 60 % required, haploinsufficiency score 3',
      'overlap of 60 % required, haploinsufficiency score 3',
    ]);
  });

  it('are read from its table, with repeats and regions', () => {
    const text = table(bap1, repeat, region);
    expect(isPanelAppTable(text)).to.equal(true);
    expect(isPanelAppTable('Gene Symbol\tStatus\nBAP1\t3\n')).to.equal(false);
    expect(read(text)).to.deep.equal({
      name: 'Kidney',
      version: '2.1',
      entries: [
        {
          ...{ at: 'line 2', hgnc: 950, symbol: 'BAP1', confidence: 'green', inheritance: 'MONO, "x"' },
          phenotypes: ['One', '"Two"'],
        },
      ],
      others: [
        {
          ...{ kind: 'str', name: 'HTT_CAG', confidence: 'amber', genes: [4851] },
          place: '4:3076604-3076660 (GRCh37); 4:3074877-3074933 (GRCh38)',
          detail: 'repeat CAG, normal up to 26',
        },
        {
          ...{ kind: 'region', name: '15q11q13 Loss', confidence: 'green' },
          detail: 'copy number loss, overlap of 60 % required, haploinsufficiency score 3',
        },
      ],
      notes: [],
      source: { kind: 'panelapp', version: '2.1' },
    });
  });

  it('say where regions and repeats are, by build, counting bases from 1', () => {
    const of = (place?: string) => placesOf(place);
    // 19 CAG of HTT in the reference.
    expect(of('4:3076604-3076660 (GRCh37); chr4:3074877-3074933 (GRCh38)')).to.deep.equal({
      GRCh37: { chromosome: '4', start: 3_076_603, end: 3_076_660 },
      GRCh38: { chromosome: '4', start: 3_074_876, end: 3_074_933 },
    });
    expect(of('chrM:1-16569 (GRCh38)')).to.deep.equal({ GRCh38: { chromosome: 'MT', start: 0, end: 16_569 } });
    for (const unclear of [
      undefined,
      '',
      '16p11.2',
      '4:1-2',
      '4:1-2 (hg19)',
      '4:2-1 (GRCh38)',
      '4:0-1 (GRCh38)',
      '23:1-2 (GRCh38)',
      'MT:1-16570 (GRCh38)',
      '4:1-2 (GRCh38); 4:5-6 (GRCh38)',
      '4:1-2 (GRCh38); q11',
    ])
      expect(of(unclear), unclear).to.deep.equal({});
  });

  it('are the same version without positions in GRCh37, as imports before kept it', async () => {
    const strs = [
      {
        ...{ entity_name: 'HTT_CAG', confidence_level: '3', chromosome: '4' },
        ...{ grch37_coordinates: [3_076_604, 3_076_660], grch38_coordinates: [3_074_877, 3_074_933] },
      },
    ];
    const others = (changes: object) =>
      readPanelApp({ id: 1, name: 'x', version: '1', genes: [], strs: [{ ...strs[0], ...changes }] }, 'x').others ?? [];
    const source = { kind: 'panelapp' as const, name: 'x', id: '1', version: '1', read: at.toISOString() };
    const content = (changes: object) => contentOf([green(950, 'BAP1')], { source, others: others(changes) });
    const find = async () => draftVersion('panelapp-1', '1', content({ grch37_coordinates: null }), { by: 'anna', at });
    const adding = (changes: object) =>
      addDraft(
        { find } as never,
        { panel: 'panelapp-1', version: '1', content: content(changes) },
        {
          actor: { by: 'bo', at },
          add: () => Promise.reject(new Error('must not be added')),
        },
      );
    expect(await adding({})).to.equal('unchanged');
    expect(await adding({ grch38_coordinates: [3_074_877, 3_074_934] })).to.have.property('refused');
  });

  it('are read from the table of a superpanel, which names the panel of each line', () => {
    const { name, version, entries } = read(table(bap1, { ...bap1, Level4: 'Eye', version: '7.0', GEL_Status: '1' }));
    expect([name, version]).to.deep.equal([undefined, undefined]);
    expect(entries.map(({ from }) => from)).to.deep.equal([['Kidney 2.1: green'], ['Eye 7.0: red']]);
  });

  it('are refused with the line', () => {
    for (const [text, why] of [
      [table(bap1, { ...bap1, GEL_Status: 'green' }), 'line 3: GEL_Status: expected a level from 0 to 4'],
      [table({ ...bap1, 'Entity type': 'exon' }), 'line 2: Entity type: expected gene, str or region, found "exon"'],
      [`${table(bap1)}\tPER3`, `line 2: expected ${titles.length} cells, found ${titles.length + 1}`],
      [table(), 'there are no genes in it'],
    ] as const)
      expect(() => read(text), why).to.throw(why);
  });

  it('do not change after they are in review, and say so', async () => {
    const source = { kind: 'panelapp' as const, name: 'x', id: '1', version: '2', read: at.toISOString() };
    const draft = draftVersion('panelapp-1', '2', contentOf([green(950, 'BAP1')], { source }), { by: 'anna', at });
    const replace = () => Promise.reject(new Error('must not be changed'));
    const keep = (version: typeof draft) => keepSignedOff(version, '2026-02-03', { actor: { by: 'bo', at }, replace });
    for (const state of ['in review', 'signed off', 'retired'] as const)
      expect(await keep({ ...draft, state })).to.equal(
        `signed off in PanelApp on 2026-02-03; not added, since the version is ${state} here`,
      );
    // A copy under another version name is not what PanelApp signed.
    expect(await keep({ ...draft, version: '3' })).to.equal(undefined);
  });
});
