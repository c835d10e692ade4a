/**
 * Runs command lines, one after another, in one process that has the build loaded (`command.ts`). Each arrives as a
 * message. Its output goes to stdout and stderr, each followed by the message's mark; its exit code is sent back.
 */
import { runCli } from '../../dist/core/cli.js';

process.on('message', async ({ args, cwd, env, program, mark }) => {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const code = await runCli(args, program === 'beacon' ? { program, plugin: 'beacon' } : { program });
  process.stdout.write(mark);
  process.stderr.write(mark);
  process.send({ code });
});
process.on('disconnect', () => process.exit());
