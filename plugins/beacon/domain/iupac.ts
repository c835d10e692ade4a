/** Codes for bases that are not known exactly (NC-IUB 1984). */

const sets: Readonly<Record<string, string>> = {
  ...{ A: 'A', C: 'C', G: 'G', T: 'T', U: 'T' },
  ...{ R: 'AG', Y: 'CT', S: 'CG', W: 'AT', K: 'GT', M: 'AC', B: 'CGT', D: 'AGT', H: 'ACT', V: 'ACG', N: 'ACGT' },
};

/** Whether every base that the second code may stand for is one that the first may stand for. */
export function includesBase(pattern: string, base: string): boolean {
  if (pattern === base) return true;
  const wanted = sets[pattern];
  const possible = sets[base];
  return wanted !== undefined && possible !== undefined && [...possible].every((one) => wanted.includes(one));
}

/** The same for texts, base by base. */
export function includesBases(pattern: string, bases: string): boolean {
  if (pattern.length !== bases.length) return false;
  for (let i = 0; i < pattern.length; i++) {
    if (!includesBase(pattern[i] as string, bases[i] as string)) return false;
  }
  return true;
}
