/** Verifies the audit: that no entry, chain or name was changed, removed, added, moved or put back since it was written. */
import { type AuditKeys, contentOfBody, type EntryContent, hashOfEntry, originOfChain } from './chain.js';
import type { Checkpoint } from './checkpoint.js';
import type { AuditChain, AuditRepository, ChainLink, Latest, LinkedEntry } from './contract.js';
import { type AuditFinding, acceptance, findingName, People } from './findings.js';
import { resumption } from './recorder.js';

const pageSize = 1000;
/** Entries outside of all chains that are named. */
const mostStrays = 1000;

export interface Verification {
  chains: number;
  entries: number;
  findings: AuditFinding[];
  /** What an operator has accepted (see `acceptance`). */
  accepted: AuditFinding[];
  /** The heads of the chains, for the next verification. */
  heads: (ChainLink & { chain: string })[];
}

/** Where a chain must have stood, by evidence from outside it. */
interface Witness extends ChainLink {
  chain: string;
  by: string;
}

interface VerificationOptions {
  repository: Pick<AuditRepository, 'chains' | 'latest' | 'links' | 'strays' | 'named'>;
  keys: AuditKeys;
  /** Where the chains stood at an earlier verification. */
  checkpoint?: Pick<Checkpoint, 'heads'> | undefined;
  /** Called with the number of entries verified so far. */
  progress?(entries: number): void;
}

export async function verifyAudit(options: VerificationOptions): Promise<Verification> {
  const first = await verified(options);
  if (!first.lacksNames || !(await hasGrown(options, first))) return first;
  // The entries that say why names are missing may have been written meanwhile.
  return verified(options);
}

async function hasGrown({ repository }: VerificationOptions, { heads }: Verification): Promise<boolean> {
  const chains = await repository.chains();
  return chains.length !== heads.length || chains.some(({ head }, i) => head.sequence !== heads[i]?.sequence);
}

async function verified(options: VerificationOptions): Promise<Verification & { lacksNames: boolean }> {
  const { repository, keys, checkpoint, progress } = options;
  const { register } = await repository.latest();
  // Heads first: what is appended meanwhile comes after them.
  const chains = await repository.chains();
  const people = new People(repository, keys);
  const witnesses: Witness[] = [];
  const acceptedNames = new Set<string>();
  let entries = 0;
  const found: AuditFinding[] = [];
  const notice = (chain: string, { action, about, detail }: EntryContent): void => {
    if (action === acceptance) for (const name of about) acceptedNames.add(name);
    if (action !== resumption || detail === undefined) return;
    const by = `the chain ${chain}, in which its process went on,`;
    witnesses.push({ chain: String(detail.chain), sequence: Number(detail.sequence), hash: String(detail.hash), by });
  };
  for (const chain of chains) {
    if (chain.previous) witnesses.push({ ...chain.previous, by: `the chain ${chain.id}, which began after it,` });
    const walk = new Walk(chain, { repository, keys, people, notice });
    await walk.run((count) => progress?.(entries + count));
    entries += walk.count;
    found.push(...walk.findings);
  }
  found.push(...(await outside(chains, repository)));
  for (const head of checkpoint?.heads ?? []) witnesses.push({ ...head, by: 'the checkpoint' });
  found.push(...(await denied(witnesses, chains, repository)));
  found.push(...misnumbered(chains), ...(await unregistered({ repository, keys }, register, chains)));
  const { findings: unnamed, lacksNames } = await people.findings();
  found.push(...unnamed);
  const isAccepted = (one: AuditFinding) => acceptedNames.has(findingName(one, keys));
  return {
    chains: chains.length,
    entries,
    findings: found.filter((one) => !isAccepted(one)),
    accepted: found.filter(isAccepted),
    heads: chains.map(({ id, head }) => ({ chain: id, ...linkOf(head) })),
    lacksNames,
  };
}

/** What witnesses say and the chains deny. */
async function denied(
  witnesses: readonly Witness[],
  chains: readonly AuditChain[],
  repository: VerificationOptions['repository'],
): Promise<AuditFinding[]> {
  const known = new Map(chains.map((chain) => [chain.id, chain]));
  const absent = new Set<string>();
  const findings: AuditFinding[] = [];
  for (const { chain, sequence, hash, by } of witnesses) {
    const stored = known.get(chain);
    if (stored === undefined) {
      if (!absent.has(chain)) findings.push({ chain, message: `The chain is missing: ${by} names it` });
      absent.add(chain);
      continue;
    }
    const { base, head } = stored;
    if (sequence > head.sequence) {
      const message = `The entries up to ${sequence} are missing: ${by} knows them`;
      findings.push({ chain, sequence: head.sequence + 1, message });
      continue;
    }
    // What is older than the base was deleted since its time was over.
    if (sequence < base.sequence) continue;
    const [there] = [base, head].filter((end) => end.sequence === sequence);
    const [link] = there ? [there] : await repository.links(chain, sequence - 1, 1);
    if (link?.sequence !== sequence || link.hash === hash) continue;
    findings.push({ chain, sequence, message: `The chain was written anew: ${by} knows another entry ${sequence}` });
  }
  return findings;
}

/** Entries that no walk along a chain meets: lists of the audit would show them all the same. */
async function outside(
  chains: readonly AuditChain[],
  repository: VerificationOptions['repository'],
): Promise<AuditFinding[]> {
  const known = new Map(chains.map((chain) => [chain.id, chain]));
  return (await repository.strays(mostStrays)).map(({ chain, sequence }) => {
    const end = known.get(chain)?.head.sequence;
    const place =
      end === undefined
        ? 'of a chain that does not exist'
        : `${sequence > end ? 'after the end' : 'before the beginning'} of the chain`;
    return { chain, sequence, message: `The entry ${sequence} is ${place}` };
  });
}

/** The number of a chain is its place among all. */
function misnumbered(chains: readonly AuditChain[]): AuditFinding[] {
  const findings: AuditFinding[] = [];
  let missing = 0;
  for (const [i, { id, number }] of chains.entries()) {
    if (number === undefined) continue;
    const gap = number - (i + 1) - missing;
    if (gap > 0) findings.push({ chain: id, message: `${several(gap)} missing that began before this one` });
    if (gap < 0) findings.push({ chain: id, message: 'The chain is not in its place among the others' });
    missing += gap;
  }
  return findings;
}

/** Whether what is kept with the chains names the last of them. */
async function unregistered(
  { repository, keys }: Pick<VerificationOptions, 'repository' | 'keys'>,
  register: Latest['register'],
  chains: readonly AuditChain[],
): Promise<AuditFinding[]> {
  const last = chains.reduce((most, { number = 0 }) => Math.max(most, number), 0);
  if (register === undefined) {
    // None is kept before the first chain that has a number.
    return last === 0 ? [] : [{ message: 'The register of the chains is missing' }];
  }
  const registered = keys.registered(register);
  if (registered === undefined) return [{ message: 'The register of the chains was changed' }];
  if (registered > last) {
    return [
      { message: `${several(registered - Math.max(last, chains.length))} missing at the end: the register knows them` },
    ];
  }
  const present = registered < last ? (await repository.latest()).register : register;
  if (present !== undefined && (keys.registered(present) ?? 0) >= last) return [];
  return [{ message: 'The register of the chains was put back to an earlier state' }];
}

function several(count: number): string {
  return count === 1 ? 'A chain is' : `${count} chains are`;
}

function linkOf({ sequence, hash }: ChainLink): ChainLink {
  return { sequence, hash };
}

interface WalkOptions extends Pick<VerificationOptions, 'repository' | 'keys'> {
  people: People;
  /** Called with what each entry says. */
  notice(chain: string, content: EntryContent): void;
}

/** One walk along a chain, from its base to its head. */
class Walk {
  count = 0;
  readonly findings: AuditFinding[] = [];
  #last: ChainLink;
  readonly #chain: AuditChain;
  readonly #options: WalkOptions;

  constructor(chain: AuditChain, options: WalkOptions) {
    this.#chain = chain;
    this.#options = options;
    this.#last = chain.base;
  }

  async run(progress: (count: number) => void): Promise<void> {
    const { id, head } = this.#chain;
    this.#checkEnds();
    while (this.#last.sequence < head.sequence) {
      const page = await this.#options.repository.links(id, this.#last.sequence, pageSize);
      const upTo = page.filter(({ sequence }) => sequence <= head.sequence);
      if (upTo.length === 0) break;
      const contents = upTo.map((entry) => this.#step(entry));
      await this.#options.people.meet(contents.flatMap((content) => content ?? []));
      progress(this.count);
    }
    this.#checkEnd();
  }

  #find(message: string, sequence?: number): void {
    this.findings.push({ chain: this.#chain.id, ...(sequence !== undefined && { sequence }), message });
  }

  #checkEnds(): void {
    const { keys } = this.#options;
    const { base, head } = this.#chain;
    if (base.sequence === 0 && base.hash !== originOfChain(this.#chain).hash)
      this.#find('The beginning of the chain was changed');
    if (!keys.isSealed(this.#chain, 'base', base)) this.#find('The seal of its beginning is not of this key');
    if (!keys.isSealed(this.#chain, 'head', head)) this.#find('The seal of its end is not of this key');
  }

  #step(entry: LinkedEntry): CheckedContent | undefined {
    const expected = this.#last.sequence + 1;
    const { sequence } = entry;
    if (sequence > expected) this.#missing(expected, sequence - 1);
    else if (hashOfEntry(this.#last.hash, entry.body) !== entry.hash) {
      this.#find(`The entry ${sequence} was changed, or the one before it`, sequence);
    }
    const content = contentOfBody(entry.body);
    if (!saysWhatItsBodySays(entry, content)) {
      this.#find(`What the entry ${sequence} is found by was changed`, sequence);
    } else if (!isWithin(entry.about, entry.indexed)) {
      this.#find(`The entry ${sequence} is not found by what it is about`, sequence);
    } else if (entry.indexed.length > entry.about.length) {
      this.#find(`The entry ${sequence} is found by what it is not about`, sequence);
    }
    this.#last = linkOf(entry);
    this.count += 1;
    if (content) this.#options.notice(this.#chain.id, content);
    return content;
  }

  #missing(from: number, to: number): void {
    this.#find(from === to ? `The entry ${from} is missing` : `The entries ${from} to ${to} are missing`, from);
  }

  #checkEnd(): void {
    const { head } = this.#chain;
    if (this.#last.sequence < head.sequence) this.#missing(this.#last.sequence + 1, head.sequence);
    else if (this.#last.hash !== head.hash) this.#find('The end of the chain was changed', head.sequence);
  }
}

function isWithin(names: readonly string[], others: readonly string[]): boolean {
  const known = new Set(others);
  return names.every((one) => known.has(one));
}

type CheckedContent = NonNullable<ReturnType<typeof contentOfBody>>;

function saysWhatItsBodySays(
  { chain, sequence, at, actor, about }: LinkedEntry,
  content: CheckedContent | undefined,
): content is CheckedContent {
  return (
    content !== undefined &&
    content.chain === chain &&
    content.sequence === sequence &&
    content.at.getTime() === at.getTime() &&
    content.actor === actor &&
    JSON.stringify(content.about) === JSON.stringify(about)
  );
}
