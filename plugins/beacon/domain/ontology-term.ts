/** Terms of ontologies, such as `HP:0001250`, as operators and clients state them of samples. */

export interface OntologyTerm {
  /** Prefix and local id: `HP:0001250`. Compared regardless of case. */
  id: string;
  label?: string;
}

/** Largest number of phenotypes, and of diseases, of a sample. */
export const mostTerms = 200;
const longestLabel = 200;

const written = /^[A-Za-z][A-Za-z0-9_.]{1,29}:[A-Za-z0-9_.-]{1,60}$/;

export function isTermId(text: string): boolean {
  return written.test(text);
}

/** The key by which two ids are the same term: regardless of case, and of the names that OMIM and Orphanet go by. */
export function termKey(id: string): string {
  return id
    .toUpperCase()
    .replace(/^MIM:/, 'OMIM:')
    .replace(/^ORPHANET:/, 'ORPHA:');
}

export function sameTerms(one: readonly OntologyTerm[], other: readonly OntologyTerm[]): boolean {
  return (
    one.length === other.length && one.every(({ id, label }, i) => other[i]?.id === id && other[i]?.label === label)
  );
}

/** Each term once, by id; of several with one id the first that has a label. */
export function distinctTerms(terms: readonly OntologyTerm[]): OntologyTerm[] {
  const byKey = new Map<string, OntologyTerm>();
  for (const term of terms) {
    const known = byKey.get(termKey(term.id));
    if (!known || (known.label === undefined && term.label !== undefined)) byKey.set(termKey(term.id), term);
  }
  return [...byKey.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, term]) => term);
}

/** Explains why a term is not valid; undefined if it is. */
export function wrongWithTerm({ id, label }: OntologyTerm): string | undefined {
  if (!isTermId(id)) return `"${id.slice(0, 40)}" is not the id of a term, such as HP:0001250`;
  if (label === undefined) return undefined;
  if (label.length > longestLabel) return `the label of ${id} has more than ${longestLabel} characters`;
  return /\p{Cc}/u.test(label) ? `the label of ${id} must be one line without control characters` : undefined;
}

/** A term as one reads it in a cell: up to a separator that is not within the double quotes of a label. */
const parts = /(?:[^",;]|"(?:[^"]|"")*")+|"/g;

/**
 * Terms separated by commas or semicolons, each an id that a label may follow: `HP:0001250=Seizure; HP:0001263`. A label
 * with a comma or semicolon is in double quotes. All of it may be in double quotes, as spreadsheets write such cells.
 */
export function readTerms(text: string): { terms: OntologyTerm[] } | { wrong: string } {
  const plain = /^"(?:[^"]|"")*"$/.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text;
  const terms: OntologyTerm[] = [];
  for (const part of plain.match(parts) ?? []) {
    if (part.trim() === '') continue;
    const at = part.indexOf('=');
    const id = (at < 0 ? part : part.slice(0, at)).trim();
    const label = at < 0 ? '' : unquoted(part.slice(at + 1).trim());
    const term = { id, ...(label !== '' && { label }) };
    const wrong = wrongWithTerm(term);
    if (wrong) return { wrong };
    terms.push(term);
  }
  return terms.length > mostTerms ? { wrong: `more than ${mostTerms} terms` } : { terms: distinctTerms(terms) };
}

function unquoted(label: string): string {
  return /^".*"$/s.test(label) ? label.slice(1, -1).replaceAll('""', '"').trim() : label;
}
