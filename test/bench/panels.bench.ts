/**
 * Panels: an import of as many as PanelApp has, from a file and from a server, into an empty SQLite file; the check of all of
 * them, and one export as BED. Every entry must become a gene or be listed. Panels, names and positions are made up.
 * `npm run build` first. Options: `--panels=400`, `--names=43000`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { xorshift } from './d4-sample.js';
import type { BenchOptions, Print } from './run.js';
import { grouped, withFolder } from './support/machine.js';

const program = fileURLToPath(new URL('../../core/bin/trefoil.mjs', import.meta.url));

/** Genes that panels list; entries of their answers are some 1,200 bytes. */
const listed = 5000;
const mostOnPage = 100;

export default async function panels(print: Print, options: BenchOptions): Promise<void> {
  const [count, names] = [Number(options.panels ?? 400), Number(options.names ?? 43_000)];
  await withFolder(async (folder) => {
    const made = panelsOf(count);
    const entries = made.reduce((sum, { genes }) => sum + genes.length, 0);
    const lines = made.map((panel) => `${JSON.stringify(panel)}\n`);
    await writeFile(join(folder, 'panels.jsonl'), lines.join(''));
    await writeFile(join(folder, 'set_2026-11-01.txt'), setOf(names));
    await writeFile(join(folder, 'withdrawn.txt'), withdrawnOf());
    await pipeline(gtfOf(), createWriteStream(join(folder, 'genes.gtf')));
    print(
      `${made.length} panels, ${grouped(entries)} entries, ${((await stat(join(folder, 'panels.jsonl'))).size / 1e6).toFixed(0)} MB`,
    );
    const server = await panelApp(made);
    try {
      for (const way of ['file', 'server'] as const) {
        const config = { file: `${way}.sqlite`, url: server.url };
        await writeFile(join(folder, 'trefoil.yaml'), configuration(config));
        const run = (...words: string[]) => timed(print, folder, words);
        await run('panels', 'load-hgnc', '--approved', 'set_2026-11-01.txt', '--withdrawn', 'withdrawn.txt');
        const words = way === 'file' ? ['import', '--file', 'panels.jsonl'] : ['import-panelapp'];
        const told = await run('panels', ...words, '--by', 'bench');
        const { panels: outcomes } = JSON.parse(told) as { panels: Outcome[] };
        const kept = outcomes.reduce((sum, { genes, unmapped }) => sum + genes + unmapped.length, 0);
        if (outcomes.length !== count || kept !== entries) throw new Error(`${entries - kept} entries are lost`);
        print(
          `  ${grouped(kept)} entries kept, of which ${outcomes.reduce((sum, one) => sum + one.unmapped.length, 0)} without a gene`,
        );
        if (way === 'server') continue;
        await run('coverage', 'load-gtf', '--build', 'GRCh38', '--file', 'genes.gtf', '--force');
        await run('panels', 'check');
        const large = made.find(({ genes }) => genes.length >= 500) ?? made[0];
        const name = `panelapp-${large?.id}@${large?.version}`;
        await run('panels', 'export', name, '--build', 'GRCh38', '--padding', '20', '--out', 'panel.bed');
        print(`  ${large?.genes.length} genes`);
      }
    } finally {
      server.close();
    }
  });
}

interface Outcome {
  genes: number;
  unmapped: unknown[];
}

const configuration = ({ file, url }: { file: string; url: string }) =>
  JSON.stringify({
    ...{ demo: false, migrate: 'auto', storage: { adapter: 'sqlite', file } },
    plugins: { panels: { panelApp: { url } }, coverage: {} },
  });

/** Prints wall clock, processor time and peak memory; returns what the command wrote as JSON. */
async function timed(print: Print, cwd: string, words: readonly string[]): Promise<string> {
  const line = ['-f', '%e %U %S %M', process.execPath, program, ...words, '--json', '--config', 'trefoil.yaml'];
  const child = spawn('/usr/bin/time', line, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, said] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${said}`);
  const [wall = 0, user = 0, system = 0, peak = 0] = (said.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  const name = words.slice(0, 2).join(' ');
  print(
    `${name.padEnd(24)} ${wall.toFixed(1)} s, processor ${(user + system).toFixed(1)} s, ${Math.round(peak / 1024)} MB`,
  );
  return out;
}

const symbolOf = (hgnc: number) => `GENE${hgnc}`;

/** Sizes as PanelApp's: mostly small, a few with thousands of genes. Each gene once in a panel. */
function panelsOf(count: number) {
  const random = xorshift(7);
  return Array.from({ length: count }, (_, place) => {
    const size = place % 100 === 1 ? 2500 : place % 20 === 1 ? 600 : 5 + (random() % 120);
    const first = random() % listed;
    const genes = Array.from({ length: size }, (_, i) => geneOf(((first + i) % listed) + 1, 1 + (random() % 3)));
    return {
      ...{ id: place + 1, hash_id: null, name: `Panel ${place + 1}`, disease_group: '', disease_sub_group: '' },
      ...{ status: 'public', version: `${1 + (place % 5)}.${place}`, relevant_disorders: [`R${place}`] },
      ...{ genes, strs: [], regions: [] },
    };
  });
}

/** Of a hundred genes, one is named by a former symbol, one was merged, and one was withdrawn. */
function geneOf(hgnc: number, level: number) {
  const kind = hgnc % 100;
  const symbol = kind === 1 ? `OLD${hgnc}` : symbolOf(hgnc);
  const id = kind === 2 ? 200_000 + hgnc : kind === 3 ? 300_000 + hgnc : hgnc;
  return {
    gene_data: {
      ...{ alias: ['A', 'B'], biotype: 'protein_coding', hgnc_id: `HGNC:${id}`, gene_name: 'a gene of made-up name' },
      ...{ omim_gene: ['100000'], gene_symbol: symbol, hgnc_symbol: symbol, hgnc_release: '2017-11-03' },
    },
    ...{ entity_type: 'gene', entity_name: symbol, confidence_level: String(level), penetrance: null },
    publications: Array.from({ length: 6 }, (_, i) => String(20_000_000 + hgnc + i)),
    phenotypes: ['A disorder with a long name, autosomal recessive, OMIM:100000', 'another disorder, MONDO:0000001'],
    ...{ mode_of_inheritance: 'BIALLELIC, autosomal or pseudoautosomal', tags: [], transcript: null },
    evidence: ['Expert Review Green', 'NHS GMS'],
  };
}

function setOf(names: number): string {
  const header = 'hgnc_id\tsymbol\tlocus_group\tstatus\talias_symbol\tprev_symbol\tdate_modified\tlocation';
  const line = (hgnc: number) =>
    `HGNC:${hgnc}\t${symbolOf(hgnc)}\tprotein-coding gene\tApproved\tALIAS${hgnc}|B${hgnc}\tOLD${hgnc}\t2026-01-01\t1p1`;
  return [header, ...Array.from({ length: names }, (_, place) => line(place + 1))].join('\n');
}

function withdrawnOf(): string {
  const lines = Array.from({ length: listed }, (_, place) => place + 1).flatMap((hgnc) => {
    if (hgnc % 100 === 2) {
      // Into a gene that no panel lists.
      return [
        `HGNC:${200_000 + hgnc}\tMerged/Split\tM${hgnc}\tHGNC:${listed + hgnc}|${symbolOf(listed + hgnc)}|Approved`,
      ];
    }
    return hgnc % 100 === 3 ? [`HGNC:${300_000 + hgnc}\tEntry Withdrawn\tW${hgnc}\t`] : [];
  });
  return ['HGNC_ID\tSTATUS\tWITHDRAWN_SYMBOL\tMERGED_INTO_REPORT(S) (i.e HGNC_ID|SYMBOL|STATUS)', ...lines].join('\n');
}

/** A transcript with ten exons for each gene that panels list, on all chromosomes but Y. */
function* gtfOf(): Generator<string> {
  for (let hgnc = 1; hgnc <= listed; hgnc++) {
    const contig = String((hgnc % 22) + 1);
    const start = 100_000 + Math.floor(hgnc / 22) * 150_000;
    const gene = `gene_id "ENSG${String(hgnc).padStart(11, '0')}"; gene_name "${symbolOf(hgnc)}"; gene_type "protein_coding"; hgnc_id "HGNC:${hgnc}";`;
    const transcript = `transcript_id "ENST${String(hgnc).padStart(11, '0')}"; tag "MANE_Select";`;
    const line = (kind: string, from: number, to: number, more: string) =>
      `${contig}\tx\t${kind}\t${from}\t${to}\t.\t+\t.\t${more}\n`;
    yield line('gene', start, start + 20_000, gene);
    yield line('transcript', start, start + 20_000, `${gene} ${transcript}`);
    for (let exon = 0; exon < 10; exon++) {
      const from = start + exon * 2000;
      const id = `exon_number "${exon + 1}"; exon_id "ENSE${String(hgnc * 10 + exon).padStart(11, '0')}";`;
      yield line('exon', from, from + 200, `${gene} ${transcript} ${id}`);
    }
  }
}

/** Answers as PanelApp: pages of panels, and each panel with its genes. */
async function panelApp(made: ReturnType<typeof panelsOf>) {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const send = (value: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    const id = Number(/^\/panels\/(\d+)\/$/.exec(url.pathname)?.[1]);
    const panel = made[id - 1];
    if (panel) return void send(panel);
    const page = Number(url.searchParams.get('page') ?? 1);
    const results = made.slice((page - 1) * mostOnPage, page * mostOnPage).map(({ genes: _, ...head }) => head);
    const next = page * mostOnPage < made.length ? `http://${request.headers.host}/panels/?page=${page + 1}` : null;
    send({ count: made.length, next, previous: null, results });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, close: () => server.close() };
}
