/**
 * Loading of a VCF into each engine, against another program that only reads the same file: `bcftools query` if
 * installed, else zlib inflating it. Options: `--alleles=500000`, `--samples=1`, `--engines=sqlite,postgres`.
 */
import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { openSource } from '../../core/files.js';
import { beacon } from '../../plugins/beacon/contract.js';
import { loadVariants } from '../../plugins/beacon/loading/load.js';
import { permitAll } from '../../plugins/beacon/loading/permit.js';
import { openVcf } from '../../plugins/beacon/vcf/reader.js';
import type { Print } from './run.js';
import { onEachEngine } from './support/engines.js';
import { grouped, has, seconds, withFolder } from './support/machine.js';
import { writeVcf } from './support/vcf.js';

export default async function vcf(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const alleles = Number(options.alleles ?? 500_000);
  const samples = Number(options.samples ?? 1);
  await withFolder(async (folder) => {
    const file = join(folder, 'load.vcf.gz');
    await writeVcf(file, { alleles, samples });
    const megabytes = ((await stat(file)).size / 1e6).toFixed(1);
    print(`${grouped(alleles)} alleles, ${samples} sample(s), ${megabytes} MB compressed`);
    const reading = await seconds(() => merelyRead(file));
    print(`${yardstick().padEnd(22)} ${grouped(alleles / reading).padStart(9)} alleles/s`);
    const parsing = await seconds(() => parse(file));
    print(`${'our reader alone'.padEnd(22)} ${grouped(alleles / parsing).padStart(9)} alleles/s`);
    await onEachEngine(options, [beacon], async (storage, name) => {
      const repository = storage.repository(beacon);
      await repository.addDataset(
        { id: 'bench', name: 'Bench', assembly: 'GRCh37', access: 'PUBLIC', version: 1 },
        new Date(),
      );
      const dataset = await repository.dataset('bench');
      if (!dataset) throw new Error('The dataset is gone');
      const cpu = process.cpuUsage();
      let added = 0;
      const taken = await seconds(async () => {
        const sources = [await openSource(file)] as const;
        const summary = await loadVariants({
          permit: permitAll,
          repository,
          dataset,
          sources,
          samples: [],
          now: new Date(),
        });
        added = summary.added.alleles;
      });
      if (added !== alleles) throw new Error(`${added} of ${alleles} alleles were added`);
      const { user, system } = process.cpuUsage(cpu);
      const busy = (user + system) / 1e6 / taken;
      const memory = process.memoryUsage.rss() / 1e6;
      print(
        `${`load, ${name}`.padEnd(22)} ${grouped(alleles / taken).padStart(9)} alleles/s, ` +
          `${(reading / taken).toFixed(2)} of merely reading; ${busy.toFixed(2)} cores of this process, ${grouped(memory)} MB`,
      );
    });
  });
}

function yardstick(): string {
  return has('bcftools') ? 'bcftools query' : 'zlib inflate';
}

async function merelyRead(file: string): Promise<void> {
  if (has('bcftools')) {
    const format = '%CHROM %POS %REF %ALT[ %GT]\\n';
    await promisify(execFile)('sh', ['-c', `bcftools query -f '${format}' '${file}' > /dev/null`]);
    return;
  }
  await pipeline(createReadStream(file), createGunzip(), new Writable({ write: (_chunk, _encoding, done) => done() }));
}

async function parse(file: string): Promise<void> {
  const opened = await openVcf({ source: await openSource(file), assembly: 'GRCh37', samples: [] });
  for await (const batch of opened.batches()) void batch;
}
