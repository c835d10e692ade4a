/** A thousand random edits, and whatever else people do to versions: what was signed stays as it was, to the last byte. */
import { expect } from 'chai';
import fc from 'fast-check';
import { Fault, isFault } from '../../../core/plugin.js';
import { type PanelRepository, type PanelState, type PanelVersion, panels } from '../../../plugins/panels/contract.js';
import {
  rewrittenContent,
  withDropped,
  withFacts,
  withGenes,
  withNames,
  withoutGenes,
  withResolved,
} from '../../../plugins/panels/edits.js';
import { contentDigest, type PanelContent, parseContent } from '../../../plugins/panels/versions/content.js';
import {
  draftVersion,
  editedVersion,
  retiredVersion,
  sentBack,
  signedVersion,
  submittedVersion,
} from '../../../plugins/panels/versions/lifecycle.js';
import { dealt } from '../../support/dealt.js';
import { storages } from '../../support/storages.js';
import { at, contentOf, geneTable, green } from './support/served.js';

const names = { release: '2026-11-01', table: geneTable() };
const people = ['anna', 'bo', 'cilla'].map((by) => ({ by, at }));
const words = ['BAP1', 'MLL', 'PER3', 'OTHER', 'UCHL2', 'SPLIT', 'CHAIN', 'NOTHING', 'hmbs'];
const panel = 'kidney';

/** Each by a random number. */
const steps = {
  add: (content: PanelContent, n: number) =>
    withGenes(content, [{ symbol: words[n % words.length] ?? '' }], { confidence: 'amber' }, names).content,
  remove: (content: PanelContent, n: number) => withoutGenes(content, [geneAt(content, n)]),
  change: (content: PanelContent, n: number) => withFacts(content, [geneAt(content, n)], { comment: `number ${n}` }),
  resolve: (content: PanelContent, n: number) =>
    withResolved(content, entryAt(content, n), { hgnc: 8847 }, names).content,
  drop: (content: PanelContent, n: number) => withDropped(content, entryAt(content, n), 'a slip').content,
  rename: (content: PanelContent) => withNames(content, names).content,
  rewrite: ({ genes, unmapped = [] }: PanelContent, n: number, before: PanelContent) =>
    rewrittenContent(before, { name: `Name ${n}`, genes: genes.slice(n % 2), unmapped }, names),
} satisfies Record<string, (content: PanelContent, n: number, before: PanelContent) => PanelContent>;

const acts: Record<string, (version: PanelVersion, n: number) => PanelVersion> = {
  submit: (version, n) => submittedVersion(version, people[n % 3] ?? { by: '', at }),
  'send back': (version, n) => sentBack(version, people[n % 3] ?? { by: '', at }),
  sign: (version, n) =>
    signedVersion(version, n % 5 === 0 ? 'stale' : version.digest, 2, people[n % 3] ?? { by: '', at }),
  retire: (version, n) => retiredVersion(version, people[n % 3] ?? { by: '', at }),
  /** What a program might do to a signed version that does not ask whether it may. */
  force: (version, n) => {
    if (!['signed off', 'retired'].includes(version.state)) throw new Fault('conflict', 'may be edited');
    const next = { ...version, state: 'retired' as const, revision: version.revision + 1 };
    // One member each time: every one of them is kept for its own sake.
    const changes: Partial<PanelVersion>[] = [
      { content: `${version.content} ` },
      { digest: '0'.repeat(64) },
      { name: `${version.name} ` },
      { hgnc: [...version.hgnc, 10_000] },
      { state: 'signed off' },
      { state: 'draft' },
    ];
    return { ...next, ...changes[n % changes.length] };
  },
};

const stateFor: Record<string, PanelState> = {
  'send back': 'in review',
  sign: 'in review',
  retire: 'signed off',
  force: 'signed off',
};

/** Comes before the random steps, so that each kind is done, and two versions are signed, in every run. */
const script = [
  'branch 1, change 1, rename 1, remove 1, add 2, add 4, resolve 1, drop 1, rewrite 1, submit 1, send back 1, submit 1',
  'sign 1, sign 2, branch 1, drop 1, submit 1, sign 1, sign 2',
  'force 1, force 2, force 3, force 4, force 6, force 11, retire 1',
].flatMap((line) =>
  line.split(', ').map((step): [kind: string, n: number] => {
    const space = step.lastIndexOf(' ');
    return [step.slice(0, space), Number(step.slice(space))];
  }),
);

const fresh = (): PanelContent =>
  contentOf([green(950, 'BAP1'), green(7132, 'MLL')], {
    unmapped: [{ given: 'UCHL2', why: 'is an alias', confidence: 'red' }],
  });

function geneAt({ genes }: PanelContent, n: number): number {
  return genes[n % Math.max(1, genes.length)]?.hgnc ?? 1;
}

function entryAt({ unmapped = [] }: PanelContent, n: number): number {
  return n % Math.max(1, unmapped.length);
}

/** Whether it was done; false if it was refused with a fault. */
async function tried(work: () => Promise<unknown>): Promise<boolean> {
  try {
    return (await work()) !== false;
  } catch (error) {
    if (isFault(error)) return false;
    throw error;
  }
}

type Sealed = Pick<PanelVersion, 'content' | 'digest' | 'name' | 'hgnc'>;
const sealedOf = ({ content, digest, name, hgnc }: PanelVersion): Sealed => ({ content, digest, name, hgnc });

async function live(repository: PanelRepository, kind: string, n: number, sealed: Map<string, Sealed>) {
  const heads = await repository.list(panel);
  // Mostly one with which it can be done.
  const wanted = stateFor[kind] ?? 'draft';
  const head = n % 5 === 0 ? heads[(n / 5) % heads.length] : heads.findLast(({ state }) => state === wanted);
  const version = head && (await repository.find(panel, head.version));
  if (kind === 'force' && version === undefined) return false;
  if (kind === 'branch' || version === undefined) {
    const content = version ? parseContent(version.content) : fresh();
    return tried(() => repository.add(draftVersion(panel, String(heads.length + 1), content, { by: 'anna', at })));
  }
  const step = kind in steps ? steps[kind as keyof typeof steps] : undefined;
  const before = parseContent(version.content);
  const done = await tried(async () => {
    const next = step ? editedVersion(version, step(before, n, before), { by: 'anna', at }) : acts[kind]?.(version, n);
    return next !== undefined && repository.replace(next);
  });
  const after = await repository.find(panel, version.version);
  if (after?.state === 'signed off' && !sealed.has(after.version)) sealed.set(after.version, sealedOf(after));
  return done;
}

for (const subject of dealt(storages, 'sqlite')) {
  // What may change a version is decided above the storage: fewer on the engine that takes longer.
  const most = subject.adapter === 'sqlite' ? 1000 : 400;

  describe(`signed versions of panels on ${subject.name}`, function () {
    this.timeout(120_000);

    it(`are bit for bit the same after ${most} random edits, reviews and signatures`, async () => {
      const kinds = [...Object.keys(steps), ...Object.keys(acts), 'branch'];
      const random = fc.array(fc.tuple(fc.constantFrom(...kinds, 'drop', 'sign'), fc.nat(1000)), {
        minLength: most,
        maxLength: most,
      });
      const seen = { signed: 0, done: new Map<string, number>() };
      await fc.assert(
        fc.asyncProperty(random, async (lived) => {
          const opened = await subject.open([panels]);
          try {
            const repository = opened.storage.repository(panels);
            const sealed = new Map<string, Sealed>();
            for (const [kind, n] of [...script, ...lived]) {
              if (await live(repository, kind, n, sealed)) seen.done.set(kind, (seen.done.get(kind) ?? 0) + 1);
            }
            for (const [version, before] of sealed) {
              const after = await repository.find(panel, version);
              expect(after && sealedOf(after), version).to.deep.equal(before);
              expect(contentDigest(after?.content ?? '')).to.equal(before.digest);
            }
            seen.signed += sealed.size;
          } finally {
            await opened.close();
          }
        }),
        // A thousand edits shrink for minutes: the report of a failure has the seed, to look for fewer with.
        { numRuns: 1, endOnFailure: true },
      );
      expect(seen.signed, 'versions that were signed').to.be.greaterThan(1);
      for (const kind of kinds) {
        if (kind === 'force') expect(seen.done.get(kind), kind).to.equal(undefined);
        else expect(seen.done.get(kind), kind).to.be.greaterThan(0);
      }
    });
  });
}
