/** `run`, `preview` and `approve`: cases are asked again now, before a change is made, and after a person agreed to it. */
import { type Command, type CommandContext, command, counted, Fault } from '../../../core/commands.js';
import type { Services } from '../../services/services.js';
import { type CaseKey, reviews } from '../contract.js';
import type { ReviewSettings } from '../settings.js';
import { preview, versionToPreview } from './preview.js';
import { run, runTools } from './run.js';

type Context = CommandContext<ReviewSettings>;

export const tenantOption = {
  flags: '--tenant <name>',
  description: 'the tenant of the case, if the server has tenants',
} as const;

export async function toolsOfCommand(context: Context): Promise<ReturnType<typeof runTools>> {
  const { tenants, settings, now } = context;
  const find = <Key extends keyof Services>(key: Key) => context.find<Services[Key]>(key);
  return runTools({ find, tenants: { all: tenants }, repository: await context.repository(reviews), now }, settings);
}

const runAll: Command<ReviewSettings> = command({
  name: 'run',
  summary: 'Ask cases again what they should be looked at for; all of them, or one',
  description:
    'The server does so after each change, and every night. A change that brings many cases onto the list waits (`approve`).',
  examples: ['run', 'run --case 2026-113'],
  options: [{ flags: '--case <case>', description: 'only this case' }, tenantOption],
  async run(context, { options: { case: name, tenant } }) {
    const { terminal, signal } = context;
    const key: CaseKey | undefined =
      name === undefined ? undefined : { case: name, ...(tenant !== undefined && { owner: tenant }) };
    const tools = await toolsOfCommand(context);
    if (key && !(await tools.repository.find(key))) throw new Fault('not-found', `There is no case ${name}`);
    const result = await run(tools, { case: key }, { signal });
    terminal.print(
      `${counted(result.cases, 'case')} asked again: ${counted(result.opened, 'finding')} more on the list, ${result.gone} gone`,
    );
    if (result.unlooked > 0)
      terminal.print(`${counted(result.unlooked, 'case')} could not be looked at now: repeat the command later`);
    for (const id of result.held) terminal.print(`Waits for a person: \`trefoil reviews approve '${id}'\``);
    terminal.data(result);
    return 0;
  },
});

const approve: Command<ReviewSettings> = command({
  name: 'approve',
  summary: 'Apply a change that waits, since it brings many cases onto the list',
  arguments: [{ name: 'change', description: 'its id; without one, the changes that wait are listed' }],
  examples: ['approve', "approve 'panel iem@5.0'"],
  async run(context, { arguments: [id] }) {
    const { terminal, signal } = context;
    const tools = await toolsOfCommand(context);
    const waiting = (await tools.repository.held()).filter(({ agreed }) => !agreed);
    if (id === undefined) {
      for (const one of waiting) terminal.print(`${one.id}: ${one.cases} of ${counted(one.watched, 'case')}`);
      if (waiting.length === 0) terminal.print('No change waits');
      terminal.data(waiting);
      return 0;
    }
    const agreed = { by: 'command line', at: context.now() };
    await context.audit.within(context.transaction, async (scope, record) => {
      if (!(await scope.repository(reviews).settle(id, agreed))) throw new Fault('not-found', `No change ${id} waits`);
      const about = [`change:${id}`];
      await record(undefined, { action: 'reviews.approve', about, because: 'command line', outcome: 'done' });
    });
    const result = await run(tools, {}, { signal });
    terminal.print(`${counted(result.opened, 'finding')} more on the list`);
    terminal.data(result);
    return 0;
  },
});

const previewChange: Command<ReviewSettings> = command({
  name: 'preview',
  summary: 'Count the cases that a change would bring onto the list, by reason; nothing is stored',
  examples: ['preview --panel iem@5.0'],
  options: [{ flags: '--panel <version>', description: 'ID@VERSION of a panel, signed or not', required: true }],
  async run(context, { options: { panel: reference } }) {
    const { terminal, signal } = context;
    const tools = await toolsOfCommand(context);
    const panels = await context.find<Services['panels/versions@1']>('panels/versions@1');
    const panel = await versionToPreview(panels, reference);
    const scope = { touched: { panels: [panel.panel] } };
    const result = await preview({ ...tools, replaced: tools.assuming(panel) }, scope, { signal });
    terminal.print(`${counted(result.cases, 'case')} of ${result.asked} would come onto the list`);
    for (const [reason, cases] of Object.entries(result.byReason)) terminal.print(`  ${reason}: ${cases}`);
    if (result.unlooked > 0) terminal.print(`Not looked at yet: ${counted(result.unlooked, 'case')}`);
    terminal.data(result);
    return 0;
  },
});

export const runCommands: readonly Command<ReviewSettings>[] = [runAll, previewChange, approve];
