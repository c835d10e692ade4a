/**
 * The positions of some genes in each build. They reveal a file of one build that is loaded as the other. The genes are on
 * many panels, their Ensembl ids are stable, and their positions in the two builds do not overlap.
 */
import type { Build, Chromosome } from '../contract.js';

/** First and last base, 1-based, as Ensembl states them. */
type Ends = readonly [first: number, last: number];

export interface Anchor {
  ensembl: string;
  hgnc: number;
  chromosome: Chromosome;
  ends: Readonly<Record<Build, Ends>>;
}

function anchor(ensembl: string, hgnc: number, chromosome: Chromosome, GRCh37: Ends, GRCh38: Ends): Anchor {
  return { ensembl, hgnc, chromosome, ends: { GRCh37, GRCh38 } };
}

export const anchors: readonly Anchor[] = [
  anchor('ENSG00000177000', 7436, '1', [11845780, 11866977], [11785723, 11806455]), // MTHFR
  anchor('ENSG00000134086', 12687, '3', [10182692, 10193904], [10141008, 10152220]), // VHL
  anchor('ENSG00000228716', 2861, '5', [79922047, 79950802], [80626226, 80654983]), // DHFR
  anchor('ENSG00000134982', 583, '5', [112043195, 112181936], [112707498, 112846239]), // APC
  anchor('ENSG00000001626', 1884, '7', [117105838, 117356025], [117465784, 117715971]), // CFTR
  anchor('ENSG00000165731', 9967, '10', [43572475, 43625799], [43077069, 43130351]), // RET
  anchor('ENSG00000171862', 9588, '10', [89622870, 89731687], [87862563, 87971930]), // PTEN
  anchor('ENSG00000244734', 4827, '11', [5246694, 5250625], [5225464, 5229395]), // HBB
  anchor('ENSG00000110195', 3791, '11', [71900602, 71907345], [72189558, 72196323]), // FOLR1
  anchor('ENSG00000133703', 6407, '12', [25357723, 25403870], [25205246, 25250929]), // KRAS
  anchor('ENSG00000139618', 1101, '13', [32889611, 32973805], [32315086, 32400268]), // BRCA2
  anchor('ENSG00000092054', 7577, '14', [23881947, 23904927], [23412740, 23435660]), // MYH7
  anchor('ENSG00000141510', 11998, '17', [7565097, 7590856], [7661779, 7687550]), // TP53
  anchor('ENSG00000076351', 30521, '17', [26721661, 26734215], [28394642, 28407197]), // SLC46A1
  anchor('ENSG00000012048', 1100, '17', [41196312, 41277500], [43044295, 43125364]), // BRCA1
  anchor('ENSG00000130164', 6547, '19', [11200038, 11244492], [11089362, 11133820]), // LDLR
  anchor('ENSG00000142168', 11179, '21', [33031935, 33041244], [31659622, 31668931]), // SOD1
  anchor('ENSG00000186575', 7773, '22', [29999545, 30094589], [29603556, 29698600]), // NF2
  anchor('ENSG00000185010', 3546, 'X', [154064063, 154255215], [154835788, 155026940]), // F8
  anchor('ENSG00000184895', 11311, 'Y', [2654896, 2655740], [2786855, 2787699]), // SRY
];
