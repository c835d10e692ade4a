/** Genes by place against a search of every gene, and the structures of the demo genes. */
import { expect } from 'chai';
import fc from 'fast-check';
import {
  type Chromosome,
  coverage,
  type Gene,
  type IntervalRepository,
} from '../../../../plugins/coverage/contract.js';
import { addDemo, demoBuild } from '../../../../plugins/coverage/demo/demo.js';
import type { GeneStructures } from '../../../../plugins/coverage/gene-structures/service.js';
import { createGeneStructures } from '../../../../plugins/coverage/gene-structures/structures.js';
import { type OpenedStorage, sqlite } from '../../../support/storages.js';

const now = new Date('2026-01-15T08:00:00Z');
const { signal } = new AbortController();

describe('structures of genes', () => {
  let opened: OpenedStorage;
  let intervals: IntervalRepository;
  let structures: GeneStructures;
  beforeEach(async () => {
    opened = await sqlite.open([coverage]);
    intervals = opened.storage.repository(coverage);
    structures = createGeneStructures(intervals);
  });
  afterEach(() => opened.close());

  const record = { source: 'genes.tsv', checksum: `sha256:${'0'.repeat(64)}`, read: 1, skipped: {} };
  async function load(genes: readonly Gene[], at: Date): Promise<void> {
    async function* rows() {
      yield { genes };
    }
    await intervals.load({ sets: [{ kind: 'genes', build: 'GRCh38' }], rows: rows(), accept: () => record }, at);
  }

  it('are those that share a base with a stretch, also after the set was replaced', async () => {
    const gene = fc.record({
      chromosome: fc.constantFrom<Chromosome>('1', 'X'),
      start: fc.nat(300),
      length: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 300 })),
      biotype: fc.constantFrom('protein_coding', 'lncRNA'),
    });
    const set = fc.array(gene, { minLength: 1, maxLength: 30 });
    const stretch = fc.tuple(fc.constantFrom<Chromosome>('1', 'X', '2'), fc.nat(620), fc.integer({ min: 1, max: 40 }));
    let minute = 0;
    await fc.assert(
      fc.asyncProperty(set, fc.array(stretch, { minLength: 1, maxLength: 10 }), async (genes, asked) => {
        const stored = genes.map(({ length, ...one }, i) => ({
          ...one,
          ensembl: `ENSG${String(i).padStart(11, '0')}`,
          end: one.start + length,
        }));
        await load(stored, new Date(now.getTime() + 60_000 * minute++));
        for (const [chromosome, start, length] of asked) {
          const end = start + length;
          const found = await structures.at('GRCh38', chromosome, { start, end }, { most: 100, signal });
          const expected = stored.filter((one) => one.chromosome === chromosome && one.start < end && one.end > start);
          expect(found.map(({ ensembl }) => ensembl)).to.have.members(expected.map(({ ensembl }) => ensembl));
          const coding = expected.filter(({ biotype }) => biotype === 'protein_coding').length;
          const first = found.slice(0, coding).map(({ ensembl }) => stored.find((one) => one.ensembl === ensembl));
          expect(first.every((one) => one?.biotype === 'protein_coding')).to.equal(true);
          const two = await structures.at('GRCh38', chromosome, { start, end }, { most: 2, signal });
          expect(two).to.deep.equal(found.slice(0, 2));
        }
      }),
      { numRuns: 15 },
    );
  });

  it('have the exons of the transcript that reports prefer', async () => {
    await addDemo(intervals, now);
    const [gene, ...others] = await structures.named(demoBuild, 'MTHFR', signal);
    expect(others).to.deep.equal([]);
    if (!gene) throw new Error('MTHFR is a demo gene');
    expect(gene).to.include({ symbol: 'MTHFR', hgnc: 7436, chromosome: '1' });
    expect(gene.exons).not.to.deep.equal([]);
    for (const [i, { start, end }] of gene.exons.entries()) {
      expect(start).to.be.at.least(gene.start).and.below(end);
      expect(end).to.be.at.most(gene.end);
      if (i > 0) expect(start).to.be.at.least(gene.exons[i - 1]?.end ?? 0);
    }
    const { transcripts } = await intervals.transcriptsOf(demoBuild, [gene.ensembl]);
    const drawn = transcripts.find(({ ensembl }) => ensembl === gene.transcript);
    expect(drawn?.exons.length).to.equal(gene.exons.length);
    if (transcripts.some(({ isManeSelect }) => isManeSelect)) expect(drawn?.isManeSelect).to.equal(true);
    const here = await structures.at(demoBuild, '1', { start: gene.start, end: gene.start + 1 }, { most: 1, signal });
    expect(here).to.deep.equal([gene]);
  });

  it('are none for an unknown name, and where no genes are loaded', async () => {
    expect(await structures.named('GRCh38', 'MTHFR', signal)).to.deep.equal([]);
    expect(await structures.at('GRCh38', '1', { start: 0, end: 10 }, { most: 5, signal })).to.deep.equal([]);
  });
});
