/** Problems that a migration from another system found: counted by reason, the first few with their ids. */

export interface Finding {
  /** A sentence without its subject: `its chromosome is none of the assembly`. */
  reason: string;
  count: number;
  /** Ids of the first few. */
  examples: string[];
}

const mostExamples = 5;
const longestExample = 80;

/** Reasons must be few and contain no data: whatever differs between records belongs in the example. */
export class Findings {
  readonly #found = new Map<string, Finding>();

  /** `example` is the id of a record, and no other data of it. */
  note(reason: string, example: string): void {
    const finding = this.#found.get(reason) ?? { reason, count: 0, examples: [] };
    this.#found.set(reason, finding);
    finding.count++;
    if (finding.examples.length < mostExamples) finding.examples.push(example.slice(0, longestExample));
  }

  /** The number of findings, over all reasons. */
  get count(): number {
    return this.list().reduce((sum, { count }) => sum + count, 0);
  }

  /** In order of appearance. */
  list(): Finding[] {
    return [...this.#found.values()];
  }
}

/** Returns the findings under a heading, for people; empty if there are none. */
export function findingLines(heading: string, findings: readonly Finding[]): string[] {
  if (findings.length === 0) return [];
  return [
    heading,
    ...findings.map(({ reason, count, examples }) => {
      const more = count > examples.length ? ', …' : '';
      return `  ${count}: ${reason} (${examples.join(', ')}${more})`;
    }),
  ];
}
