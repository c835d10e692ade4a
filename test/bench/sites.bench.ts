/**
 * Known sites: look-up of those in the genes of a panel, and their depths in a trio; also the load of a whole release. Depths are
 * made up. Options: `--sites=20000` in 500 genes, `--all=300000` in the set, `--engines=sqlite,postgres`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coverageSites, type Gene, type Site } from '../../plugins/coverage/contract.js';
import { sizeIn } from '../../plugins/coverage/d4/chromosomes.js';
import { coverageSources } from '../../plugins/coverage/measure/sources.js';
import { coverageSettings } from '../../plugins/coverage/settings.js';
import { siteDepths, sitesOfGenes } from '../../plugins/coverage/sites/report-sites.js';
import { type Run, writeD4 } from '../plugins/coverage/support/d4.js';
import { storages } from '../support/storages.js';
import type { Print } from './run.js';
import { grouped } from './support/machine.js';

const build = 'GRCh38' as const;
const names = ['1', '2', '3', '4', '5'] as const;
const panelGenes = 500;
/** Bases of a gene, and from the start of one gene to the next. */
const [geneBases, step] = [20_000, 150_000];
const rounds = 15;

export default async function sites(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const wanted = Number(options.sites ?? 20_000);
  const all = Number(options.all ?? 300_000);
  const engines = (options.engines ?? 'sqlite').split(',');
  const genes = genesOfPanel();
  const folder = await mkdtemp(join(tmpdir(), 'trefoil-sites-'));
  const settings = coverageSettings.parse({ roots: [folder] });
  const sources = coverageSources({ settings, log: { warn() {} } });
  try {
    const trio = ['child', 'mother', 'father'].map((name, i) => writeD4(join(folder, `${name}.d4`), exome(genes, i)));
    const locations = await Promise.all(trio.map((path) => sources.coverageFile(path)));
    for (const engine of storages) {
      if (!engines.includes(engine.adapter)) continue;
      const { storage, close } = await engine.open([coverageSites]);
      try {
        const repository = storage.repository(coverageSites);
        const begun = performance.now();
        const record = { release: '2026-11', source: 'made up', checksum: 'c', skipped: {} };
        const load = { name: 'ClinVar', build, sites: release(genes, wanted, all), accept: () => record };
        const { sites: stored } = await repository.load(load, new Date());
        print(
          `${engine.name}: ${grouped(stored)} sites loaded in ${((performance.now() - begun) / 1000).toFixed(1)} s`,
        );
        const { signal } = new AbortController();
        const times = { lookUp: [] as number[], measure: [] as number[], both: [] as number[], cpu: [] as number[] };
        for (let round = 0; round < rounds; round++) {
          const [start, cpu] = [performance.now(), process.cpuUsage()];
          const found = await sitesOfGenes(repository, build, genes, signal);
          const middle = performance.now();
          const regions = (found?.sites ?? []).map(({ region }) => region);
          if (regions.length !== wanted) throw new Error(`${regions.length} sites were found`);
          await Promise.all(locations.map((location) => siteDepths(sources, location, regions, { level: 20, signal })));
          const [end, { user, system }] = [performance.now(), process.cpuUsage(cpu)];
          times.lookUp.push(middle - start);
          times.measure.push(end - middle);
          times.both.push(end - start);
          times.cpu.push((user + system) / 1000);
        }
        const first = times.both[0] as number;
        const median = (list: number[]) => (list.sort((a, b) => a - b)[rounds >> 1] ?? 0).toFixed(0);
        print(
          `${engine.name}: ${grouped(wanted)} sites in ${panelGenes} genes × ${trio.length} samples: ${median(times.both)} ms ` +
            `(look-up ${median(times.lookUp)}, depths ${median(times.measure)}; first ${first.toFixed(0)}), ` +
            `${median(times.cpu)} ms of this process's CPU`,
        );
      } finally {
        await close();
      }
    }
  } finally {
    await sources.close();
    await rm(folder, { recursive: true });
  }
}

function genesOfPanel(): Gene[] {
  return Array.from({ length: panelGenes }, (_, i): Gene => {
    const start = 1_000_000 + Math.floor(i / names.length) * step;
    const ensembl = `ENSG${String(i).padStart(11, '0')}`;
    return { ensembl, symbol: `G${i}`, chromosome: names[i % names.length] as '1', start, end: start + geneBases };
  });
}

/** Sites evenly spread over the genes, and the others far from them. */
async function* release(genes: readonly Gene[], wanted: number, all: number): AsyncGenerator<Site[]> {
  let batch: Site[] = [];
  for (let i = 0; i < all; i++) {
    const gene = genes[i % genes.length] as Gene;
    const isWanted = i < wanted;
    const place = Math.floor(i / genes.length);
    const start = isWanted ? gene.start + ((place * 487) % geneBases) : 100_000_000 + i * 300;
    const length = i % 10 === 0 ? 12 : 1;
    batch.push({
      ...{ chromosome: gene.chromosome, start, end: start + length, reference: 'A'.repeat(length), alternate: 'T' },
      ...{
        id: String(1_000_000 + i),
        hgvs: `NC_000001.11:g.${start + 1}A>T`,
        significance: 'Pathogenic',
        stars: i % 5,
      },
      genes: [isWanted ? (gene.symbol as string) : `OTHER${i % 5000}`],
    });
    if (batch.length < 2000) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** Exons of 200 bases in every 1,000 of the genes. */
function exome(genes: readonly Gene[], sample: number) {
  const runs: Run[] = genes.flatMap(({ chromosome, start }, g) =>
    Array.from({ length: geneBases / 1000 }, (_, i): Run => {
      const begin = start + i * 1000;
      return { chromosome, begin, end: begin + 200, depth: 10 + ((g * 7 + i * 13 + sample * 5) % 60) };
    }),
  );
  return { chromosomes: names.map((name) => ({ name, size: sizeIn(build, name) as number })), runs };
}
