/** The report of a check: its findings, and the verdict that follows from them. */

/** How bad a finding is: `fail` means that the file's depths cannot be relied on. */
type FindingLevel = 'note' | 'warn' | 'fail';

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

export interface D4Finding {
  level: FindingLevel;
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
  findings: D4Finding[];
  chromosomes: ChromosomeReport[];
}

export interface D4Report {
  file: string;
  verdict: 'pass' | 'warn' | 'fail';
  /** About the file as a whole. */
  findings: D4Finding[];
  tracks: TrackReport[];
}

/** The verdict that follows from findings. */
export function verdict(findings: readonly D4Finding[]): D4Report['verdict'] {
  if (findings.some(({ level }) => level === 'fail')) return 'fail';
  return findings.some(({ level }) => level === 'warn') ? 'warn' : 'pass';
}
