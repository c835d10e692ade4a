/** What a command has read and changed, as text. */
import { counted } from '../../../core/commands.js';
import type { Change } from '../contract.js';
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
  ];
}

/** `1 allele, 2 calls, 0 samples`. */
export function changeText({ alleles, calls, samples }: Change): string {
  return [counted(alleles, 'allele'), counted(calls, 'call'), counted(samples, 'sample')].join(', ');
}
