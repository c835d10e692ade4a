/** What commands write: the report of what was read and changed, and files that are complete under their names. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { counted, firstLines, type Terminal } from '../../../core/commands.js';
import { BgzfWriter, unwritable, writeWhole } from '../../../core/files.js';
import { type Finding, findingLines } from '../../../core/migration.js';
import type { CallsFit } from '../../services/coverage.js';
import type { Change } from '../contract.js';
import type { LoadSummary } from '../loading/load.js';
import type { VcfSummary } from '../vcf/summary.js';

/** The summary of reading a VCF file, line by line. */
export function reportLines({ name, summary }: { name: string; summary: VcfSummary }): string[] {
  const { skipped, oddities } = summary;
  const otherContigs = Object.entries(skipped.contigs);
  const counts: [count: number, what: string][] = [
    [
      otherContigs.reduce((sum, [, count]) => sum + count, 0),
      `records on other contigs (${otherContigs
        .slice(0, 5)
        .map(([contig]) => contig)
        .join(', ')}${otherContigs.length > 5 ? '…' : ''})`,
    ],
    [skipped.filtered, 'records that FILTER excludes'],
    [skipped.outsidePanel, 'alleles outside the panel'],
    [skipped.withoutGenotypes, 'records without genotypes'],
    [skipped.placeholders, 'placeholders (*, <NON_REF>)'],
    [skipped.lowQuality, `genotypes with GQ below ${summary.quality}`],
    [skipped.withoutQuality, 'genotypes without GQ'],
    [skipped.uncalled, 'genotypes that were not called'],
    [skipped.notCarried, 'alleles that no sample carries'],
    [skipped.unreadable, 'records or alleles that could not be read'],
  ];
  return [
    `${name}: ${counted(summary.records, 'record')} read, ${counted(summary.alleles, 'allele')} with ${counted(summary.calls, 'call')}`,
    ...summary.warnings.map((warning) => `  warning: ${warning}`),
    ...counts.filter(([count]) => count > 0).map(([count, what]) => `  skipped ${count} ${what}`),
    ...oddities.map(({ line, reason }) => `    line ${line}: ${reason}`),
    ...(skipped.unreadable > oddities.length ? ['    …'] : []),
    ...annotationLines(summary.annotations),
  ];
}

function annotationLines(annotations: VcfSummary['annotations']): string[] {
  if (annotations === undefined) return [];
  const { alleles, unreadable, first } = annotations;
  return [
    `  consequences of ${counted(alleles, 'allele')} read`,
    ...(unreadable > 0 ? [`  skipped annotations of ${counted(unreadable, 'record')} that could not be read`] : []),
    ...(first ? [`    line ${first.line}: ${first.reason}`] : []),
  ];
}

/** `1 allele, 2 calls, 0 samples`. */
export function changeText({ alleles, calls, samples }: Change): string {
  return [counted(alleles, 'allele'), counted(calls, 'call'), counted(samples, 'sample')].join(', ');
}

type LoadedChange = Pick<LoadSummary, 'dataset' | 'added' | 'replaced' | 'postponed'>;

/** What became of a load, in one line. */
export function loadedText({ dataset, added, replaced, postponed }: LoadedChange): string {
  if (postponed)
    return `The new calls wait for the next publication of dataset '${dataset}', which answers from the old ones`;
  if (replaced) {
    const fresh = added.samples > 0 ? `; added ${counted(added.samples, 'new sample')}` : '';
    return (
      `Replaced the calls of ${counted(replaced.samples, 'sample')} in dataset '${dataset}': ${counted(replaced.calls, 'call')} by ` +
      `${added.calls}; ${counted(added.alleles, 'allele')} new, ${replaced.alleles} gone${fresh}`
    );
  }
  const nothing = added.alleles === 0 && added.calls === 0 && added.samples === 0;
  return nothing
    ? `Nothing to add: dataset '${dataset}' already has these alleles of these samples, and keeps their genotypes`
    : `Added to dataset '${dataset}': ${changeText(added)}`;
}

/** Names samples whose calls became more. */
export function addedToText(samples: readonly string[]): string {
  const names = samples.slice(0, 5).join(', ') + (samples.length > 5 ? ` and ${samples.length - 5} more` : '');
  return `There already, and keeping what they had besides: ${names}; --replace would have replaced their calls`;
}

/** Of many the first, those that do not fit before others. */
export function callsLines(calls: readonly CallsFit[]): string[] {
  const order = ['elsewhere', 'untold', 'fits'];
  const sorted = [...calls].sort((one, other) => order.indexOf(one.outcome) - order.indexOf(other.outcome));
  return firstLines(sorted, {
    line: ({ sample, outcome, message }) => `${outcome === 'elsewhere' ? 'WARNING ' : ''}Sample ${sample}: ${message}`,
    what: 'samples with a coverage file',
  });
}

// What imports from other systems say.

export function dryRunNote(dryRun: boolean): string {
  return dryRun ? ' (dry run)' : '';
}

/** Prints what was not carried over, and what was, with remarks. */
export function printFindings(
  { terminal }: { terminal: Pick<Terminal, 'print'> },
  notCarried: readonly Finding[],
  remarks: readonly Finding[] = [],
): void {
  for (const lines of [
    findingLines('  Not carried over:', notCarried),
    findingLines('  Carried over, but:', remarks),
  ]) {
    for (const [i, line] of lines.entries()) terminal.print(i === 0 ? line : `  ${line}`);
  }
}

// Writes the text of a command's result to a file or to standard output.

/** Appends text; resolves once more can be written. */
type Write = (text: string) => Promise<void>;

/**
 * Passes `produce` a function that writes to the file, in bgzip if its name ends in .gz, or to standard output if none is
 * given. A file appears only once all of it is written.
 */
export async function writeText(
  out: string | undefined,
  signal: AbortSignal,
  produce: (write: Write) => Promise<void>,
): Promise<void> {
  await writeOutput(
    out,
    async (target) => {
      const compressed = out?.endsWith('.gz') ? new BgzfWriter(target, { signal }) : undefined;
      await produce((text) => {
        const bytes = Buffer.from(text);
        return compressed ? compressed.write(bytes) : writeBytes(target, bytes, signal);
      });
      await compressed?.end();
      await finishWriting(target, signal);
    },
    signal,
  );
}

// Where a command writes a file: complete under its name, or to standard output.

/** Writes to the named file, or to standard output if there is no name. `write` ends with `finish`. */
export function writeOutput<Result>(
  out: string | undefined,
  write: (target: Writable) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  return out === undefined ? writeStandard(write, signal) : writeWhole(out, write, signal);
}

/**
 * Writes to standard output, and reports its errors: part of a VCF is a failure, also if the reader closed the pipe, which
 * other commands ignore.
 */
async function writeStandard<Result>(
  write: (target: Writable) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const { stdout } = process;
  const others = stdout.listeners('error') as ((error: Error) => void)[];
  const ignore = () => undefined;
  stdout.removeAllListeners('error').on('error', ignore);
  try {
    return await write(stdout);
  } catch (error) {
    throw unwritable('standard output', error, signal);
  } finally {
    if (!stdout.errored) {
      stdout.off('error', ignore);
      for (const other of others) stdout.on('error', other);
    }
  }
}

/** Writes bytes, and waits until there is room for more. */
export async function writeBytes(target: Writable, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  if (target.errored) throw target.errored;
  if (!target.write(bytes)) await once(target, 'drain', { signal });
}

/** Ends a file, and waits until all of it is written; standard output stays open. */
export async function finishWriting(target: Writable, signal: AbortSignal): Promise<void> {
  if (target.errored) throw target.errored;
  if (target === process.stdout) return;
  const finished = once(target, 'finish', { signal });
  target.end();
  await finished;
}
