/** Beacon repositories that answer queries wrongly. */
import { Fault } from '../../../../core/storage.js';
import { type Allele, matches, Tally } from '../../../../plugins/beacon/contract.js';
import type { Wrong } from '../wrap.js';
import { byBatch, byQuery, byRule, wrong } from './damage.js';

/** Without the rules for breakends. */
class PlainTally extends Tally {
  override add(...[allele, carriers]: Parameters<Tally['add']>): number {
    return super.add({ ...allele, kind: 'any' }, carriers);
  }
}

const length = ({ start, end }: Allele) => end - start;

export const wrongBeaconQueries: readonly Wrong[] = [
  // Positions
  byQuery('leaves out the last start', 'bounds on the start are inclusive on both sides', (query) =>
    query.start ? { ...query, start: { ...query.start, max: query.start.max - 1 } } : query,
  ),
  byQuery('treats the end as inclusive', 'bounds on the end are inclusive on both sides', (query) =>
    query.end ? { ...query, end: { min: query.end.min - 1, max: query.end.max - 1 } } : query,
  ),
  byQuery('treats the end of an overlap as inclusive', 'an overlap shares at least one base', (query) =>
    query.overlaps ? { ...query, overlaps: { ...query.overlaps, end: query.overlaps.end + 1 } } : query,
  ),
  byRule(
    'looks a megabase back for overlaps',
    'an overlap finds structural variants of any length',
    (allele, query) => matches(allele, query) && !(query.overlaps && length(allele) > 1_000_000),
  ),
  byRule(
    'is one off at a power of two',
    'lengths at which an index may change its strategy make no difference',
    (allele, query) => matches(allele, query) && !(query.overlaps && length(allele) === 16_385),
  ),
  wrong('searches one dataset after the other', 'a search over several datasets shows one moment', () => (right) => ({
    search: async (query, ids, ...rest) => {
      const hits = [];
      for (const id of ids) {
        hits.push(...(await right.search(query, [id], ...rest)));
        for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
      }
      return hits;
    },
  })),
  byRule('ignores one of two brackets', 'brackets narrow start and end by any of the four bounds', (allele, query) =>
    matches(allele, query.start && query.end ? { ...query, end: { min: 0, max: query.end.max } } : query),
  ),
  byQuery('counts in 32 bits', 'bounds may lie beyond any position', (query) => {
    if (query.start && query.start.max >= 2 ** 31) throw new Fault('internal', 'The database refused a statement');
    return query;
  }),
  byQuery('searches every assembly', 'a dataset of another assembly has no matches', (query) => ({
    ...query,
    assembly: 'GRCh37',
  })),
  // Bounds on the work
  wrong(
    'limits alleles, not their carriers',
    'a search counts the carriers of its alleles against the limit',
    () => (right) => ({
      async search(query, ids, { limit = Number.POSITIVE_INFINITY } = {}) {
        const hits = await right.search(query, ids);
        if (hits.reduce((sum, { alleles }) => sum + alleles, 0) > limit) throw new Fault('invalid', 'Too many');
        return hits;
      },
    }),
  ),
  wrong(
    'limits each dataset by itself',
    'a search counts the carriers of its alleles against the limit',
    () => (right) => ({
      search: async (query, ids, options) =>
        (await Promise.all(ids.map((id) => right.search(query, [id], options)))).flat(),
    }),
  ),
  wrong(
    'counts the carriers of a single allele',
    'a search that matches a single allele ignores the limit',
    () => (right) => ({
      async search(query, ids, { limit = Number.POSITIVE_INFINITY } = {}) {
        const hits = await right.search(query, ids);
        if (hits.reduce((sum, { samples }) => sum + samples, 0) > limit) throw new Fault('invalid', 'Too many');
        return hits;
      },
    }),
  ),
  wrong(
    'never hears that nobody waits',
    'an aborted search throws the reason, and leaves nothing behind',
    () => (right) => ({
      search: (query, ids, { signal: _, ...options } = {}) => right.search(query, ids, options),
    }),
  ),
  wrong(
    'throws an error of its own for the reason',
    'an aborted search throws the reason, and leaves nothing behind',
    () => (right) => ({
      present: async (query, ids, { signal, ...options } = {}) => {
        if (signal?.aborted) throw new Fault('timeout', 'The search took too long');
        return right.present(query, ids, options);
      },
    }),
  ),
  // Bases and kinds
  byRule(
    'knows structural alleles by the bases of their records alone',
    'a structural allele is found by the bases of its record, with or without those that both share',
    (allele, query) => matches({ ...allele, structural: false }, query) && matches(allele, query),
  ),
  byQuery('lets N in a pattern match anything', 'N in a pattern matches exactly one base', (query) =>
    query.alternate?.includes('N') ? { ...query, alternate: 'N' } : query,
  ),
  byRule(
    'takes a lone N for a base',
    'a lone N matches anything',
    (allele, query) => matches(allele, query) && !(query.alternate === 'N' && allele.alternate.length > 1),
  ),
  byRule(
    'takes any character for a base',
    'a pattern of several N never finds a symbolic allele or a breakend',
    (allele, { alternate, ...query }) =>
      matches(allele, query) &&
      (alternate === undefined || new RegExp(`^${alternate.replaceAll('N', '.')}$`).test(allele.alternate)),
  ),
  byBatch('keeps 255 bases', 'alleles of ten thousand bases are distinguished to the last base', (batch) =>
    batch.map((allele) => ({ ...allele, alternate: allele.alternate.slice(0, 255) })),
  ),
  byRule('treats a kind as a prefix', 'a kind covers itself and its subtypes, and nothing else', (allele, query) => {
    const { kinds, ...rest } = query;
    return matches(allele, rest) && (!kinds || kinds.some(({ kind }) => allele.kind.startsWith(kind)));
  }),
  byRule('treats a kind as a pattern', 'a kind is taken literally', (allele, query) => {
    const { kinds, ...rest } = query;
    const like = (kind: string) =>
      new RegExp(
        `^${kind
          .replace(/[*?'()]/g, '')
          .replaceAll('%', '.*')
          .replaceAll('_', '.')}$`,
      );
    return matches(allele, rest) && (!kinds || kinds.some(({ kind }) => like(kind).test(allele.kind)));
  }),
  byQuery('treats no kinds as all kinds', 'an empty list of kinds finds nothing', ({ kinds, ...query }) =>
    kinds && kinds.length > 0 ? { ...query, kinds } : query,
  ),
  byQuery(
    'counts large deletions among INDEL',
    'small and structural alleles of one kind are distinguished if requested',
    (query) => (query.kinds ? { ...query, kinds: query.kinds.map(({ kind }) => ({ kind })) } : query),
  ),
  // Breakends
  byRule(
    'forgets the mate side',
    'a breakend is found from both of its ends',
    (allele, query) => allele.contig === query.contig && matches(allele, query),
  ),
  byRule(
    'asks the far end for its own reference',
    'the reference base belongs to the end that is queried',
    (allele, query) => {
      const { reference, ...rest } = query;
      return matches(allele, rest) && (reference === undefined || reference === 'N' || allele.reference === reference);
    },
  ),
  byRule('counts a junction twice', 'both records of a junction count once', matches, () => new PlainTally()),
  byRule(
    'ignores the mate that is asked for',
    'a mate narrows to breakends that end there',
    (allele, { mate: _, ...query }) => matches(allele, query),
  ),
  byRule('lets breakends span', 'a breakend overlaps at its own position, not between its ends', (allele, query) => {
    const { mate: _, ...spanning } = allele;
    return matches(allele, query) || (allele.mate === allele.contig && matches(spanning, query));
  }),
  // What is replaced
  byRule(
    'ignores what an allele replaces',
    'an insertion overlaps a stretch within it and at both of its edges',
    (allele, { replaces: _, ...query }) => matches(allele, query),
  ),
  byQuery(
    'narrows the overlap to bases',
    'an insertion overlaps a stretch within it and at both of its edges',
    (query) => (query.replaces?.overlaps ? { ...query, overlaps: query.replaces.overlaps } : query),
  ),
  byQuery(
    'takes codes of bases for bases',
    'IUPAC codes stand for one base, and nothing for none',
    ({ replaces, ...query }) =>
      /[RYMBS]/.test(replaces?.alternate ?? '') ? { ...query, kinds: [] } : { ...query, ...(replaces && { replaces }) },
  ),
  byRule('compares bases as they are stored', 'a change is found however the record writes it', (allele, query) => {
    const put = query.replaces?.change?.alternate;
    return matches(allele, query) && !(typeof put === 'string' && put !== '' && !allele.alternate.endsWith(put));
  }),
  byRule(
    'finds symbolic alleles by any change',
    'a change is found as a symbolic allele of the same stretch, and where a record shows its bases',
    (allele, query) => matches(allele, query) || (query.replaces?.change !== undefined && allele.alternate === '<DEL>'),
  ),
  byRule(
    'counts the base before an event',
    'bounds on the length count the bases that differ',
    (allele, query) =>
      matches(allele, query) && !(query.replaces?.length && length(allele) > query.replaces.length.max),
  ),
  byRule(
    'forgets the lengths that imports state',
    'an insertion has the length that the import of a carrier stated',
    ({ length: _, ...allele }, query) => matches(allele, query),
  ),
  // What is nearby
  wrong(
    'counts the imports of what is nearby',
    'the nearest structural alleles come first, with the calls of all imports',
    () => (right) => ({
      nearby: async (...asked) => (await right.nearby(...asked)).map((allele) => ({ ...allele, calls: 1 })),
    }),
  ),
  wrong(
    'returns the longest first',
    'the nearest structural alleles come first, with the calls of all imports',
    () => (right) => ({
      nearby: async (...asked) => (await right.nearby(...asked)).toSorted((one, other) => length(other) - length(one)),
    }),
  ),
];
