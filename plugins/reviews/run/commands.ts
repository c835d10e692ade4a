/** `run`, `preview` and `approve`: cases are asked again now, before a change is made, and after a person agreed to it. */

import { type Command, type CommandContext, command, counted, Fault } from '../../../core/commands.js';
import { assemblies } from '../../../core/genome.js';
import type { Services } from '../../services/services.js';
import { type CaseKey, reviews } from '../contract.js';
import type { ReviewSettings } from '../settings.js';
import { preview, previewRows, withVersion } from './preview.js';
import { type RunScope, run, runTools } from './run.js';

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
  description:
    "The change is a version of a panel, a file as `trefoil coverage load-sites` takes it, or HGNC's list of withdrawn entries, which " +
    'brings rows about genes: do it before you sign or load.',
  examples: [
    'preview --panel iem@5.0',
    'preview --clinvar clinvar.vcf.gz --release 2026-11',
    'preview --hgnc withdrawn_2026-11-01.txt',
  ],
  options: [
    { flags: '--panel <version>', description: 'ID@VERSION of a panel, signed or not' },
    { flags: '--clinvar <file>', description: 'VCF of known variants' },
    { flags: '--name <set>', description: 'of --clinvar: name of the source (default: ClinVar)' },
    { flags: '--build <build>', description: 'of --clinvar: as the header says if omitted', choices: assemblies },
    { flags: '--hgnc <file>', description: "HGNC's list of withdrawn entries, withdrawn.txt" },
    { flags: '--release <name>', description: 'release of the file (default: its date)' },
  ],
  async run(context, { options: { panel: reference, clinvar, hgnc, name, build, release } }) {
    const { terminal, signal, find } = context;
    if ([reference, clinvar, hgnc].filter((one) => one !== undefined).length !== 1)
      throw new Fault('invalid', 'State one of --panel, --clinvar and --hgnc');
    if (clinvar === undefined && (name ?? build) !== undefined)
      throw new Fault('invalid', '--name and --build are of --clinvar');
    const tools = await toolsOfCommand(context);
    const panels = await find<Services['panels/versions@1']>('panels/versions@1');
    if (hgnc !== undefined) {
      if (!panels) throw new Fault('unavailable', 'The plugin panels, which knows the names of genes, is not enabled');
      const assumed = { 'panels/versions@1': await panels.assuming({ path: hgnc, release, signal }) };
      const rows = await previewRows(tools, tools.assuming(assumed), { signal });
      terminal.print(`${counted(rows.length, 'row')} about genes would come onto the list`);
      for (const row of rows)
        terminal.print(`  ${row.subject}: ${counted(row.cases, 'case')} (${row.panels.join(', ')})`);
      terminal.data({ rows });
      return 0;
    }
    const { services, ...scope } = await replacedServices();
    const result = await preview({ ...tools, replaced: tools.assuming(services).gather }, scope, { signal });
    terminal.print(`${counted(result.cases, 'case')} of ${result.asked} would come onto the list`);
    for (const [reason, cases] of Object.entries(result.byReason)) terminal.print(`  ${reason}: ${cases}`);
    if (result.unlooked > 0) terminal.print(`Not looked at yet: ${counted(result.unlooked, 'case')}`);
    terminal.data(result);
    return 0;

    async function replacedServices(): Promise<RunScope & { services: Partial<Services> }> {
      if (clinvar === undefined) {
        const { panel, services } = await withVersion(panels, reference ?? '');
        return { services, touched: { panels: [panel.panel] } };
      }
      const sites = await find<Services['coverage/known-sites@1']>('coverage/known-sites@1');
      if (!sites) throw new Fault('unavailable', 'The plugin coverage, which keeps known variants, is not enabled');
      const file = { path: clinvar, name, build, release, signal };
      return { services: { 'coverage/known-sites@1': await sites.assuming(file) } };
    }
  },
});

export const runCommands: readonly Command<ReviewSettings>[] = [runAll, previewChange, approve];
