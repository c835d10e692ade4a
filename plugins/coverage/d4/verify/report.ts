/** The report of a check, and its findings. */

/** How bad a finding is: `fail` means that the file's depths cannot be relied on. */
export type Level = 'note' | 'warn' | 'fail';

export type FindingCode =
  | 'unreadable' // the file cannot be opened or breaks the format
  | 'truncated' // the file ends early
  | 'odd' // readable, but unusual
  | 'lost-records' // the secondary table, or part of it, is missing
  | 'capped' // depths pile up at the last value of the dictionary
  | 'hole' // the depth drops to 0 exactly at a partition boundary
  | 'contigs' // chromosomes do not fit the genome build
  | 'summary' // disagrees with mosdepth's summary
  | 'per-base'; // disagrees with mosdepth's per-base file

export interface Finding {
  level: Level;
  code: FindingCode;
  /** One sentence for a person. */
  message: string;
  chromosome?: string;
}

export interface ChromosomeReport {
  name: string;
  size: number;
  mean: number;
  max: number;
  /** Records in the secondary table. */
  records: number;
}

export interface TrackReport {
  /** Path inside the file; empty in a single-track file. */
  name: string;
  findings: Finding[];
  chromosomes: ChromosomeReport[];
}

export interface Report {
  file: string;
  verdict: 'pass' | 'warn' | 'fail';
  /** About the file as a whole. */
  findings: Finding[];
  tracks: TrackReport[];
}

/** The verdict that follows from findings. */
export function verdict(findings: readonly Finding[]): Report['verdict'] {
  if (findings.some(({ level }) => level === 'fail')) return 'fail';
  return findings.some(({ level }) => level === 'warn') ? 'warn' : 'pass';
}
