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
import { createGeneStructures } from '../../../../plugins/coverage/intervals/gene-structures.js';
import type { GeneStructures } from '../../../../plugins/services/coverage.js';
import { sqlite } from '../../../support/storages.js';
import { useEach } from '../../../support/use.js';

const now = new Date('2026-01-15T08:00:00Z');
const { signal } = new AbortController();

describe('structures of genes', () => {
  const opened = useEach(() => sqlite.open([coverage]));
  let intervals: IntervalRepository;
  let structures: GeneStructures;
  beforeEach(async () => {
    intervals = opened.storage.repository(coverage);
    structures = createGeneStructures(intervals);
  });

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

  describe('by HGNC id, with the exons that reports measure', () => {
    const place = { chromosome: '2', start: 100, end: 900, strand: 1 } as const;
    const gene = (ensembl: string, hgnc: number, more = {}) => ({
      ...place,
      ensembl,
      hgnc,
      symbol: `G${hgnc}`,
      ...more,
    });
    const none = { refseqMrna: [], refseqMrnaPredicted: [], refseqNcrna: [], maneSelect: [], manePlusClinical: [] };
    const transcript = (ensembl: string, of: string, more = {}) => ({
      ...place,
      ...{ ensembl, gene: of, references: none, isManeSelect: false, isManePlusClinical: false },
      ...more,
    });
    const exon = (of: string, transcriptId: string, rank: number, start: number, more = {}) => ({
      ...place,
      ...{ ensembl: `E${transcriptId}${rank}`, gene: of, transcript: transcriptId, rank, start, end: start + 50 },
      ...more,
    });

    beforeEach(async () => {
      const kinds = ['genes', 'transcripts', 'exons'] as const;
      async function* rows() {
        yield {
          genes: [gene('A', 1), gene('B', 2), gene('C', 3), gene('D', 4), gene('D', 4, { chromosome: 'X' })],
          transcripts: [
            transcript('A1', 'A', { isManeSelect: true, references: { ...none, maneSelect: ['NM_1.5'] } }),
            transcript('A2', 'A', { references: { ...none, refseqMrna: ['NM_2'] } }),
            transcript('B1', 'B'),
            transcript('D1', 'D'),
            transcript('D1', 'D', { chromosome: 'X' }),
          ],
          exons: [
            ...[exon('A', 'A1', 1, 100), exon('A', 'A1', 2, 300), exon('A', 'A2', 1, 200)],
            ...[exon('D', 'D1', 1, 400), exon('D', 'D1', 1, 500, { chromosome: 'X' })],
          ],
        };
      }
      const sets = kinds.map((kind) => ({ kind, build: 'GRCh38' as const }));
      await intervals.load({ sets, rows: rows(), accept: () => record }, now);
    });
    const asked = (wanted: { hgnc: number; transcripts?: string[] }[], choice: 'preferred' | 'all' = 'preferred') =>
      structures.exonsOf('GRCh38', wanted, { choice, signal });

    it('are those of the preferred transcript, at each position of the gene', async () => {
      const { transcripts, missing, sets } = await asked([{ hgnc: 4 }, { hgnc: 1 }]);
      expect(transcripts).to.deep.equal([
        { hgnc: 4, chromosome: '2', transcript: 'D1', exons: [{ start: 400, end: 450, rank: 1 }] },
        { hgnc: 4, chromosome: 'X', transcript: 'D1', exons: [{ start: 500, end: 550, rank: 1 }] },
        {
          ...{ hgnc: 1, chromosome: '2', transcript: 'A1' },
          exons: [
            { start: 100, end: 150, rank: 1 },
            { start: 300, end: 350, rank: 2 },
          ],
        },
      ]);
      expect(missing).to.deep.equal([]);
      expect(sets.map(({ kind }) => kind)).to.have.members(['genes', 'transcripts', 'exons']);
    });

    it('are those of the transcripts that are named, and of the preferred one if none of them is loaded', async () => {
      const named = await asked([{ hgnc: 1, transcripts: ['NM_2.7'] }]);
      expect(named.transcripts.map((one) => one.transcript)).to.deep.equal(['A2']);
      const other = await asked([{ hgnc: 1, transcripts: ['NM_9'] }]);
      expect(other.transcripts.map((one) => one.transcript)).to.deep.equal(['A1']);
      expect(other.unmet).to.deep.equal([{ hgnc: 1, wanted: 'NM_9' }]);
      const all = await asked([{ hgnc: 1, transcripts: ['NM_2'] }], 'all');
      expect(all.transcripts.map((one) => one.transcript)).to.have.members(['A1', 'A2']);
    });

    it('are listed as missing with the reason', async () => {
      const { transcripts, missing } = await asked([{ hgnc: 2 }, { hgnc: 3 }, { hgnc: 77 }]);
      expect(transcripts).to.deep.equal([]);
      expect(missing.map(({ hgnc, reason }) => [hgnc, reason])).to.have.deep.members([
        [2, 'no-exons'],
        [3, 'no-transcripts'],
        [77, 'unknown'],
      ]);
      const elsewhere = await structures.exonsOf('GRCh37', [{ hgnc: 1 }], { choice: 'preferred', signal });
      expect(elsewhere.missing.map(({ reason }) => reason)).to.deep.equal(['no-genes-loaded']);
    });
  });
});
