/** What beacon-genes@1 promises. */
import { beaconGenes, type Gene, type GeneRepository } from '../../../plugins/beacon/contract.js';
import { cases, same, undone } from '../core.js';
import { at } from './build.js';

const pot1: Gene = {
  ensembl: 'ENSG00000128513',
  hgnc: 17284,
  symbol: 'POT1',
  contig: '7',
  start: 124462439,
  end: 124570037,
};
const other: Gene = { ensembl: 'ENSG00000000002', hgnc: 2, symbol: 'Ørsted "\' % _', contig: '2', start: 0, end: 10 };
const nameless: Gene = { ensembl: 'ENSG00000000003', contig: 'MT', start: 5, end: 6 };
const onX: Gene = { ensembl: 'ENSG00000182378', hgnc: 8806, symbol: 'PLCXD1', contig: 'X', start: 192988, end: 220023 };
const onY: Gene = { ...onX, contig: 'Y', start: 142988, end: 170023 };
const all = [onY, nameless, pot1, onX, other];

export const geneCases = cases<GeneRepository>({
  'genes returns the genes of the assembly with one of the ids, ordered by position': {
    async 'genes are found by HGNC number and by Ensembl id, unchanged'({ repository }) {
      await repository.replaceGenes('GRCh37', all, at(0));
      same(await repository.genes('GRCh37', { type: 'HGNC', ids: [8806, 17284, 2, 17284, 1] }), [
        other,
        pot1,
        onX,
        onY,
      ]);
      const ids = ['ENSG00000000003', 'ENSG00000128513', 'ENSG00000128513'];
      same(await repository.genes('GRCh37', { type: 'Ensembl', ids }), [pot1, nameless]);
      same(await repository.genes('GRCh37', { type: 'HGNC', ids: [] }), []);
      same(await repository.genes('GRCh37', { type: 'Ensembl', ids: ['ensg00000128513', 'ENSG0000012851_', ''] }), []);
    },
    async 'genes with one start are ordered by end and id'({ repository }) {
      const at5 = (ensembl: string, end: number): Gene => ({ ensembl, hgnc: 7, contig: '10', start: 5, end });
      const [a, b, c] = [at5('ENSG00000000009', 6), at5('ENSG00000000001', 7), at5('ENSG00000000002', 7)];
      await repository.replaceGenes('GRCh38', [c, b, a], at(0));
      same(await repository.genes('GRCh38', { type: 'HGNC', ids: [7] }), [a, b, c]);
    },
  },
  'genes returns the genes with one of the symbols, whatever the case of their letters A to Z': {
    async 'genes are found by symbol, in any case of the letters A to Z'({ repository }) {
      const orf: Gene = { ensembl: 'ENSG00000147894', symbol: 'C9orf72', contig: '9', start: 27546542, end: 27573866 };
      await repository.replaceGenes('GRCh37', [...all, orf], at(0));
      await repository.replaceGenes('GRCh38', [{ ...pot1, start: 5, end: 9 }], at(0));
      const found = (...ids: string[]) => repository.genes('GRCh37', { type: 'symbol', ids });
      same(await found('pot1', 'POT1', 'Pot1'), [pot1]);
      same(await found('C9ORF72', 'plcxd1'), [orf, onX, onY]);
      same(await found('ØRSTED "\' % _'), [other]);
      same(await found('ørsted "\' % _'), [], 'other letters have their case');
      same(await found('POT', 'POT1 ', 'POT_', '%', 'ENSG00000128513', '17284', ''), []);
      same(await found(), []);
      const many = Array.from({ length: 40_000 }, (_, i) => `G${i}`);
      same(await found(...many.slice(0, 10)), []);
      same(await repository.genes('GRCh37', { type: 'symbol', ids: [...many, 'c9Orf72'] }), [orf]);
    },
  },
  'replaceGenes replaces all genes of the assembly, visible at once': {
    async 'new genes replace all old ones of their assembly, and no others'({ repository }) {
      await repository.replaceGenes('GRCh37', all, at(0));
      await repository.replaceGenes('GRCh38', [pot1], at(1));
      const moved = { ...pot1, start: 5, end: 9 };
      await repository.replaceGenes('GRCh37', [moved, other], at(2.345));
      same(await repository.genes('GRCh37', { type: 'HGNC', ids: [17284, 8806] }), [moved]);
      same(await repository.genes('GRCh38', { type: 'HGNC', ids: [17284, 8806] }), [pot1]);
      same(await repository.release('GRCh37'), { genes: 2, updated: at(2.345) });
      same(await repository.release('GRCh38'), { genes: 1, updated: at(1) });
    },
    async 'of two concurrent replacements one remains, completely'({ repository }) {
      const set = (hgnc: number, size: number) =>
        Array.from({ length: size }, (_, i): Gene => ({ ...other, hgnc, start: i, end: i + 1 }));
      await repository.replaceGenes('GRCh37', set(1, 50), at(0));
      await Promise.all([
        repository.replaceGenes('GRCh37', set(1, 300), at(1)),
        repository.replaceGenes('GRCh37', set(1, 200), at(2)),
        repository.replaceGenes('GRCh37', set(1, 100), at(3)),
      ]);
      const release = await repository.release('GRCh37');
      const found = await repository.genes('GRCh37', { type: 'HGNC', ids: [1] });
      same(found.length, release?.genes, 'as many genes as the release says');
      same(new Set(found.map(({ start }) => start)).size, found.length, 'no gene twice');
    },
  },
  'what does not exist is undefined: never null, never an exception': {
    async 'an assembly without genes has none, and no release'({ repository }) {
      same(await repository.release('GRCh37'), undefined);
      same(await repository.genes('GRCh37', { type: 'HGNC', ids: [17284] }), []);
    },
  },
  'after any failure of replaceGenes the old genes remain': {
    async 'a replacement that fails leaves the old genes'({ repository, storage }) {
      await repository.replaceGenes('GRCh37', [pot1], at(0));
      await undone(storage, (scope) => scope.repository(beaconGenes).replaceGenes('GRCh37', [other], at(1)));
      same(await repository.genes('GRCh37', { type: 'HGNC', ids: [2, 17284] }), [pot1]);
      same(await repository.release('GRCh37'), { genes: 1, updated: at(0) });
    },
  },
  'lists may be of any length': {
    async '33 000 genes and ids are stored and found'({ repository }) {
      // More than the values that a statement of SQLite may have.
      const genes = Array.from({ length: 33_000 }, (_, i): Gene => {
        const ensembl = `ENSG${String(i).padStart(11, '0')}`;
        return { ensembl, hgnc: i + 1, symbol: `G${i}`, contig: '1', start: i * 10, end: i * 10 + 20 };
      });
      await repository.replaceGenes('GRCh38', genes, at(0));
      same((await repository.release('GRCh38'))?.genes, genes.length);
      const ids = genes.map(({ hgnc }) => hgnc ?? 0);
      same((await repository.genes('GRCh38', { type: 'HGNC', ids })).length, genes.length);
    },
  },
});
