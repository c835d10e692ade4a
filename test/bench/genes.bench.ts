/**
 * The alleles of one gene with carriers, denominators and cases over HTTP, among 1,000 exomes: p50 and p95 of requests for one gene
 * after another. Options: `--cases=1000`, `--genes=500`, `--alleles=200` of each gene (half of them in one person, one in fifty in a
 * third of all), `--requests=200`, `--engines=sqlite,postgres`.
 */
import { issueToken } from '../../core/auth/access.js';
import type { AnnotatedAllele, CalledAllele, Carrier } from '../../plugins/beacon/contract.js';
import { dataset, serveBeacon } from '../plugins/beacon/support/serve.js';
import { storages } from '../support/storages.js';
import type { Print } from './run.js';
import { grouped } from './support/machine.js';

/** Requests before any is measured. */
const warming = 20;
/** Bases of a gene, and those between two genes. */
const width = 50_000;
const apart = 200_000;
/** How many in a hundred alleles have it, the worst first. */
const effects = [
  [3, 'stop_gained'],
  [7, 'frameshift_variant'],
  [45, 'missense_variant'],
  [70, 'synonymous_variant'],
  [100, 'intron_variant'],
] as const;

interface Extent {
  cases: number;
  genes: number;
  alleles: number;
}

export default async function genes(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const numberOf = (name: string, usual: number) => Number(options[name] ?? usual);
  const extent = { cases: numberOf('cases', 1000), genes: numberOf('genes', 500), alleles: numberOf('alleles', 200) };
  const requests = numberOf('requests', 200);
  const engines = (options.engines ?? 'sqlite').split(',');
  for (const engine of storages) {
    if (!engines.includes(engine.adapter)) continue;
    const server = await serveBeacon(engine, { checkAnswers: false });
    try {
      const { repository, consequences, tokens, url } = server;
      const now = new Date();
      await repository.addDataset(dataset('bench'), now);
      const samples = Array.from({ length: extent.cases }, (_, i) => `case-${i}`);
      await repository.importAlleles({ dataset: 'bench', samples, alleles: batches(extent) }, now);
      const load = await consequences.begin('bench', [], now);
      for (let gene = 0; gene < extent.genes; gene++) {
        await consequences.stage(
          load,
          allelesOf(gene, extent).map(({ allele }, i) => annotated(gene, i, allele)),
          now,
        );
      }
      await consequences.complete(load);
      await consequences.publish('bench', [load], now);
      const { token } = await issueToken(tokens, { owner: 'bench', scopes: ['beacon:observe', 'beacon:cases'] }, now);
      const total = extent.genes * extent.alleles;
      print(
        `${engine.name}: ${grouped(extent.cases)} exomes, ${grouped(total)} alleles of ${grouped(extent.genes)} genes`,
      );
      for (const query of ['effect=high&maxFrequency=0.01&maxPopulationFrequency=0.001', 'maxFrequency=0.01', '']) {
        const times: number[] = [];
        let listed = 0;
        for (let i = -warming; i < requests; i++) {
          const begin = performance.now();
          const response = await fetch(
            `${url}/observations/genes/HGNC:${1 + (((i + warming) * 7) % extent.genes)}?assembly=GRCh37&${query}`,
            {
              headers: { 'x-auth-token': token },
            },
          );
          listed += ((await response.json()) as { alleles: unknown[] }).alleles.length;
          if (i >= 0) times.push(performance.now() - begin);
        }
        const at = (share: number) =>
          times.toSorted((one, other) => one - other)[Math.floor(share * (requests - 1))] ?? 0;
        print(
          `  "${query}": p50 ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms, ${(listed / (requests + warming)).toFixed(1)} alleles`,
        );
      }
    } finally {
      await server.close();
    }
  }
}

function allelesOf(gene: number, { cases, alleles }: Extent): { allele: CalledAllele }[] {
  return Array.from({ length: alleles }, (_, i) => {
    const start = gene * apart + Math.floor((i * width) / alleles);
    const [step, first] =
      i % 50 === 49 ? [3, 0] : [Math.max(2, Math.floor(cases / (1 + (i % 4)))), (gene + i * 31) % cases];
    const count = i % 2 === 0 ? 1 : Math.floor(cases / step);
    const carriers = Array.from({ length: count }, (__, n): Carrier => [(first + n * step) % cases, 1]);
    const place = { contig: '1', start, end: start + 1, reference: 'A', alternate: 'G' } as const;
    return { allele: { ...place, kind: 'SNP', structural: false, carriers } };
  });
}

function annotated(gene: number, i: number, { carriers: _, ...allele }: CalledAllele): AnnotatedAllele {
  const hundredth = (i * 37) % 100;
  const term = effects.find(([below]) => hundredth < below)?.[1] ?? 'intron_variant';
  const coding = `c.${i + 1}A>G`;
  const more = term === 'intron_variant' ? {} : { coding, protein: `p.Lys${i + 1}Arg` };
  const names = {
    transcript: `ENST${String(gene).padStart(11, '0')}.1`,
    mane: `NM_${String(gene).padStart(6, '0')}.1`,
  };
  return {
    allele,
    genes: [
      {
        hgnc: gene + 1,
        symbol: `GENE${gene}`,
        transcripts: [{ choice: 'mane-select', ...names, terms: [term], ...more }],
      },
    ],
    source: { annotator: 'VEP', version: 'v110', databases: {} },
    ...(i % 2 === 1 && { frequency: { value: i % 50 === 49 ? 0.2 : 0.0001, field: 'gnomADe_AF' } }),
  };
}

async function* batches(extent: Extent): AsyncGenerator<CalledAllele[]> {
  for (let gene = 0; gene < extent.genes; gene++) yield allelesOf(gene, extent).map(({ allele }) => allele);
}
