/** `add user`: a token for a client that queries protected datasets or changes data over HTTP. */
import { type Command, command } from '../../../core/commands.js';
import { isWeakToken, weakTokenOption, weakTokenWarning } from '../../../core/migration.js';
import { Fault } from '../../../core/plugin.js';
import { checkedId } from '../domain/dataset.js';
import { casesRight, observeRight, readRight, writeRight } from '../rights.js';
import type { BeaconSettings } from '../settings.js';

const rights = { read: readRight, write: writeRight, observe: observeRight, cases: casesRight };
const choices = Object.keys(rights) as (keyof typeof rights)[];

export const addUser: Command<BeaconSettings> = command({
  name: 'add user',
  summary: 'Issue a token with which a client may query protected datasets or change data over HTTP',
  description:
    `Issues an API token for the header X-Auth-Token and prints it once; only its hash is stored, with the user id as ` +
    `its owner. Its scopes are ${writeRight.scope} (to add and change data) unless --right says ${readRight.scope} (to query ` +
    `registered and controlled datasets), ${observeRight.scope} (to see how often alleles were seen) or ${casesRight.scope} ` +
    '(to see the ids of cases and samples), for all datasets or for those of --datasets. Earlier tokens of the user stay ' +
    'valid. The name, description and url are not stored. `trefoil token list` and `token revoke` manage tokens.',
  examples: [
    'add user --uid scout --name "Scout of the lab"',
    'add user --uid cardio --name "Cardiology" --datasets cardio_public,cardio_controlled',
    'add user --uid scout --name "Scout of the lab" --right observe --right cases --datasets wgs',
    'add user --uid clinic --name "Partner clinic" --right read --datasets cardio_controlled',
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
      flags: '--right <right>',
      description: 'what the user may do; write if omitted. write does not include read',
      choices,
      repeatable: true,
    },
    {
      flags: '--datasets <id>',
      description: 'limit the rights to datasets with these ids, existing or not; separated by commas, or repeated',
      repeatable: true,
    },
    { flags: '--desc <text>', description: 'description', aliases: ['-desc'] },
    { flags: '--url <url>', description: 'address of a page about the user', aliases: ['-url'] },
  ],
  async run({ issueToken, terminal }, { options }) {
    const { uid, name, token: own, allowWeakToken: allowWeak, right, datasets } = options;
    if (uid === '' || /\s/.test(uid)) throw new Fault('invalid', 'User ID should not contain any space');
    const ids = datasets?.flatMap((list) => list.split(',')).map(checkedId);
    const scopes = [...new Set(right ?? ['write' as const])]
      .map((verb) => rights[verb].scope)
      .flatMap((scope) => ids?.map((id) => `${scope}:${id}`) ?? [scope]);
    const { id, token } = await issueToken({ owner: uid, scopes, token: own, allowWeak });
    terminal.data({ id, user: uid, scopes, ...(own === undefined && { token }) });
    if (own === undefined) terminal.print(token);
    if (isWeakToken(token)) terminal.note(weakTokenWarning);
    terminal.note(
      `Token ${id} of user '${uid}' (${name}) ${own === undefined ? 'cannot be shown again' : 'is the one that was given'}.`,
    );
    return 0;
  },
});
