/** A set as lines of text for the terminal. */
import type { IntervalSet } from '../contract.js';

export function setLines(set: IntervalSet): string[] {
  const { kind, build, rows, release, source, checksum, loaded, read, skipped, chromosomes } = set;
  const title = kind === 'names' ? `${rows} genes with names` : `${build}: ${rows} ${kind}`;
  const lines = [
    title,
    `  ${release === undefined ? '' : `${release}, `}${source}, loaded ${loaded.toISOString()}`,
    `  ${checksum}`,
    `  ${read} rows read`,
  ];
  for (const [reason, count] of Object.entries(skipped)) lines.push(`  ${count} rows skipped: ${reason}`);
  if (chromosomes.length > 0) {
    lines.push(
      `  by chromosome: ${chromosomes.map(({ chromosome, rows: here }) => `${chromosome} ${here}`).join(', ')}`,
    );
  }
  return lines;
}
