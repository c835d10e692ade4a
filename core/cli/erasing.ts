/** Shows what an erasure would erase, asks, erases it and writes the receipt: for `erase` and `consent withdraw`. */
import { stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { operator } from '../audit/audit.js';
import { confirmed, table } from '../command-text.js';
import {
  type ErasureResult,
  eraseListed,
  leftByEarlier,
  type PluginErasure,
  receiptOfErasure,
} from '../erasures/erase.js';
import type { Erasure } from '../erasures/erasure.js';
import type { ErasureRecord } from '../erasures/record.js';
import { Fault } from '../fault.js';
import { writeWhole } from '../files/write.js';
import { step } from '../step.js';
import type { AssembledPlugins } from './assembled.js';
import type { CoreContext } from './core-command.js';

/** Who is meant, and how far. */
export interface ErasureRequest {
  samples: readonly string[];
  cases: readonly string[];
  /** If empty, patients have the ids of the samples. */
  patients: readonly string[];
  scope: Erasure['scope'];
  /** Whether the operator confirmed already. */
  yes: boolean | undefined;
  /** Where the receipt is written as well. */
  receipt: string | undefined;
}

/** Returns the exit code. Throws a `not-found` fault if nothing is known of the people, unless they object to sharing. */
export async function erasePeople(
  context: CoreContext,
  all: AssembledPlugins,
  request: ErasureRequest,
): Promise<number> {
  const { terminal } = context;
  const { list, erasers } = all.erasing;
  const { scope, receipt: file } = request;
  if (list.file === undefined) throw noList();
  if (file !== undefined && (await stat(file).catch(() => undefined))) {
    throw new Fault('conflict', `The file ${file} exists already`);
  }
  await all.erasing.confirm();
  const unclaimed = await all.unclaimed();
  if (unclaimed !== undefined) terminal.note(`Warning: ${unclaimed}`);
  const erasures = await erasuresOf(context, all, request);
  const further = await leftByEarlier(
    list,
    erasures.map(({ id }) => id),
    scope,
  );
  if (further.length > 0) {
    terminal.note(`Included, as erased with them earlier: ${quotedIds([...new Set(further.map(({ id }) => id))])}.`);
  }
  const everyone = [...erasures, ...further];
  const found = await erasers.find(everyone);
  const earlier = await recordOnList(all, erasures);
  const left = found.filter(({ stays }) => stays === undefined);
  const words = wordsOf[scope];
  if (left.length === 0 && earlier !== undefined) {
    // An erasure that was complete, or was killed before the files of the storage were rewritten.
    const { receipt, at } = earlier;
    terminal.note(`Nothing is left to erase: ${words.done} at ${at.toISOString()}.`);
    return finish(context, all, request, everyone, { receipt, at, found: await erasers.erase(everyone) });
  }
  if (left.length === 0 && scope === 'all') {
    throw new Fault('not-found', `Nothing is stored under ${quotedIds(erasures.map(({ id }) => id))}`);
  }
  // The documents of --json are printed once: at the end.
  const say = terminal.json ? terminal.note : terminal.print;
  say(left.length === 0 ? 'Nothing is shared now.' : words.preview);
  for (const line of linesOfErasure(found)) say(line);
  if (!(await confirmed(terminal, { question: words.question, yes: request.yes, otherwise: 'Nothing was erased' }))) {
    terminal.data({ erased: false, ids: erasures.map(({ id }) => id), found });
    return 1;
  }
  return finish(context, all, request, everyone, await eraseListed(all.erasing, erasures, { further }));
}

const wordsOf = {
  all: {
    preview: 'Would be erased:',
    question: 'Erasing cannot be undone. Do you want to continue?',
    done: 'erased',
  },
  sharing: {
    preview: 'Would be erased from what is shared:',
    question: 'Later loads will skip the sample as well. Do you want to continue?',
    done: 'the objection is on the list, and everything was erased from what is shared,',
  },
} as const;

export function noList(): Fault {
  return new Fault(
    'invalid',
    'There is no place for the list of erasures, without which a restored backup would bring erased data back: set ' +
      'erasures.file to a file that is backed up apart from the database',
  );
}

/** Without ids of patients, samples and patients have the same ids. */
async function erasuresOf(
  { terminal }: CoreContext,
  { erasing }: AssembledPlugins,
  { samples: given, cases, patients, scope }: ErasureRequest,
): Promise<Erasure[]> {
  const samples = await erasing.erasers.samplesOf({ cases, samples: given });
  if (samples.length + patients.length === 0) throw new Fault('not-found', `No sample belongs to ${quotedIds(cases)}`);
  const named = new Set(given);
  const more = samples.filter((id) => !named.has(id));
  if (more.length > 0) terminal.note(`Included, as ids of the same samples or cases: ${quotedIds(more)}.`);
  const own = { holder: 'own', scope } as const;
  const only = patients.length > 0 ? ({ names: 'sample' } as const) : {};
  return [
    ...samples.map((id) => ({ id, ...only, ...own })),
    ...[...new Set(patients)].map((id) => ({ id, names: 'patient', ...own }) as const),
  ];
}

/** The record of the ids, if all of them are on the list; of an objection, only while it stands. */
async function recordOnList(
  { erasing: { list } }: { erasing: { list: Pick<AssembledPlugins['erasing']['list'], 'records'> } },
  erasures: readonly Erasure[],
): Promise<ErasureRecord | undefined> {
  const keyOf = ({ id, names, scope }: Erasure) => JSON.stringify([id, names ?? null, scope]);
  const last = new Map<string, ErasureRecord>();
  for (const record of await list.records()) {
    if (record.erasure.holder === 'own') last.set(keyOf(record.erasure), record);
  }
  const found = erasures.map((wanted) => {
    const own = last.get(keyOf(wanted));
    return own?.does === 'erase' ? own : undefined;
  });
  return found.every((one) => one !== undefined) ? found.at(-1) : undefined;
}

async function finish(
  { terminal, interruption }: CoreContext,
  all: AssembledPlugins,
  { scope, receipt: file }: ErasureRequest,
  erasures: readonly Erasure[],
  done: ErasureResult,
): Promise<number> {
  const purged = await all.purge();
  step('core.erase.purged');
  const receipt = receiptOfErasure(done, {
    by: operator().owner,
    erasures,
    scope,
    purged,
    list: all.erasing.list.file ?? '',
  });
  terminal.print(done.found.length === 0 ? 'Erased: nothing' : 'Erased:');
  for (const line of linesOfErasure(done.found)) terminal.print(line);
  terminal.print(`Receipt ${receipt.receipt} of ${receipt.at}, by ${receipt.by}`);
  terminal.print(receipt.hash);
  if (!purged) {
    terminal.note(
      'The files of the database server keep traces until an administrator removes them (see config/erasure.md).',
    );
  }
  if (file !== undefined) {
    const text = `${JSON.stringify(receipt, null, 2)}\n`;
    const write = async (target: Writable) => {
      target.end(text);
      await finished(target);
    };
    await writeWhole(file, write, interruption.signal);
  }
  terminal.data(receipt);
  return 0;
}

export function linesOfErasure(found: readonly PluginErasure[]): string[] {
  if (found.length === 0) return [];
  const rows = found.map(({ plugin, what, count, stays }) => {
    return [`  ${plugin}`, String(count), stays === undefined ? what : `${what} (not erased: ${stays})`];
  });
  return table(['  PLUGIN', 'NUMBER', 'WHAT'], rows);
}

function quotedIds(ids: readonly string[]): string {
  return ids.map((id) => `"${id}"`).join(', ');
}
