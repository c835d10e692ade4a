/** Repositories of the end of the list of erasures that break one promise. */
import type { ErasureMemory } from '../../../core/storage.js';
import { erasures } from '../core.js';
import { type Damage, type Wrong, wrongRepository, wrongStorage } from './wrap.js';

const wrong = (does: string, fails: string, damage: Damage<ErasureMemory>): Wrong =>
  wrongRepository(erasures, does, fails, damage);

export const wrongErasures: readonly Wrong[] = [
  wrong('knows the beginning of the list', 'nothing is known until an end is noted', () => (right) => ({
    known: async () => (await right.known()) ?? { number: 0, code: '' },
  })),
  wrong('keeps the end that was noted last', 'a lower or equal number changes nothing', () => (right) => {
    let last: Awaited<ReturnType<ErasureMemory['known']>>;
    return {
      note: async (end) => {
        last = end;
        await right.note(end);
      },
      known: async () => last,
    };
  }),
  wrong('compares numbers as text', 'a lower or equal number changes nothing', () => (right) => {
    let last = '';
    return {
      note: async (end) => {
        if (String(end.number) > last) await right.note(end);
        if (String(end.number) > last) last = String(end.number);
      },
    };
  }),
  wrong('keeps the first of several', 'of ends that are noted at the same time the highest is kept', () => (right) => {
    let isNoted = false;
    return {
      note: async (end) => {
        if (isNoted) return;
        isNoted = true;
        await right.note(end);
      },
    };
  }),
  wrongStorage(
    'notes ends past the transaction',
    'an end of a transaction that was rolled back is not known',
    (storage) => ({
      transaction: (work) => work(storage),
    }),
  ),
];
