/** `trefoil d4 mosdepth`: writes the files that mosdepth would write, from depths instead of reads. */
import type { D4Command } from '../d4/commands/index.js';
import { mosdepthOptions } from './options.js';

export const mosdepthCommand: D4Command = {
  name: 'mosdepth',
  summary: "write mosdepth's files: summary, distributions, regions, thresholds",
  description:
    'Writes PREFIX.mosdepth.summary.txt and PREFIX.mosdepth.global.dist.txt; PREFIX.per-base.bed.gz unless --no-per-base; ' +
    'with --by PREFIX.mosdepth.region.dist.txt and PREFIX.regions.bed.gz, with --thresholds PREFIX.thresholds.bed.gz, with ' +
    '--quantize PREFIX.quantized.bed.gz; each .bed.gz with its .csi index. They are those of mosdepth 0.3.3 for the same ' +
    'depths, so that MultiQC, Athena and scripts read them; MOSDEPTH_PRECISION and MOSDEPTH_Q0 … work as there. The files ' +
    'appear only when all are complete.',
  arguments: [
    { name: 'prefix', description: 'the names of the output files begin with it', required: true },
    { name: 'file', description: 'D4 file, URL or s3://bucket/key, or one track of it as FILE:TRACK', required: true },
  ],
  options: mosdepthOptions,
  // Loaded only with this command: compressing and indexing would slow the start of all others.
  run: async (input, io) => (await import('./run.js')).runMosdepth(input, io),
};
