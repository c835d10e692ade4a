/**
 * Changes of proteins and transcripts as annotations and people write them in HGVS, in the one form in which they are compared:
 * `p.Ala222Val`, `p.(A222V)` and `A222V` are the same protein change.
 */

/** Three-letter codes of residues by the one-letter codes of IUPAC; `X` was written for a stop before `*`. */
export const residues: Readonly<Record<string, string>> = {
  ...{ A: 'Ala', R: 'Arg', N: 'Asn', D: 'Asp', C: 'Cys', Q: 'Gln', E: 'Glu', G: 'Gly', H: 'His', I: 'Ile', L: 'Leu' },
  ...{ K: 'Lys', M: 'Met', F: 'Phe', P: 'Pro', S: 'Ser', T: 'Thr', W: 'Trp', Y: 'Tyr', V: 'Val', U: 'Sec', O: 'Pyl' },
  ...{ '*': 'Ter', X: 'Ter' },
};

const codes: ReadonlyMap<string, string> = new Map(
  [...Object.values(residues), 'Xaa'].map((code) => [code.toLowerCase(), code]),
);

const code = [...codes.values()].join('|');
const keyword = 'delins|del|dup|ins|ext|fs';
const threeLetters = new RegExp(`${code}|[*X]|${keyword}|\\d+|[_=?-]`, 'gi');
const oneLetter = new RegExp(`Ter|${keyword}|[A-Z*]|\\d+|[_=?-]`, 'g');

const residue = `(?:${code})`;
/** Three-letter codes are read in any case where a description begins with one; within it by their capital. */
const [firstCode, otherCode] = [new RegExp(`^${residue}\\d`, 'i'), new RegExp(`(?!Ter)${residue}`)];
const substitution = new RegExp(`^(${residue})(\\d+)(${residue})$`);
const soundForm = new RegExp(
  `^${residue}\\d+(?:=|\\?|${residue}|${residue}?fs(?:Ter(?:\\d+|\\?)?)?|${residue}?ext(?:-\\d+|(?:Ter)?(?:\\d+|\\?))|` +
    `(?:_${residue}\\d+)?(?:del|dup|(?:del)?ins(?:${residue}+|\\d+)))$`,
);

/** Longest description that is read: an insertion of a few hundred residues. */
const longest = 1000;

/**
 * The change in three-letter codes without `p.`, brackets and accession: `Ala222Val`, `Arg97ProfsTer23`, `Lys23_Val25del`; a
 * residue that stays is `=`. Undefined for what describes no change of one protein, such as `p.?` or `p.0`.
 */
export function proteinChange(text: string): string | undefined {
  if (text.length > longest) return undefined;
  const bare = withoutBrackets(
    text
      .replace(/^.*:/, '')
      .trim()
      .replace(/^p\.\s*/i, ''),
  ).replaceAll('%3D', '=');
  const isOneLetter = !firstCode.test(bare) && !otherCode.test(bare);
  const written = isOneLetter && /^[a-z*]\d+[a-z*=]$/.test(bare) ? bare.toUpperCase() : bare;
  const words = written.match(isOneLetter ? oneLetter : threeLetters) ?? [];
  if (words.join('') !== written) return undefined;
  const change = words.map((word) => residues[word] ?? codes.get(word.toLowerCase()) ?? word.toLowerCase()).join('');
  const [, first, position, last] = substitution.exec(change) ?? [];
  if (first !== undefined && first === last) return `${first}${position}=`;
  return soundForm.test(change) ? change : undefined;
}

function withoutBrackets(text: string): string {
  return /^\((.*)\)$/.exec(text)?.[1] ?? text;
}

const codingForm = new RegExp(
  '^([cn])\\.([-*]?\\d+(?:[-+]\\d+)?(?:_[-*]?\\d+(?:[-+]\\d+)?)?)' +
    '(?:([ACGTN])>([ACGTN])|(delins|del|dup|inv|ins)([ACGTN]*)(?:ins([ACGTN]+))?|(=))$',
  'i',
);

/**
 * The change of a transcript with `c.` or `n.` and without accession: `c.665C>T`, `c.123_124del`. Bases that are replaced
 * are left out, as HGVS recommends: `c.123_124delAC` is the same. Undefined for any other text.
 */
export function transcriptChange(text: string): string | undefined {
  if (text.length > longest) return undefined;
  const bare = text.trim().replace(/^.*:/, '').replace(/\s+/g, '').replaceAll('%3D', '=');
  const found = codingForm.exec(bare);
  if (!found) return undefined;
  const [, system = '', place = '', from, to, verb = '', bases = '', put, same] = found;
  const begin = `${system.toLowerCase()}.${place}`;
  if (same !== undefined) return `${begin}=`;
  if (from !== undefined && to !== undefined) return `${begin}${from.toUpperCase()}>${to.toUpperCase()}`;
  const kind = verb.toLowerCase();
  if (put !== undefined) return kind === 'del' ? `${begin}delins${put.toUpperCase()}` : undefined;
  if (kind !== 'ins' && kind !== 'delins') return `${begin}${kind}`;
  return bases === '' ? undefined : `${begin}${kind}${bases.toUpperCase()}`;
}

/** A change that is named by what it does to a gene's product. */
export interface NamedChange {
  /** Symbol or id of the gene; the change may be in any gene if neither this nor a sequence is named. */
  gene?: string;
  /** The transcript or protein, by its accession in upper case. */
  sequence?: SequenceName;
  system: 'protein' | 'transcript';
  /** As `proteinChange` or `transcriptChange` returns it. */
  change: string;
}

export interface SequenceName {
  /** Without version. */
  id: string;
  version?: number;
}

/** An accession of RefSeq or Ensembl; undefined for any other text. */
export function sequenceName(text: string): SequenceName | undefined {
  const [, id, version] = /^([NX][MRP]_\d{1,12}|ENS[TP]\d{11})(?:\.(\d{1,4}))?$/i.exec(text.trim()) ?? [];
  if (id === undefined) return undefined;
  return { id: id.toUpperCase(), ...(version !== undefined && { version: Number(version) }) };
}

const namedForm = /^(?:([A-Z0-9._@-]+(?::\d+)?)(?:\([A-Z0-9._@-]+\))?(?:\s*:\s*|\s+))?([cnp]\.\s*\S.*|\S+)$/i;

/** What is a protein change even without `p.` and a gene: some genes have symbols like one (F2R, C1S, S100P). */
const clearForm = /^(?!S100[A-Z]$).*\d{3}|_|fs|del|dup|ins/i;

/**
 * Reads `MTHFR p.Ala222Val`, `HGNC:7436 A222V`, `p.A222V`, `NM_005957.5:c.665C>T`, `NP_005948.3:p.(Ala222Val)`, and the names of
 * ClinVar, `NM_005957.5(MTHFR):c.665C>T (p.Ala222Val)`. Undefined for any other text, also for one of a chromosome.
 */
export function namedChange(text: string): NamedChange | undefined {
  const trimmed = text.trim();
  if (trimmed.length > longest) return undefined;
  const written = /^(.*:\s*[cn]\..*\S)\s+\(p\..*\)$/i.exec(trimmed)?.[1] ?? trimmed;
  const [, name, words = ''] = namedForm.exec(written) ?? [];
  if (/^[cn]\./i.test(words)) {
    const change = transcriptChange(words);
    return name === undefined || change === undefined ? undefined : { ...named(name), system: 'transcript', change };
  }
  const change = proteinChange(words);
  if (change === undefined) return undefined;
  if (name !== undefined) return { ...named(name), system: 'protein', change };
  return /^p\./i.test(words) || clearForm.test(words) ? { system: 'protein', change } : undefined;
}

function named(name: string): Pick<NamedChange, 'gene' | 'sequence'> {
  const sequence = sequenceName(name);
  return sequence ? { sequence } : { gene: name };
}
