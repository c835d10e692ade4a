/** `load-reference`. */
import { mkdir } from 'node:fs/promises';
import { type Command, command, withProgress } from '../../../core/commands.js';
import { unwritable, writeWhole } from '../../../core/files.js';
import { assemblies } from '../contract.js';
import type { BeaconSettings } from '../settings.js';
import { packFasta } from '../vcf/reference/fasta.js';
import { referenceFile } from '../vcf/reference/packed.js';
import { finishWriting, writeBytes } from './output.js';

export const loadReference: Command<BeaconSettings> = command({
  name: 'load-reference',
  summary: 'Load the reference sequences of a genome build',
  description:
    'From a FASTA file (plain, gzip or bgzip; - reads standard input) into a file of two bits a base in the folder ' +
    '`references.folder`. From then on insertions and deletions are found however they are written, loads compare REF with the ' +
    'sequences, and new datasets are left-aligned; a running server rewrites the others within minutes. The sequences are compared with the known ones of the build; others than ' +
    'those of 1 to 22, X, Y and MT are left out. If anything is wrong, the old reference stays.',
  examples: [
    'load-reference --build GRCh38 --fasta GRCh38.fa.gz',
    'load-reference --build GRCh37 --fasta human_g1k_v37.fasta.gz',
  ],
  options: [
    {
      flags: '--build <assembly>',
      description: 'genome build',
      required: true,
      choices: assemblies,
      ignoreCase: true,
    },
    { flags: '--fasta <file>', description: 'FASTA file with the sequences', required: true },
    { flags: '--force', description: 'take sequences that are not those of the build, too' },
  ],
  async run(context, { options: { build: assembly, fasta, force = false } }) {
    const { settings, terminal, signal } = context;
    const { folder } = settings.references;
    const path = referenceFile(folder, assembly);
    const source = await context.openSource(fasta);
    const stop = () => source.close();
    signal.addEventListener('abort', stop);
    try {
      await mkdir(folder, { recursive: true }).catch((error) => {
        throw unwritable(folder, error, signal);
      });
      const { digest, sequences, remarks } = await withProgress(terminal, 'Packing', (progress) =>
        writeWhole(
          path,
          async (target) => {
            const packed = await packFasta({
              source,
              assembly,
              force,
              signal,
              write: (bytes) => writeBytes(target, bytes, signal),
              onProgress: (bases) => progress.update(source.progress(), `${Math.round(bases / 1e6)} million bases`),
            });
            await finishWriting(target, signal);
            return packed;
          },
          signal,
        ),
      );
      const bases = sequences.reduce((sum, { length }) => sum + length, 0);
      terminal.print(
        `Reference ${assembly}: ${sequences.length} chromosomes, ${bases.toLocaleString('en')} bases, digest ${digest}; written to ${path}`,
      );
      for (const remark of remarks) terminal.note(`WARNING ${remark}`);
      const told = sequences.map(({ contig, length, md5, refget }) => ({ chromosome: contig, length, md5, refget }));
      terminal.data({ build: assembly, digest, path, sequences: told, warnings: remarks });
      return 0;
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      signal.removeEventListener('abort', stop);
      source.close();
    }
  },
});
