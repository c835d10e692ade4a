/** From structural questions to the rows that may answer them, by both ends. */
import {
  type Contig,
  farthest,
  isInsertion,
  type StructuralQuestion,
  windowOf,
} from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { contigCode } from './layout.js';
import { held } from './paths.js';
import { answering, askedRows, between, type Group, pathOf, type Sighting } from './sightings.js';

const twoEnded = {
  n: 'integer',
  low: 'integer',
  high: 'integer',
  stop_low: 'integer',
  stop_high: 'integer',
  mate: 'integer',
} as const;

/** Rows of structural questions whose alleles, of the one form of a junction, begin on one contig. */
export async function structuralSightings(
  database: Database,
  contig: Contig,
  { fromMate, ...group }: Group<StructuralQuestion> & { fromMate: boolean },
): Promise<Sighting[]> {
  const questions = group.questions.flatMap((question, n) => {
    const window = windowOf(question, group.window);
    const near = (position: number) => ({ min: Math.ceil(position - window), max: Math.floor(position + window) });
    const ends = isInsertion(question.kind) ? { min: 0, max: farthest } : near(question.end);
    const [here, there] = fromMate ? [ends, near(question.start)] : [near(question.start), ends];
    const mate = fromMate ? question.contig : question.mate;
    const code = mate === undefined ? 0 : contigCode(group.assembly, mate);
    const bounds = [...held(here), ...held(there)];
    return bounds.every(Number.isFinite) ? [[n, ...bounds, code]] : [];
  });
  if (questions.length === 0) return [];
  const where = [
    'a.contig = ?',
    'a.structural = 1',
    between('start'),
    between('stop', 'stop_'),
    'coalesce(a.mate, 0) = q.mate',
  ];
  const path = pathOf(group, where, [contigCode(group.assembly, contig)]);
  const rows = await askedRows(database, { columns: twoEnded, rows: questions, path });
  return answering(rows, group);
}
