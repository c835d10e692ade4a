/**
 * Asking statements again: processor seconds of whole runs over the real services, after each of several changes, beside a run after
 * which nothing had changed. Options: `--cases=200`, `--samples=300` (each case has one of them, in turn), `--genes=50` of the panel,
 * `--calls=40` rare alleles of each sample in genes of the panel, `--engines=sqlite,postgres`.
 */
import { serveForTest, type TestServer } from '../../core/testing.js';
import { type Allele, beacon, beaconConsequences, type CalledAllele } from '../../plugins/beacon/contract.js';
import { coverageSites, type Site } from '../../plugins/coverage/contract.js';
import { panels } from '../../plugins/panels/contract.js';
import { draftVersion, signedVersion, submittedVersion } from '../../plugins/panels/versions/lifecycle.js';
import { reviews } from '../../plugins/reviews/contract.js';
import { run, runTools } from '../../plugins/reviews/run/run.js';
import { reviewSettings } from '../../plugins/reviews/settings.js';
import { annotate, annotated, atGene } from '../plugins/beacon/consequences/support.js';
import { add } from '../plugins/beacon/support/observed.js';
import { dataset } from '../plugins/beacon/support/serve.js';
import { contentOf, green } from '../plugins/panels/support/served.js';
import { finder, optionalService } from '../support/finder.js';
import { processorSeconds } from '../support/processor-time.js';
import type { Print } from './run.js';
import { chosenStorages } from './support/engines.js';
import { random } from './support/vcf.js';

const now = new Date('2026-05-05T05:05:05.000Z');
const added = 10;

interface Sizes {
  cases: number;
  samples: number;
  genes: number;
  calls: number;
}

/** Rare alleles of which each has one to three carriers, spread over the genes. */
function allelesOf(
  { samples, genes, calls }: Sizes,
  from: number,
  seed: number,
): { gene: number; called: CalledAllele }[] {
  const next = random(seed);
  return Array.from({ length: Math.ceil((samples * calls) / 2) }, (_, number) => {
    const gene = Math.floor(next() * (genes + added));
    const start = 10_000 + gene * 200_000 + from + number;
    const place = { contig: '1', start, end: start + 1, reference: 'A', alternate: 'C' } as const;
    const carriers = [
      ...new Set([0, 1, 2].slice(0, 1 + Math.floor(next() * 3)).map(() => Math.floor(next() * samples))),
    ];
    const allele: Allele = { ...place, kind: 'SNP', structural: false };
    return {
      gene,
      called: { ...allele, carriers: carriers.sort((a, b) => a - b).map((one) => [one, 1] as const), uncalled: [] },
    };
  }).sort((one, two) => one.called.start - two.called.start);
}

async function load(server: TestServer, sizes: Sizes, prefix: string, seed: number): Promise<Allele[]> {
  const rows = allelesOf(sizes, seed * 50_000, seed);
  const facts = Object.fromEntries(Array.from({ length: sizes.samples }, (_, i) => [`${prefix}${i}`, {}]));
  const small = { small: true, structural: false };
  await add(
    server.repository(beacon),
    'wgs',
    facts,
    rows.map(({ called }) => called),
    now,
    small,
  );
  const annotations = rows.map(({ gene, called: { carriers: _, uncalled: __, ...allele } }) =>
    annotated(allele, [atGene({ hgnc: gene + 1, symbol: `G${gene + 1}` }, ['missense_variant'])], {
      frequency: { value: 0.001, field: 'AF' },
    }),
  );
  await annotate(server.repository(beaconConsequences), 'wgs', annotations);
  return rows.map(({ called }) => called);
}

async function sign(server: TestServer, version: string, genes: number): Promise<void> {
  const inheritance = 'BIALLELIC, autosomal or pseudoautosomal';
  const content = contentOf(Array.from({ length: genes }, (_, i) => ({ ...green(i + 1, `G${i + 1}`), inheritance })));
  const submitted = submittedVersion(draftVersion('p', version, content, { by: 'a', at: now }), { by: 'a', at: now });
  await server.repository(panels).add(signedVersion(submitted, submitted.digest, 1, { by: 'b', at: now }));
}

async function classify(server: TestServer, release: string, alleles: readonly Allele[]): Promise<void> {
  async function* sites() {
    yield alleles.map(({ contig: chromosome, start, end, reference, alternate }): Site => {
      return { chromosome, start, end, reference, alternate, significance: 'Pathogenic', stars: 2, genes: [] };
    });
  }
  const accept = () => ({ release, source: 'x', checksum: `sha256:${'0'.repeat(64)}`, skipped: {} });
  await server.repository(coverageSites).load({ name: 'ClinVar', build: 'GRCh38', sites: sites(), accept }, now);
}

export default async function bench(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const number = (name: string, least: number) => Number(options[name] ?? least);
  const sizes = {
    cases: number('cases', 200),
    samples: number('samples', 300),
    genes: number('genes', 50),
    calls: number('calls', 40),
  };
  for (const engine of chosenStorages(options)) {
    const plugins = { beacon: {}, coverage: {}, panels: {}, reviews: {}, [finder]: {} };
    const server = await serveForTest({ plugins, storage: engine, jobs: false });
    try {
      await server.repository(beacon).addDataset(dataset('wgs', { assembly: 'GRCh38' }), now);
      const alleles = await load(server, sizes, 's', 1);
      await sign(server, '1', sizes.genes);
      const repository = server.repository(reviews);
      for (let one = 0; one < sizes.cases; one++) {
        const sample = `s${one % sizes.samples}`;
        await repository.put(
          {
            ...{
              case: `F${one}`,
              revision: 1,
              build: 'GRCh38',
              thresholds: [20],
              releases: {},
              terms: [],
              conclusion: 'negative',
            },
            persons: [{ role: 'proband', isAffected: true, sample, sex: 'female' }],
            ...{ panel: { panel: 'p', version: '1' }, alleles: [], reviewer: 'a', decided: now, recontact: 'yes' },
          },
          now,
        );
      }
      const services = { find: optionalService, tenants: undefined, repository, now: () => new Date() };
      const guard = { share: 1, least: Number.POSITIVE_INFINITY };
      const tools = { ...runTools(services, reviewSettings.parse({})), guard };
      let idle = 0;
      const measured = async (what: string) => {
        const before = processorSeconds() ?? 0;
        const { opened, gone } = await run(tools, {}, { signal: new AbortController().signal });
        const seconds = (processorSeconds() ?? 0) - before;
        if (what === 'nothing changed') idle = seconds;
        const ratio = idle > 0 ? `, ${(seconds / idle).toFixed(1)} times that of no change` : '';
        const memory = Math.round(process.memoryUsage.rss() / 1e6);
        print(
          `${engine.name}: ${what}: ${seconds.toFixed(2)} s of processor time${ratio}; ${opened} findings more, ${gone} gone; ${memory} MB`,
        );
      };
      print(`${engine.name}: ${JSON.stringify(sizes)}`);
      await measured('baselines of all cases');
      await measured('nothing changed');
      await sign(server, '2', sizes.genes + added);
      await measured(`a version of the panel with ${added} new genes`);
      await classify(server, '2026-05', alleles.slice(0, 2000));
      await measured(`${Math.min(2000, alleles.length)} new pathogenic alleles`);
      const more = { ...sizes, samples: Math.ceil(sizes.samples / 10) };
      await load(server, more, 'new', 2);
      await measured(`${more.samples} new samples`);
    } finally {
      await server.close();
    }
  }
}
