/** What is said of genes and transcripts that the loaded intervals do not have, in each build. */
import { expect } from 'chai';
import { GeneTable } from '../../../../plugins/panels/genes/gene-table.js';
import {
  checkGenes,
  checkWithIntervals,
  type LocatedGene,
  readCoordinates,
} from '../../../../plugins/panels/genes/genes-in-panels.js';
import { readApproved } from '../../../../plugins/panels/genes/hgnc.js';
import {
  draftVersion,
  retiredVersion,
  signedVersion,
  submittedVersion,
} from '../../../../plugins/panels/versions/lifecycle.js';
import type { GeneExons, GeneStructures } from '../../../../plugins/services/coverage.js';
import { quiet } from '../../../support/storages.js';
import { at, contentOf, green } from '../support/served.js';

const { signal } = new AbortController();
const nothing: GeneExons = { transcripts: [], missing: [], unmet: [], sets: [] };

/** Answers for each build as the test says, and keeps what was asked. */
function answering(
  answer: Record<'GRCh37' | 'GRCh38', (hgnc: number, wanted: readonly string[]) => Partial<GeneExons>>,
) {
  const asked: { build: string; genes: number }[] = [];
  const structures: Pick<GeneStructures, 'exonsOf'> = {
    async exonsOf(build, genes) {
      asked.push({ build, genes: genes.length });
      const parts = genes.map(({ hgnc, transcripts = [] }) => ({ ...nothing, ...answer[build](hgnc, transcripts) }));
      return {
        ...nothing,
        missing: parts.flatMap(({ missing }) => missing),
        unmet: parts.flatMap(({ unmet }) => unmet),
      };
    },
  };
  return { asked, structures: structures as GeneStructures };
}

describe('coordinates of the genes of panels', () => {
  it('are missed in each build of which genes are loaded, for the panels that list them', async () => {
    const { structures } = answering({
      GRCh37: (hgnc) => (hgnc === 2 ? { missing: [{ hgnc, reason: 'no-exons' }] } : {}),
      GRCh38: (hgnc, wanted) => ({
        missing: hgnc === 1 ? [{ hgnc, reason: 'not-in-build' }] : [],
        unmet: wanted.flatMap((name) => {
          if (name === 'NM_3.1') return [{ hgnc, wanted: name, loaded: 'NM_3.4' }];
          return name === 'NM_9' ? [{ hgnc, wanted: name }] : [];
        }),
      }),
    });
    const one: LocatedGene[] = [
      { hgnc: 1, symbol: 'ONE' },
      { hgnc: 3, symbol: 'THREE', transcripts: ['NM_3.1', 'NM_3b'] },
    ];
    const two: LocatedGene[] = [
      { hgnc: 2, symbol: 'TWO' },
      { hgnc: 3, symbol: 'THREE', transcripts: ['NM_9'] },
    ];
    const coordinates = await readCoordinates(structures, [...one, ...two], signal);
    const texts = (genes: LocatedGene[]) => coordinates.check(genes).map(({ what, text }) => `${what}: ${text}`);
    expect(texts(one)).to.deep.equal([
      'no-coordinates: ONE: not among the genes of GRCh38',
      'transcript: THREE: GRCh38 has NM_3.4 for the wanted transcript NM_3.1',
    ]);
    expect(texts(two)).to.deep.equal([
      'no-coordinates: TWO: no exons on GRCh37',
      'transcript: THREE: the wanted transcript NM_9 is not loaded for GRCh38',
    ]);
    expect(texts([{ hgnc: 4, symbol: 'FOUR' }])).to.deep.equal([]);
  });

  it('are not missed in a build of which no genes are loaded', async () => {
    const none = (hgnc: number) => ({ missing: [{ hgnc, reason: 'no-genes-loaded' as const }] });
    const { structures } = answering({ GRCh37: none, GRCh38: none });
    const coordinates = await readCoordinates(structures, [{ hgnc: 1, symbol: 'ONE' }], signal);
    expect(coordinates.check([{ hgnc: 1, symbol: 'ONE' }])).to.deep.equal([]);
  });

  it('are asked for in portions, each gene once', async () => {
    const { structures, asked } = answering({ GRCh37: () => ({}), GRCh38: () => ({}) });
    const genes = Array.from({ length: 1200 }, (_, place) => ({ hgnc: (place % 600) + 1, symbol: 'X' }));
    await readCoordinates(structures, genes, signal);
    expect(asked).to.deep.equal([
      { build: 'GRCh37', genes: 500 },
      { build: 'GRCh37', genes: 100 },
      { build: 'GRCh38', genes: 500 },
      { build: 'GRCh38', genes: 100 },
    ]);
  });

  it('are none on the chromosomes if HGNC says so of the gene', () => {
    // GSTT1 and HLA-DRB3 are on alternate loci of GRCh38.
    const set = [
      'hgnc_id\tsymbol\tlocus_group\tlocation\tstatus\talias_symbol\tprev_symbol',
      'HGNC:4641\tGSTT1\tprotein-coding gene\t22q11.23 alternate reference locus\tApproved\t\t',
      'HGNC:4951\tHLA-DRB3\tprotein-coding gene\t6p21.3 alternate reference locus\tApproved\t\t',
      'HGNC:950\tBAP1\tprotein-coding gene\t3p21.1\tApproved\t\t',
    ].join('\n');
    const table = GeneTable.unpack(new GeneTable(readApproved({ name: 'set.txt', text: set }).genes, []).pack());
    const genes = [
      { hgnc: 950, symbol: 'BAP1' },
      { hgnc: 4641, symbol: 'GSTT1' },
    ];
    expect(checkGenes(genes, table)).to.deep.equal([
      {
        ...{ hgnc: 4641, symbol: 'GSTT1', what: 'elsewhere' },
        text: 'GSTT1 is not on the chromosomes of the reference (HGNC: alternate reference locus)',
      },
    ]);
  });
});

describe('a load of intervals', () => {
  it('says which versions in use have genes or transcripts without coordinates', async () => {
    const { asked, structures } = answering({
      GRCh37: (hgnc) => ({ missing: [{ hgnc, reason: 'no-genes-loaded' }] }),
      GRCh38: (hgnc, wanted) => ({
        missing: hgnc === 1 || hgnc > 99 ? [{ hgnc, reason: 'not-in-build' }] : [],
        unmet: wanted.map((name) => ({ hgnc, wanted: name })),
      }),
    });
    const many = Array.from({ length: 60 }, (_, i) => green(100 + i, `GENE${i}`));
    const by = { by: 'anna', at };
    const review = submittedVersion(draftVersion('heart', '1.0', contentOf([green(1, 'ONE')]), by), by);
    const versions = [
      draftVersion('kidney', '1.9', contentOf([green(1, 'ONE'), green(2, 'TWO', { transcripts: ['NM_2.1'] })]), by),
      draftVersion(
        'kidney',
        '1.10',
        contentOf([green(2, 'TWO')], { unmapped: [{ given: 'X', why: 'unknown', confidence: 'red' }] }),
        by,
      ),
      retiredVersion(signedVersion(review, review.digest, 1, by), by),
      draftVersion('many', '1', contentOf(many), by),
    ];
    const repository = {
      list: async () => versions,
      find: async (panel: string, name: string) => versions.find((one) => one.panel === panel && one.version === name),
    };
    const heard = new Map<string, (event: object) => Promise<void> | void>();
    const logged: [object, string][] = [];
    let isEnabled = true;
    checkWithIntervals({
      on: (key, listener) => void heard.set(key, listener as (event: object) => Promise<void>),
      repository: () => repository as never,
      find: () => (isEnabled ? structures : undefined) as never,
      log: { ...quiet, warn: (details, message) => void logged.push([details, message]) },
    });
    await heard.get('coverage/intervals-replaced@1')?.({ sets: [] });
    const message = 'a panel in use has genes or transcripts without coordinates';
    expect(logged).to.deep.equal([
      [
        {
          ...{ panel: 'kidney@1.9', state: 'draft' },
          genes: ['ONE: not among the genes of GRCh38', 'TWO: the wanted transcript NM_2.1 is not loaded for GRCh38'],
        },
        message,
      ],
      [
        {
          ...{ panel: 'many@1', state: 'draft', further: 10 },
          genes: many.slice(0, 50).map(({ symbol }) => `${symbol}: not among the genes of GRCh38`),
        },
        message,
      ],
    ]);
    // All genes of all panels are asked for at once.
    expect(asked).to.deep.equal([
      { build: 'GRCh37', genes: 62 },
      { build: 'GRCh38', genes: 62 },
    ]);
    isEnabled = false;
    await heard.get('coverage/intervals-replaced@1')?.({ sets: [] });
    expect(logged).to.have.length(2);
  });
});
