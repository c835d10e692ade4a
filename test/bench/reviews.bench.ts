/**
 * Asking statements again: processor seconds of runs over the real services, after each of several changes, beside a run after which
 * nothing had changed; and of the process that runs, memory at most, and for how long at most nothing else could be done. The data are
 * loaded by another process. Options: `--cases=200`, `--samples=300` (each case has one of them, in turn), `--genes=50` of the panel,
 * `--calls=40` rare alleles of each sample in genes of the panel, `--whole=0` more samples with `--exome=20000` alleles each,
 * `--engines=sqlite,postgres`. All samples have coverage.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Storage } from '../../core/storage.js';
import { type Allele, beacon, beaconConsequences, type CalledAllele } from '../../plugins/beacon/contract.js';
import { coverage, coverageSamples, coverageSites, type Site } from '../../plugins/coverage/contract.js';
import { panels } from '../../plugins/panels/contract.js';
import { GeneTable } from '../../plugins/panels/genes/gene-table.js';
import { draftVersion, signedVersion, submittedVersion } from '../../plugins/panels/versions/lifecycle.js';
import { type NewStatement, reviews } from '../../plugins/reviews/contract.js';
import type { RunScope } from '../../plugins/reviews/run/run.js';
import { annotate, annotated, atGene } from '../plugins/beacon/consequences/support.js';
import { add } from '../plugins/beacon/support/observed.js';
import { dataset } from '../plugins/beacon/support/serve.js';
import { checkOf } from '../plugins/coverage/callability/support.js';
import { contentOf, green } from '../plugins/panels/support/served.js';
import { processorSeconds } from '../support/processor-time.js';
import type { Print } from './run.js';
import { onEachHome } from './support/engines.js';
import type { RunFigures } from './support/reviews-run.js';
import { random } from './support/vcf.js';

const script = fileURLToPath(new URL('./support/reviews-run.ts', import.meta.url));
const now = new Date('2026-05-05T05:05:05.000Z');
const added = 10;

interface Sizes {
  cases: number;
  samples: number;
  genes: number;
  calls: number;
}

/** Each gene has ten coding exons of 150 bases. */
const exonsOf = (gene: number) =>
  Array.from({ length: 10 }, (_, i) => ({
    start: 10_000 + gene * 200_000 + i * 1000,
    end: 10_150 + gene * 200_000 + i * 1000,
  }));

/** Rare alleles of which each has one to three carriers, spread over the genes. */
function allelesOf({ samples, genes, calls }: Sizes, seed: number): { gene: number; called: CalledAllele }[] {
  const next = random(seed);
  const counts = Array<number>(genes + added).fill(0);
  return Array.from({ length: Math.ceil((samples * calls) / 2) }, () => {
    const gene = Math.floor(next() * (genes + added));
    const number = counts[gene] ?? 0;
    counts[gene] = number + 1;
    // Ten bases apart: files phase closer ones.
    const turn = Math.floor(number / 10);
    const start = (exonsOf(gene)[number % 10]?.start ?? 0) + ((10 * turn) % 150) + Math.floor(turn / 15);
    const place = { contig: '1', start, end: start + 1, reference: 'A', alternate: 'CGT'[seed % 3] ?? '' } as const;
    const carriers = [0, 1, 2].slice(0, 1 + Math.floor(next() * 3)).map(() => Math.floor(next() * samples));
    return {
      gene,
      called: { ...place, kind: 'SNP' as const, structural: false, carriers: carriersOf(carriers), uncalled: [] },
    };
  });
}

const carriersOf = (numbers: readonly number[]) =>
  [...new Set(numbers)].sort((a, b) => a - b).map((one) => [one, 1] as const);
const plain = ({ carriers: _, uncalled: __, ...allele }: CalledAllele): Allele => allele;

/** `shared`: alleles of others that each of some of the samples carries, too. */
async function loadCalls(
  storage: Storage,
  sizes: Sizes,
  names: readonly string[],
  seed: number,
  shared: readonly Allele[] = [],
) {
  const rows = allelesOf(sizes, seed);
  const known = shared.map((allele, i) => ({ ...allele, carriers: carriersOf([i % names.length]), uncalled: [] }));
  await loadAlleles(storage, names, [...rows.map(({ called }) => called), ...known]);
  const annotations = rows.map(({ gene, called }) =>
    annotated(plain(called), [atGene({ hgnc: gene + 1, symbol: `G${gene + 1}` }, ['missense_variant'])], {
      frequency: { value: 0.001, field: 'AF' },
    }),
  );
  await annotate(storage.repository(beaconConsequences), 'wgs', annotations);
  return rows.map(({ called }) => plain(called));
}

async function loadAlleles(storage: Storage, names: readonly string[], alleles: CalledAllele[]): Promise<void> {
  const facts = Object.fromEntries(names.map((name) => [name, { labels: { assay: 'panel' } }]));
  alleles.sort((one, other) => one.start - other.start);
  await add(storage.repository(beacon), 'wgs', facts, alleles, new Date(), { small: true, structural: false });
}

/** Common alleles all over the exome. */
async function loadExomes(storage: Storage, names: readonly string[], alleles: number): Promise<void> {
  const next = random(7);
  const all = Array.from({ length: 3 * alleles }, (_, i): CalledAllele => {
    const start = 10_050 + i * 3000;
    const carriers = carriersOf(names.flatMap((_, number) => (next() < 1 / 3 ? [number] : [])));
    return {
      contig: '1',
      start,
      end: start + 1,
      reference: 'A',
      alternate: 'G',
      kind: 'SNP',
      structural: false,
      carriers,
    };
  });
  await loadAlleles(storage, names, all);
  const said = all.map((called) => {
    const hgnc = Math.floor(called.start / 200_000) + 1;
    return annotated(plain(called), [atGene({ hgnc, symbol: `G${hgnc}` }, ['missense_variant'])], {
      frequency: { value: 0.3, field: 'AF' },
    });
  });
  await annotate(storage.repository(beaconConsequences), 'wgs', said);
}

/** Ten reads, but for one exon in two hundred, another one in each of eight samples. */
async function cover(storage: Storage, names: readonly string[], genes: number, fingerprint: string): Promise<void> {
  const samples = storage.repository(coverageSamples);
  const depths = Array<number>(190).fill(10);
  const checks = Array.from({ length: 8 }, (_, sample) =>
    checkOf({
      id: '',
      stretches: Array.from({ length: genes + added }, (_, gene) => exonsOf(gene))
        .flat()
        .filter((_, i) => i % 200 !== 25 * sample)
        .map(({ start }) => ({ chromosome: '1', start: start - 20, depths })),
    }),
  );
  await samples.register(
    names.map((id) => ({ id, build: 'GRCh38', sex: 'female', file: { path: `${id}.d4` }, labels: {} })),
    now,
  );
  for (const [i, { id, revision }] of (await samples.find(names)).entries()) {
    const outcome = checks[i % checks.length];
    if (outcome?.state !== 'ready') throw new Error('The check is of a ready sample');
    await samples.record(id, revision, { ...outcome, check: { ...outcome.check, fingerprint } });
  }
}

async function loadGenes(storage: Storage, genes: number): Promise<void> {
  const none = { refseqMrna: [], refseqMrnaPredicted: [], refseqNcrna: [], maneSelect: [], manePlusClinical: [] };
  const all = Array.from({ length: genes + added }, (_, gene) => {
    const exons = exonsOf(gene);
    const place = { chromosome: '1', strand: 1, start: exons[0]?.start ?? 0, end: exons.at(-1)?.end ?? 0 } as const;
    return { gene, exons, place, ids: { gene: `ENSG${gene}`, transcript: `ENST${gene}` } };
  });
  async function* rows() {
    yield {
      genes: all.map(({ gene, place, ids }) => {
        return { ...place, ensembl: ids.gene, hgnc: gene + 1, symbol: `G${gene + 1}`, biotype: 'protein_coding' };
      }),
      transcripts: all.map(({ place, ids }) => {
        const of = { ...place, ensembl: ids.transcript, gene: ids.gene };
        return { ...of, references: none, isManeSelect: true, isManePlusClinical: false };
      }),
      exons: all.flatMap(({ exons, place, ids }) =>
        exons.map((span, i) => ({ ...place, ...span, ...ids, ensembl: `${ids.gene} ${i}`, rank: i + 1, cds: span })),
      ),
    };
  }
  const sets = (['genes', 'transcripts', 'exons'] as const).map((kind) => ({ kind, build: 'GRCh38' as const }));
  const accept = () => ({ release: '1', source: 'x', checksum: `sha256:${'0'.repeat(64)}`, read: 1, skipped: {} });
  await storage.repository(coverage).load({ sets, rows: rows(), accept }, now);
}

/** The first `merged` genes are none any more. */
async function nameGenes(storage: Storage, genes: number, release: string, merged: number): Promise<void> {
  const all = Array.from({ length: genes + added }, (_, i) => ({ hgnc: i + 1, symbol: `G${i + 1}` }));
  const approved = all.slice(merged).map((gene) => ({ ...gene, coding: true, previous: [], aliases: [] }));
  const gone = all.slice(0, merged).map((gene) => ({ ...gene, into: [genes + added] }));
  const names = { release, sources: ['x'], approved: approved.length, withdrawn: merged, loaded: now };
  await storage.repository(panels).replaceNames(names, new GeneTable(approved, gone).pack());
}

async function sign(storage: Storage, version: string, genes: number): Promise<void> {
  const inheritance = 'BIALLELIC, autosomal or pseudoautosomal';
  const content = contentOf(Array.from({ length: genes }, (_, i) => ({ ...green(i + 1, `G${i + 1}`), inheritance })));
  const submitted = submittedVersion(draftVersion('p', version, content, { by: 'a', at: now }), { by: 'a', at: now });
  await storage.repository(panels).add(signedVersion(submitted, submitted.digest, 1, { by: 'b', at: now }));
}

async function classify(storage: Storage, release: string, alleles: readonly Allele[]): Promise<void> {
  async function* sites() {
    yield alleles.map(({ contig: chromosome, start, end, reference, alternate }): Site => {
      return { chromosome, start, end, reference, alternate, significance: 'Pathogenic', stars: 2, genes: [] };
    });
  }
  const accept = () => ({ release, source: 'x', checksum: `sha256:${'0'.repeat(64)}`, skipped: {} });
  await storage.repository(coverageSites).load({ name: 'ClinVar', build: 'GRCh38', sites: sites(), accept }, now);
}

async function state(storage: Storage, { cases, samples }: Sizes): Promise<void> {
  for (let one = 0; one < cases; one++) {
    const statement: NewStatement = {
      ...{ case: `F${one}`, revision: 1, build: 'GRCh38', thresholds: [10], releases: {}, terms: [] },
      persons: [{ role: 'proband', isAffected: true, sample: `s${one % samples}`, sex: 'female' }],
      ...{ panel: { panel: 'p', version: '1' }, conclusion: 'negative', alleles: [] },
      ...{ reviewer: 'a', decided: now, recontact: 'yes' },
    };
    await storage.repository(reviews).put(statement, now);
  }
}

export default async function bench(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const number = (name: string, least: number) => Number(options[name] ?? least);
  const sizes = {
    cases: number('cases', 200),
    samples: number('samples', 300),
    genes: number('genes', 50),
    calls: number('calls', 40),
  };
  const whole = number('whole', 0);
  const names = Array.from({ length: sizes.samples }, (_, i) => `s${i}`);
  const contracts = [beacon, beaconConsequences, coverage, coverageSamples, coverageSites, panels, reviews];
  const loaded: { alleles: Allele[] } = { alleles: [] };
  await onEachHome(
    options,
    contracts,
    async (storage, name) => {
      print(`${name}: ${JSON.stringify({ ...sizes, whole })}`);
      await storage.repository(beacon).addDataset(dataset('wgs', { assembly: 'GRCh38' }), now);
      await loadGenes(storage, sizes.genes);
      await nameGenes(storage, sizes.genes, '1', 0);
      loaded.alleles = await loadCalls(storage, sizes, names, 1);
      const exomes = Array.from({ length: whole }, (_, i) => `whole${i}`);
      if (whole > 0) await loadExomes(storage, exomes, number('exome', 20_000));
      await cover(storage, [...names, ...exomes], sizes.genes, '1');
      await sign(storage, '1', sizes.genes);
      await state(storage, sizes);
    },
    async (section, home) => {
      const storage = await home.open(contracts);
      const server = fork(script, [JSON.stringify(section)], {
        execArgv: ['--import', 'tsx/esm'],
      });
      const [base] = (await once(server, 'message')) as [number];
      print(`the server before any run: ${base.toFixed(0)} MB`);
      let idle = 0;
      const measured = async (what: string, ...scopes: RunScope[]) => {
        const before = processorSeconds() ?? 0;
        const figures: RunFigures[] = [];
        for (const scope of scopes) {
          server.send(scope);
          figures.push(((await once(server, 'message')) as [RunFigures])[0]);
        }
        const seconds = (processorSeconds() ?? 0) - before;
        if (what === 'nothing changed') idle = seconds;
        const ratio = idle > 0 ? ` (${(seconds / idle).toFixed(1)} times that of no change)` : '';
        const [cases, opened, gone] = (['cases', 'opened', 'gone'] as const).map((of) =>
          figures.reduce((sum, one) => sum + one[of], 0),
        );
        const [memory, held] = (['memory', 'held'] as const).map((of) => Math.max(...figures.map((one) => one[of])));
        print(
          `${what}: ${seconds.toFixed(2)} s of processor time${ratio}; ${cases} cases, ${opened} findings more, ${gone} gone; ` +
            `at most ${memory?.toFixed(0)} MB, ${held?.toFixed(0)} ms`,
        );
      };
      try {
        await measured('baselines of all cases', {});
        await measured('nothing changed', {});
        await sign(storage, '2', sizes.genes + added);
        await measured(`a version of the panel with ${added} new genes`, { touched: { panels: ['p'] } });
        await classify(storage, '2026-05', loaded.alleles.slice(0, 2000));
        await measured(`${Math.min(2000, loaded.alleles.length)} new pathogenic alleles`, {});
        await nameGenes(storage, sizes.genes, '2', Math.min(50, sizes.genes));
        await measured(`${Math.min(50, sizes.genes)} merged genes`, { genes: true });
        const some = names.slice(0, Math.ceil(sizes.samples / 50));
        await storage.repository(beacon).removeSamples('wgs', some, new Date());
        await loadCalls(storage, { ...sizes, samples: some.length }, some, 4);
        await cover(storage, some, sizes.genes, '2');
        await measured(`${some.length} replaced samples`, { changed: true }, { touched: { samples: some } });
        const more = Array.from({ length: Math.ceil(sizes.samples / 10) }, (_, i) => `new${i}`);
        const shared = loaded.alleles.filter((_, i) => i % 100 === 0);
        await loadCalls(storage, { ...sizes, samples: more.length }, more, 2, shared);
        await cover(storage, more, sizes.genes, '1');
        await measured(`${more.length} new samples`, { changed: true });
        server.send('end');
        await once(server, 'exit');
      } finally {
        server.kill();
        await storage.close();
      }
    },
  );
}
