/** `add user`: a token for a client that changes data over HTTP. */
import type { Command } from '../../../core/commands.js';
import { isWeakToken, weakTokenOption, weakTokenWarning } from '../../../core/migration.js';
import { Fault } from '../../../core/plugin.js';
import { checkedId } from '../domain/dataset.js';
import { writeScope } from '../domain/scope.js';
import type { BeaconSettings } from '../settings.js';

interface UserOptions {
  uid: string;
  name: string;
  token?: string;
  allowWeakToken?: boolean;
  datasets?: string[];
}

export const addUser: Command<BeaconSettings> = {
  name: 'add user',
  summary: 'Issue a token with which a client may change data over HTTP',
  description:
    `Issues an API token with the scope ${writeScope}, or ${writeScope}:ID for each of --datasets, for the header ` +
    'X-Auth-Token and shows it, once; only its hash is ' +
    'stored, with the user id as its owner. Where the user has a token already, this is a further one. ' +
    'The name, description and url are not kept. `trefoil token list` and `token revoke` manage tokens.',
  examples: [
    'add user --uid scout --name "Scout of the lab"',
    'add user --uid cardio --name "Cardiology" --datasets cardio_public,cardio_controlled',
  ],
  options: [
    {
      flags: '--uid <id>',
      description: 'who holds the token, without blanks',
      required: true,
      aliases: ['-id', '-uid'],
    },
    { flags: '--name <name>', description: 'name for people', required: true, aliases: ['-name'] },
    {
      flags: '--token <token>',
      description: 'a token that the user has already: 16 to 512 printable characters without blanks',
      aliases: ['-token'],
    },
    weakTokenOption,
    {
      flags: '--datasets <id>',
      description: 'ids of datasets, there or not yet, that alone the user may change; joined by commas, or repeated',
      repeatable: true,
    },
    { flags: '--desc <text>', description: 'description', aliases: ['-desc'] },
    { flags: '--url <url>', description: 'address of a page about the user', aliases: ['-url'] },
  ],
  async run({ issueToken, terminal }, input) {
    const { uid, name, token: own, allowWeakToken: allowWeak, datasets = [] } = input.options as unknown as UserOptions;
    if (uid === '' || /\s/.test(uid)) throw new Fault('invalid', 'User ID should not contain any space');
    const scopes =
      datasets.length > 0
        ? datasets.flatMap((ids) => ids.split(',')).map((dataset) => `${writeScope}:${checkedId(dataset)}`)
        : [writeScope];
    const { id, token } = await issueToken({ owner: uid, scopes, token: own, allowWeak });
    terminal.data({ id, user: uid, scopes, ...(own === undefined && { token }) });
    if (own === undefined) terminal.print(token);
    if (isWeakToken(token)) terminal.note(weakTokenWarning);
    terminal.note(
      `Token ${id} of user '${uid}' (${name}) ${own === undefined ? 'cannot be shown again' : 'is the one that was given'}.`,
    );
    return 0;
  },
};
