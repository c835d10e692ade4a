/** Whether a file's chromosomes match the requested build. */
import { Fault } from '../../../core/plugin.js';
import type { Track } from '../d4/track.js';
import { type Build, builds, contigFindings } from '../d4/verify/contigs.js';
import type { Warning } from './measure.js';

/**
 * Throws `unprocessable` if the chromosome lengths contradict the build and another build fits better: the numbers would
 * be those of other bases. Returns a warning if no build fits, or if single chromosomes do not.
 */
export function checkBuild({ chromosomes }: Track, build: Build): Warning[] {
  const contradictions = (of: Build) =>
    contigFindings(chromosomes, of).flatMap(({ chromosome, message }) => (chromosome === undefined ? [] : [message]));
  const wrong = contradictions(build);
  const [first] = wrong;
  if (first === undefined) return [];
  const other = builds.find((one) => one !== build && contradictions(one).length < wrong.length);
  if (other !== undefined) {
    throw new Fault(
      'unprocessable',
      `The coverage file belongs to ${other}, not to ${build}: ${first.replace(/\.$/, '')}`,
    );
  }
  const fitting = contigFindings(chromosomes, build).length === 0 || wrong.length < chromosomes.length;
  return fitting
    ? [{ code: 'contig-length', message: wrong.slice(0, 3).join(' ') }]
    : [{ code: 'unknown-build', message: 'The chromosome lengths of the coverage file match no known build.' }];
}
