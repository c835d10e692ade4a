/** The matchmaker's contracts on SQL are what their references above tables are, after any history. */
import { matchmakerNodes, type NodeRepository, type PeerNode } from '../../../plugins/matchmaker/contract.js';
import type { Random } from '../../conformance/core.js';
import { at } from '../../conformance/matchmaker/build.js';
import { type Compared, describeHistories, nasty } from './support/side-by-side.js';

const word = (random: Random) => random.pick(nasty);
const soon = (random: Random) => at(random.int(0, 4));
const maybe = <Value>(random: Random, value: (random: Random) => Value) =>
  random.chance(0.4) ? value(random) : undefined;

const nodes: Compared<NodeRepository> = {
  contract: matchmakerNodes,
  calls(random, call) {
    const ids = random.shuffled(nasty).slice(0, 3);
    const id = () => random.pick(ids);
    const question = () => ({ number: random.int(1, 2), version: random.int(1, 3) });
    const node = (): PeerNode => ({
      ...{ id: id(), label: word(random), url: word(random), contentType: word(random), enabled: random.chance(0.4) },
      token: random.pick([{ sealed: word(random) }, { file: word(random) }]),
      created: soon(random),
      ...optional({ contact: maybe(random, word), quirks: maybe(random, () => random.list(0, 2, () => word(random))) }),
    });
    const looks = [call('nodes'), ...ids.map((one) => call('owed', one, 10, at(9)))];
    const any = [
      () => call('add', node()),
      () => call('add', node()),
      () => call('replace', node()),
      () => call('remove', id()),
      () => call('connected'),
      () => call('noteSuccess', id(), soon(random)),
      () =>
        call('noteFailure', id(), {
          ...{ reason: word(random), at: soon(random), failures: random.int(0, 3), retryAt: maybe(random, soon) },
        }),
      () => call('answered', id(), question()),
      () => call('answered', id(), question()),
      () => call('owe', random.some(ids), question(), maybe(random, soon)),
      () => call('owe', random.some(ids), question(), maybe(random, soon)),
      () => call('owed', id(), random.int(0, 3), soon(random)),
      () => call('settle', id(), question()),
      () => call('forget', random.int(1, 2)),
    ];
    return { any, looks };
  },
};

/** Without members that are undefined. */
function optional<Members extends object>(members: Members): { [Name in keyof Members]?: NonNullable<Members[Name]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}

describeHistories(nodes);
