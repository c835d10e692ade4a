/** The audit's part in the erasure of a person: its entries stay, and name the person no more. */
import { concerns, type Eraser, type Erasure } from '../erasures/erasure.js';
import type { AuditEvent } from './audit.js';
import type { AuditRepository, Person } from './contract.js';
import type { AuditKeys } from './keys.js';
import { forgottenName } from './names.js';
import { operator } from './operator.js';
import type { Recorder } from './recorder.js';

interface Options {
  repository: Pick<AuditRepository, 'people' | 'entries' | 'forget'>;
  keys: AuditKeys;
  record: Recorder['record'];
  settle: Recorder['settle'];
}

export function auditEraser({ repository, keys, record, settle }: Options): Eraser {
  /** An erasure from what is shared leaves the clinical record, and with it the audit. */
  async function people(erasures: readonly Erasure[]): Promise<Person[]> {
    const found = new Map<string, Person>();
    for (const erasure of erasures) {
      if (erasure.scope !== 'all') continue;
      const known = await repository.people(namesOf(erasure).map((name) => keys.lookup(name)));
      for (const person of known) if (await isMeant(person, erasure)) found.set(person.lookup, person);
    }
    return [...found.values()];
  }

  /** When an erasure is repeated, a name that came into the audit after it belongs to data that came after it. */
  async function isMeant({ pseudonym }: Person, { before }: Erasure): Promise<boolean> {
    if (before === undefined) return true;
    const [first] = await repository.entries({ about: [pseudonym], limit: 1 });
    return first !== undefined && first.at < before;
  }

  const counted = (count: number) => [{ what: 'names in the audit, whose entries stay', count }];

  return {
    find: async (erasures) => counted((await people(erasures)).length),
    async erase(erasures) {
      // What waits for the chain has names: it would bring them back.
      await settle();
      const known = await people(erasures);
      const now = erasures.filter(({ before }) => before === undefined);
      const scope = now.some((one) => one.scope === 'all') ? 'all' : 'sharing';
      const event: Omit<AuditEvent, 'about'> =
        now.length > 0
          ? { ...{ action: 'erase', because: 'command line', outcome: 'erased' }, detail: { ids: now.length, scope } }
          : {
              ...{ action: 'audit.forget', because: 'list of erasures', outcome: 'repeated' },
              detail: { people: known.length },
            };
      if (now.length > 0 || known.length > 0) await recordForgotten(known, event, (one) => record(operator(), one));
      let forgotten = 0;
      for (const { lookup } of known) if (await repository.forget(lookup)) forgotten += 1;
      return counted(forgotten);
    },
  };
}

/**
 * Records which names are about to be taken out of the audit, by what stands for them. It comes before their deletion, so that no
 * name is ever missing without an entry that says why.
 */
export function recordForgotten(
  people: readonly Pick<Person, 'pseudonym'>[],
  event: Omit<AuditEvent, 'about'>,
  record: (event: AuditEvent) => Promise<void>,
): Promise<void> {
  return record({ ...event, about: people.map(({ pseudonym }) => forgottenName(pseudonym)) });
}

function namesOf(erasure: Erasure): string[] {
  const kinds = [
    ...(concerns(erasure, 'sample') ? ['sample', 'case'] : []),
    ...(concerns(erasure, 'patient') ? ['patient'] : []),
  ];
  return kinds.map((kind) => `${kind}:${erasure.id}`);
}
