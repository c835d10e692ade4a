/** The stretch of a chromosome that a genome browser asks for. */
import { Fault } from '../../../core/plugin.js';
import type { Chromosome } from '../d4/index.js';
import { chromosomeIndex } from '../d4/names.js';
import type { Region } from '../domain/region.js';

/** As the request writes it. */
export interface AskedPlace {
  /** `chr1:1000-2000`, first and last base from 1, or a chromosome. */
  region?: string | undefined;
  chromosome?: string | undefined;
  /** Zero-based half-open. */
  start?: number | undefined;
  end?: number | undefined;
}

/** A stretch inside its chromosome, zero-based half-open. */
export interface Place extends Region {
  /** The name of the chromosome in the file; `chromosome` is that of the request. */
  own: string;
}

/** Throws an `unprocessable` fault that names the parameter. */
export function placeOf(asked: AskedPlace, chromosomes: readonly Chromosome[]): Place {
  const { chromosome, start, end } = asked.region === undefined ? byParts(asked) : parseRegion(asked, chromosomes);
  const field = asked.region === undefined ? 'chromosome' : 'region';
  const found = chromosomes[chromosomeIndex(chromosomes, chromosome, true)];
  if (found === undefined) throw wrong(field, `the coverage file has no chromosome ${chromosome.slice(0, 100)}`);
  const from = start ?? 0;
  const to = Math.min(end ?? found.size, found.size);
  if (from >= found.size && found.size > 0) {
    throw wrong(asked.region === undefined ? 'start' : 'region', `chromosome ${chromosome} ends at ${found.size}`);
  }
  if (from >= to) throw wrong(asked.region === undefined ? 'end' : 'region', 'has no bases');
  return { chromosome, start: from, end: to, own: found.name };
}

function byParts({ chromosome, start, end }: AskedPlace): Omit<AskedPlace, 'region'> & { chromosome: string } {
  if (chromosome === undefined) {
    throw wrong('region', 'Field required, such as chr1:1000-2000 (or chromosome, start and end)');
  }
  return { chromosome, start, end };
}

/** Positions may have commas between their digits. A name may contain colons: a chromosome of exactly this name wins. */
function parseRegion({ region = '', ...others }: AskedPlace, chromosomes: readonly Chromosome[]) {
  if (Object.values(others).some((value) => value !== undefined)) {
    throw wrong('region', 'takes the place of chromosome, start and end; give one or the other');
  }
  if (chromosomeIndex(chromosomes, region, true) >= 0) return { chromosome: region };
  const [, chromosome, first, last] = /^(.+):([\d,]+)-([\d,]+)$/.exec(region.trim()) ?? [];
  if (chromosome === undefined) {
    if (!region.includes(':')) return { chromosome: region };
    throw wrong('region', 'must be a chromosome, or chr1:1000-2000 with its first and last base, counted from 1');
  }
  const [from, to] = [first, last].map((digits) => Number(digits?.replaceAll(',', ''))) as [number, number];
  if (from < 1 || to < from || !Number.isSafeInteger(to)) {
    throw wrong('region', 'needs a first base from 1, and a last base that is not before it');
  }
  return { chromosome, start: from - 1, end: to };
}

function wrong(path: string, message: string): Fault {
  return new Fault('unprocessable', `${path}: ${message}`, { fields: [{ path, message }] });
}
